#!/usr/bin/env python3
"""Opens HTML reports in headless Chromium: every section renders, filters work, nothing errs, a million cases open fast.

usage: browser_test.py CHROMIUM PROGRAM SAMPLE_RESULTS SOURCE_FOLDER
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser

CHROMIUM, PROGRAM, SAMPLES, SOURCE = sys.argv[1:5]
ADD = "dml_element_wise_quantized_linear_add"
MATMUL = "dml_quantized_linear_matrix_multiply"
EXTRA_MUTANTS = {"schema": "mutants/1", "seed": 1, "survivors": 1, "sources": [{"name": "vectors", "cases": 9, "killed": 1, "percent": 50, "seconds": 1}],
                 "mutants": [{"operator": ADD, "name": "half-away", "description": "rounds halves away", "kills": {"vectors": "ties", "fuzz": None}},
                             {"operator": MATMUL, "name": "survivor", "description": "<b>survives</b>", "kills": {"vectors": None, "fuzz": None}}]}
EXTRA_SPEED = {"schema": "benchmark/1", "results": [{"problem": "add 1024", "unit": "G elements/s", "ratio_to_best_peer": 2.5, "ratio_to_best_peer_without_wrong_output": 3.5,
               "implementations": [{"implementation": "qconform", "speed": 10, "wrong": 0, "outputs": 64}, {"implementation": "peer", "speed": 4, "wrong": 3, "outputs": 64}]}]}
VOID = {"meta", "link", "input", "br", "img"}


class Dom(HTMLParser):
    """The elements of a dumped page, each with its attributes, text and ancestors."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", "path": list(self.open), **{"@" + name: value or "" for name, value in attributes}}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        while self.open and self.open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def find(self, within=None, **wanted):
        def fits(element):
            if within is not None and not any(parent is within for parent in element["path"]):
                return False
            return all(value in element.get("@class", "").split() if name == "css" else element.get("@" + name.replace("_", "-")) == value if name != "tag" else element["tag"] == value
                       for name, value in wanted.items())
        return [element for element in self.elements if fits(element)]

    def section(self, identifier):
        found = self.find(id=identifier)
        return found[0] if found else None


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        for kind in ("right", "half-away", "dropped-tail", "saturating-16-bit"):
            subprocess.run([SAMPLES, kind, os.path.join(SOURCE, "testdata"), cls.path(kind + ".json")], check=True)
            subprocess.run([PROGRAM, "report", cls.path(kind + ".json"), f"--html={cls.path(kind + '.html')}"], check=True)
        for name, extra in (("mutants", EXTRA_MUTANTS), ("speed", EXTRA_SPEED)):
            with open(cls.path(name + ".json"), "w", encoding="utf-8") as file:
                json.dump(extra, file)
        subprocess.run([PROGRAM, "report", cls.path("half-away.json"), f"--html={cls.path('full.html')}", f"--compare={cls.path('right.json')}",
                        f"--mutants={cls.path('mutants.json')}", f"--speed={cls.path('speed.json')}"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def dump(self, name, fragment="", page_errors=False):
        """The page's elements once its script has run; any message on the console fails the test."""
        result = subprocess.run(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=8000", "--enable-logging=stderr",
             f"--user-data-dir={self.path('profile')}", "--dump-dom", f"file://{self.path(name)}{fragment}"], capture_output=True, text=True, timeout=240, check=True)
        console = [line for line in result.stderr.splitlines() if ":CONSOLE" in line]
        dom = Dom(result.stdout)
        root = dom.find(tag="html")[0]
        if page_errors:
            self.assertTrue(console)
        else:
            self.assertEqual(console, [])
            self.assertNotIn("@data-error", root)
            self.assertIn("@data-ready", root)
        return dom

    def test_every_section_renders(self):
        dom = self.dump("full.html")
        for identifier in ("verdict", "matrix", "not-run", "filters", "comparison", "operators", "failures", "clauses", "mutants", "speed", "quality", "setup"):
            section = dom.section(identifier)
            self.assertIsNotNone(section, identifier)
            self.assertNotIn("undefined", section["text"], identifier)
            self.assertNotIn("NaN", re.sub("NaN on one|NaN stays|NaN", "", section["text"]) if identifier in ("clauses", "operators") else section["text"])
        self.assertIn("does not conform", dom.section("verdict")["text"])
        self.assertIn(f"Fails: {ADD} on EMU128.", dom.section("verdict")["text"])
        self.assertEqual(len(dom.find(dom.section("operators"), css="histogram")), 2)
        self.assertEqual(len(dom.find(dom.section("operators"), css="scatter")), 2)
        self.assertTrue(dom.find(dom.section("operators"), tag="rect"))
        self.assertIn("<b>survives</b>", dom.section("mutants")["text"])
        self.assertIn("1 of 2 faulty implementations are found", dom.section("mutants")["text"])
        self.assertIn("2.50 times the best peer", dom.section("speed")["text"])
        self.assertIn("passed → ", dom.section("comparison")["text"])
        worst = dom.find(dom.section("operators"), css="worst")[0]["text"]
        self.assertIn("exactly at a tie", worst)
        self.assertIn("qconform run ", worst)
        self.assertIn('"schema": "test_vector/1"', worst)
        self.assertIn("distance to nearest tie", worst)
        self.assertGreater(len(dom.find(dom.section("clauses"), tag="tr")), 20)

    def test_matrix_names_the_outcome_in_words(self):
        dom = self.dump("half-away.html")
        matrix = dom.section("matrix")
        rows = {row["text"]: row for row in dom.find(matrix, css="operator")}
        row = next(row for text, row in rows.items() if text.startswith(ADD))
        cells = dom.find(row, css="cell")
        self.assertEqual([cell["@data-outcome"] for cell in cells], ["passed", "failed"])
        self.assertRegex(cells[0]["text"], r"^✓ \d+$")
        self.assertRegex(cells[1]["text"], r"^✗ \d+ of \d+$")
        self.assertIn("No case of aclnn_quant_grouped_matmul_dequant was run.", dom.section("not-run")["text"])

    def test_scatter_tells_rounding_from_other_faults(self):
        def finding(name, operator):
            dom = self.dump(name)
            card = dom.find(data_operator=operator, css="operator-card")[0]
            scatter = dom.find(card, css="scatter")[0]
            return dom, scatter, dom.find(scatter, css="finding")[0]["text"]
        dom, scatter, text = finding("half-away.html", ADD)
        self.assertIn("Only at ties", text)
        band = dom.find(scatter, css="tie")[0]
        middle = float(band["@x"]) + float(band["@width"]) / 2
        dots = dom.find(scatter, tag="circle", css="t1")
        self.assertTrue(dots)
        self.assertEqual({float(dot["@cx"]) for dot in dots}, {middle})  # EMU128's: all in the band of ties
        self.assertIn("Not only near ties", finding("saturating-16-bit.html", MATMUL)[2])
        dom, _, text = finding("dropped-tail.html", MATMUL)
        self.assertIn("another kind", text)
        self.assertIn("left unwritten", dom.section("operators")["text"])
        self.assertIn("No element differs.", finding("right.html", ADD)[2])

    def test_filters(self):
        dom = self.dump("full.html", f"#operator={MATMUL}")
        self.assertEqual([card["@data-operator"] for card in dom.find(css="operator-card")], [MATMUL])
        self.assertEqual(len(dom.find(dom.section("matrix"), css="operator")), 1)
        self.assertEqual(dom.find(css="failure"), [])
        self.assertEqual([row["@data-mutant"] for row in dom.find(dom.section("mutants"), tag="tr") if "@data-mutant" in row], ["survivor"])
        dom = self.dump("full.html", "#target=AVX2")
        self.assertEqual([head["text"] for head in dom.find(dom.section("matrix"), scope="col")], ["AVX2"])
        self.assertEqual(dom.find(css="failure"), [])
        dom = self.dump("full.html", "#target=EMU128&outcome=failed")
        self.assertEqual([card["@data-operator"] for card in dom.find(css="operator-card")], [ADD])
        self.assertTrue(dom.find(css="failure"))
        self.assertEqual({failure["@data-target"] for failure in dom.find(css="failure")}, {"EMU128"})
        dom = self.dump("full.html", "#text=AR-08")
        self.assertEqual({row["@data-clause"] for row in dom.find(dom.section("clauses"), tag="tr") if "@data-clause" in row}, {"AR-08"})
        dom = self.dump("full.html", "#outcome=absent&operator=nothing")
        self.assertIn("Nothing is selected", dom.section("matrix")["text"])

    def test_using_the_page(self):
        """Clicks through the page as a reader would: a filter, a field of the matrix, copying, printing."""
        with open(self.path("full.html"), encoding="utf-8") as file:
            page = file.read()
        script = """<script>(async () => {
          const wait = () => new Promise((done) => setTimeout(done, 100));
          const log = [];
          const note = (name, value) => log.push(name + '=' + value);
          const target = document.querySelector('select[name=target]');
          target.value = 'AVX2'; target.dispatchEvent(new Event('change')); await wait();
          note('columns', document.querySelectorAll('#matrix th[scope=col]').length);
          note('kept', document.querySelector('select[name=target]').value);
          document.querySelector('#filters button').click(); await wait();
          note('columns', document.querySelectorAll('#matrix th[scope=col]').length);
          document.querySelector('.cell.bad').click(); await wait();
          note('cards', document.querySelectorAll('.operator-card').length);
          const text = document.querySelector('input[name=text]');
          text.value = 'no such case'; text.dispatchEvent(new Event('change')); await wait();
          note('failures', document.querySelectorAll('.failure').length);
          document.querySelector('#filters button').click(); await wait();
          const button = document.querySelector('.copyable button');
          button.click();
          for (let i = 0; i < 10 && button.textContent === 'copy'; ++i) await wait();
          note('copy', button.textContent);
          dispatchEvent(new Event('beforeprint'));
          note('closed', document.querySelectorAll('details:not([open])').length);
          dispatchEvent(new Event('afterprint'));
          note('open', document.querySelectorAll('details[open]').length);
          document.documentElement.dataset.log = log.join(' ');
        })();</script>"""
        with open(self.path("used.html"), "w", encoding="utf-8") as file:
            file.write(page.replace("</body>", script + "</body>"))
        root = self.dump("used.html").find(tag="html")[0]
        # Whether a page may use the clipboard is the browser's choice; that the reader is told is the page's.
        self.assertRegex(root["@data-log"], "^columns=1 kept=AVX2 columns=2 cards=1 failures=0 copy=(copied|cannot copy here) closed=0 open=0$")

    def test_markup_in_texts_stays_text(self):
        with open(self.path("half-away.json"), encoding="utf-8") as file:
            results = json.load(file)
        evil = "</script><script>document.documentElement.dataset.error = 'ran'</script><img src=x onerror=\"document.documentElement.dataset.error = 'ran'\">"
        for case in results["cases"]:
            case["title"] = case["file"] = evil
        results["filter"] = results["candidate"] = evil
        for evidence in results["evidence"]:
            evidence["explanation"] = evidence["repeat"] = evil
        with open(self.path("evil.json"), "w", encoding="utf-8") as file:
            json.dump(results, file)
        subprocess.run([PROGRAM, "report", self.path("evil.json"), f"--html={self.path('evil.html')}"], check=True)
        dom = self.dump("evil.html")
        self.assertEqual(dom.find(tag="img"), [])
        self.assertIn(evil, dom.section("failures")["text"])

    def test_unknown_extras_are_shown_as_they_are(self):
        with open(self.path("unknown.json"), "w", encoding="utf-8") as file:
            json.dump({"something": ["else"]}, file)
        subprocess.run([PROGRAM, "report", self.path("right.json"), f"--html={self.path('unknown.html')}", f"--mutants={self.path('unknown.json')}",
                        f"--speed={self.path('unknown.json')}"], check=True)
        dom = self.dump("unknown.html")
        for section in ("mutants", "speed"):
            self.assertIn('"something"', dom.section(section)["text"])

    def test_a_broken_page_says_so(self):
        with open(self.path("full.html"), encoding="utf-8") as file:
            page = file.read()
        with open(self.path("broken.html"), "w", encoding="utf-8") as file:
            file.write(page.replace('"groups":', '"no_groups":', 1))
        self.assertIn("@data-error", self.dump("broken.html", page_errors=True).find(tag="html")[0])

    def test_a_million_cases(self):
        subprocess.run([SAMPLES, "million", os.path.join(SOURCE, "testdata"), self.path("million.html")], check=True)
        size = os.path.getsize(self.path("million.html"))
        self.assertLess(size, 5_000_000)
        with open(self.path("empty.html"), "w", encoding="utf-8") as file:
            file.write('<!DOCTYPE html><html data-ready="1"><head></head><body></body></html>')
        # Processor time, less what a browser takes to start: wall time would measure what else the machine does.
        empty = self.processor_seconds("empty.html")
        seconds = self.processor_seconds("million.html") - empty
        print(f"\na million cases: {size / 1e6:.2f} MB, opened in {seconds:.2f} s of processor time", file=sys.stderr)
        self.assertLess(seconds, 2)

    def processor_seconds(self, name):
        before = os.times()
        self.dump(name)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
