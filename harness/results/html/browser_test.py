#!/usr/bin/env python3
"""Opens HTML reports in headless Chromium: every section renders, filters work, nothing errs, a million cases open fast.

usage: browser_test.py CHROMEDRIVER CHROMIUM PROGRAM SAMPLE_RESULTS SOURCE_FOLDER
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # the source folder stays as it is

from browser import Browser  # pylint: disable=wrong-import-position

CHROMEDRIVER, CHROMIUM, PROGRAM, SAMPLES, SOURCE = sys.argv[1:6]
ADD = "dml_element_wise_quantized_linear_add"
MATMUL = "dml_quantized_linear_matrix_multiply"
EXTRA_MUTANTS = {"schema": "mutants/1", "seed": 1, "survivors": 1, "sources": [{"name": "vectors", "cases": 9, "killed": 1, "percent": 50, "seconds": 1}],
                 "mutants": [{"operator": ADD, "name": "half-away", "description": "rounds halves away", "kills": {"vectors": "ties", "fuzz": None}},
                             {"operator": MATMUL, "name": "survivor", "description": "<b>survives</b>", "kills": {"vectors": None, "fuzz": None}}]}
EXTRA_SPEED = {"schema": "benchmark/1", "results": [{"problem": "add 1024", "unit": "G elements/s", "ratio_to_best_peer": 2.5, "ratio_to_best_peer_without_wrong_output": 3.5,
               "implementations": [{"implementation": "qconform", "speed": 10, "wrong": 0, "outputs": 64}, {"implementation": "peer", "speed": 4, "wrong": 3, "outputs": 64}]}]}
EXTRA_STAGES = [{"operator": ADD, "name": "sweep:add", "executed": 65536, "seconds": 0.5, "failures": ["at 3"], "distrust": [],
                 "targets": [{"target": "AVX2", "failed": 0, "status": "passed", "reason": ""}, {"target": "EMU128", "failed": 7, "status": "failed", "reason": "it expired"}]},
                {"operator": MATMUL, "name": "property:shift", "executed": 99, "seconds": 0.25, "failures": [], "distrust": [],
                 "targets": [{"target": "AVX2", "failed": 0, "status": "passed", "reason": ""}]}]
EXTRA_RATCHET = [{"operator": ADD, "types": "uint8+uint8->uint8", "target": "", "difference_unit": "integer", "permitted": "0", "recorded": 0, "observed": 1, "outcome": "worse"},
                 {"operator": MATMUL, "types": "int8+int8->int8", "target": "", "difference_unit": "integer", "permitted": "0", "recorded": 0, "observed": 0, "outcome": "equal"}]


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = cls.temporary.name
        for kind in ("right", "half-away", "dropped-tail", "saturating-16-bit"):
            subprocess.run([SAMPLES, kind, os.path.join(SOURCE, "testdata"), cls.path(kind + ".json")], check=True)
            cls.report(kind + ".json", kind + ".html")
        cls.write("mutants.json", EXTRA_MUTANTS)
        cls.write("speed.json", EXTRA_SPEED)
        with open(cls.path("half-away.json"), encoding="utf-8") as file:
            cls.write("gate.json", {**json.load(file), "stages": EXTRA_STAGES, "ratchet": EXTRA_RATCHET})
        cls.report("gate.json", "full.html", "compare=right.json", "mutants=mutants.json", "speed=speed.json")
        cls.browser = Browser(CHROMEDRIVER, CHROMIUM)
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def write(cls, name, value):
        with open(cls.path(name), "w", encoding="utf-8") as file:
            json.dump(value, file)

    @classmethod
    def report(cls, results, page, *options):
        options = [f"--{name}={cls.path(file)}" for name, file in (option.split("=") for option in options)]
        subprocess.run([PROGRAM, "report", cls.path(results), f"--html={cls.path(page)}", *options], check=True)

    def setUp(self):
        self.browser.size(1280, 900)
        self.browser.media()

    def open(self, page, fragment="", opened=True):
        """Loads a page; with everything in it opened, unless a test is about that."""
        self.browser.open(self.path(page), fragment)
        self.assertIsNone(self.browser.run("return document.documentElement.dataset.error"))
        if opened:
            self.browser.run("dispatchEvent(new Event('beforeprint'))")

    def tearDown(self):
        if self.browser.run("return location.protocol") == "file:":
            self.assertEqual(self.browser.console(), [])

    def texts(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)", selector)

    def text(self, selector):
        found = self.texts(selector)
        self.assertTrue(found, selector)
        return found[0]

    def count(self, selector):
        return len(self.texts(selector))

    def attributes(self, selector, name):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map((node) => node.getAttribute(arguments[1]))", selector, name)

    def test_every_section_renders(self):
        self.open("full.html")
        for identifier in ("verdict", "matrix", "not-run", "filters", "comparison", "operators", "failures", "gate", "clauses", "mutants", "speed", "quality", "setup"):
            text = self.text("#" + identifier)
            self.assertNotIn("undefined", text, identifier)
            self.assertNotIn("[object", text, identifier)
            self.assertNotIn("NaN", re.sub("NaN on one|NaN stays|NaN", "", text) if identifier in ("clauses", "operators") else text)
        self.assertIn("does not conform", self.text("#verdict"))
        self.assertIn(f"Fails: {ADD} on EMU128.", self.text("#verdict"))
        self.assertEqual(self.count("#operators .histogram"), 2)
        self.assertEqual(self.count("#operators .scatter"), 2)
        self.assertTrue(self.count("#operators .histogram rect.zero"))
        self.assertIn("By target: AVX2\u00a00, EMU128\u00a0", self.text("#operators .histogram .finding"))
        self.assertIn("<b>survives</b>", self.text("#mutants"))
        self.assertIn("1 of 2 faulty implementations are found", self.text("#mutants"))
        self.assertEqual(self.attributes("#mutants tbody tr:first-child td[data-label=vectors] .cell", "class"), ["cell good", "cell none"])
        self.assertIn("2.50 ×", self.text("#speed"))
        self.assertIn("3 of 64 wrong", self.text("#speed"))
        self.assertIn("passed → ", self.text("#comparison"))
        self.assertIn(f"Fails: {ADD} on EMU128: sweep:add.", self.text("#verdict"))
        self.assertIn(f"Larger differences: {ADD} on all targets, uint8+uint8 → uint8: 1 instead of 0.", self.text("#verdict"))
        self.assertEqual(self.texts("#gate tr td:last-child > *"), ["✓ passed on AVX2", "✗ failed on EMU128it expired", "✓ passed", "✗ worse", "✓ equal"])
        self.assertEqual(self.texts("#gate summary"), ["1 passed on every target", "1 as recorded"])
        self.assertIn("at 3", self.text("#gate"))
        worst = self.text("#operators .worst")
        self.assertIn("exactly at a tie", worst)
        self.assertIn("qconform run ", worst)
        self.assertIn('"schema": "test_vector/1"', worst)
        self.assertIn("distance to nearest tie", worst)
        self.assertGreater(self.count("#clauses tr"), 20)

    def test_first_screen(self):
        """Verdict, matrix and what was not run are seen without scrolling; on a phone at least where they begin."""
        for width, height in ((1280, 900), (390, 844)):
            self.browser.size(width, height)
            self.open("full.html", opened=False)
            for selector in ("#verdict h1", "#matrix .cell.bad", "#not-run li"):
                with self.subTest(width=width, selector=selector):
                    place = self.browser.run("const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]", selector)
                    self.assertGreaterEqual(min(place), 0)
                    self.assertLessEqual(place[2], width)
                    self.assertLessEqual(place[3], height)
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), self.browser.run("return document.documentElement.clientWidth"))

    def test_dark_and_printed(self):
        ground = "return getComputedStyle(document.body).backgroundColor"
        self.open("full.html", opened=False)
        light = self.browser.run(ground)
        self.browser.media(scheme="dark")
        dark = self.browser.run(ground)
        self.browser.media(media="print", scheme="dark")
        printed = self.browser.run(ground)
        brightness = [sum(int(value) for value in re.findall(r"\d+", colour)[:3]) / 765 for colour in (light, dark, printed)]
        self.assertGreater(brightness[0], 0.9)
        self.assertLess(brightness[1], 0.15)
        self.assertEqual(brightness[2], 1)
        self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('#filters')).display"), "none")

    def test_matrix_names_the_outcome_in_words(self):
        self.open("half-away.html")
        row = "#matrix tr.operator:nth-child(1) "
        self.assertEqual(self.text(row + "th"), ADD)
        self.assertEqual(self.attributes(row + ".cell", "data-outcome"), ["passed", "failed"])
        passed, failed = self.texts(row + ".cell")
        self.assertRegex(passed, r"^✓ \d+$")
        self.assertRegex(failed, r"^✗ \d+ of \d+$")
        self.assertIn("No case of aclnn_quant_grouped_matmul_dequant was run.", self.text("#not-run"))

    def test_what_is_shown_is_what_was_counted(self):
        for kind in ("right", "half-away", "dropped-tail", "saturating-16-bit"):
            with open(self.path(kind + ".json"), encoding="utf-8") as file:
                groups = json.load(file)["groups"]
            cells, elements = {}, [0, 0]
            for group in groups:
                cell = cells.setdefault((group["operator"], group["target"]), [0, 0])
                cell[0] += group["cases"].get("failed", 0)
                cell[1] += sum(group["cases"].values())
                elements[0] += sum(group["elements"].values())
                elements[1] += group["elements"]["wrong"]
            self.open(kind + ".html", opened=False)
            columns = self.texts("#matrix th[scope=col]")
            shown = {}
            for place, operator in enumerate(self.texts("#matrix tr.operator th")):
                for column, text in enumerate(self.browser.run("return [...document.querySelectorAll('#matrix tr.operator')[arguments[0]].querySelectorAll('.cell')].map((cell) => cell.textContent)", place)):
                    numbers = [int(number.replace(",", "")) for number in re.findall(r"[\d,]+", text)]
                    shown[operator, columns[column]] = numbers if text.startswith("✗") else [0, *numbers]
            self.assertEqual(shown, cells)
            failed, cases = (sum(cell[i] for cell in cells.values()) for i in range(2))
            self.assertIn(f"{cases - failed:,} of {cases:,} cases passed (each once per target), {elements[0]:,} elements: {elements[1]:,} wrong", self.text("#verdict"))
            self.assertEqual(self.text("#failures h2"), f"Cases that did not pass {failed:,}")

    def finding(self, page, operator):
        self.open(page)
        return self.text(f"[data-operator={operator}].operator-card .scatter .finding")

    def test_scatter_tells_rounding_from_other_faults(self):
        self.assertIn("Only at ties", self.finding("half-away.html", ADD))
        scatter = f"[data-operator={ADD}].operator-card .scatter "
        band = [float(self.attributes(scatter + "rect.tie", name)[0]) for name in ("x", "width")]
        dots = self.attributes(scatter + "circle.t1", "cx")
        self.assertTrue(dots)
        self.assertEqual({float(dot) for dot in dots}, {band[0] + band[1] / 2})  # EMU128's: all in the band of ties
        self.assertIn("Not only near ties", self.finding("saturating-16-bit.html", MATMUL))
        self.assertRegex(self.finding("dropped-tail.html", MATMUL), r"another kind: \d+ elements left unwritten\.")
        self.assertIn("wrong ones have none", self.text("#operators"))
        self.assertIn("No element differs.", self.finding("right.html", ADD))

    def test_filters(self):
        self.open("full.html", f"#operator={MATMUL}")
        self.assertEqual(self.attributes(".operator-card", "data-operator"), [MATMUL])
        self.assertEqual(self.count("#matrix tr.operator"), 1)
        self.assertEqual(self.count(".failure"), 0)
        self.assertEqual(self.count("#gate tbody tr"), 2)
        self.assertEqual(self.attributes("#mutants [data-mutant]", "data-mutant"), ["survivor"])
        self.open("full.html", "#target=AVX2")
        self.assertEqual(self.texts("#matrix th[scope=col]"), ["AVX2"])
        self.assertEqual(self.count(".failure"), 0)
        self.open("full.html", "#target=EMU128&outcome=failed")
        self.assertEqual(self.attributes(".operator-card", "data-operator"), [ADD])
        self.assertTrue(self.count(".failure"))
        self.assertEqual(set(self.attributes(".failure", "data-target")), {"EMU128"})
        self.open("full.html", "#text=AR-08")
        self.assertEqual(set(self.attributes("#clauses [data-clause]", "data-clause")), {"AR-08"})
        self.open("full.html", "#outcome=absent&operator=nothing")
        self.assertIn("Nothing is selected", self.text("#matrix"))

    def act(self, script):
        """Does what a reader does, and waits for the page to answer."""
        self.browser.run_async(script + "; await new Promise((done) => setTimeout(done, 50)); return null;")

    def test_using_the_page(self):
        self.open("full.html", opened=False)
        self.act("const target = document.querySelector('select[name=target]'); target.value = 'AVX2'; target.dispatchEvent(new Event('change'))")
        self.assertEqual(self.count("#matrix th[scope=col]"), 1)
        self.assertEqual(self.browser.run("return document.querySelector('select[name=target]').value"), "AVX2")
        self.act("document.querySelector('#show-all').click()")
        self.assertEqual(self.count("#matrix th[scope=col]"), 2)
        self.act("document.querySelector('.cell.bad').click()")
        self.assertEqual(self.count(".operator-card"), 1)
        self.act("const text = document.querySelector('input[name=text]'); text.value = 'no such case'; text.dispatchEvent(new Event('change'))")
        self.assertEqual(self.count(".failure"), 0)
        self.act("document.querySelector('#show-all').click()")
        self.assertTrue(self.count(".failure"))
        self.act("[...document.querySelectorAll('#filters nav button')].find((button) => button.textContent === 'Clauses').click()")
        self.assertLess(abs(self.browser.run("return document.querySelector('#clauses').getBoundingClientRect().top")), 200)
        # What is closed is built when it is opened, and all of it for paper.
        self.assertEqual(self.count("#failures pre"), 0)
        self.act("document.querySelector('.failure summary').click()")
        self.assertTrue(self.count(".failure:first-of-type pre"))
        self.act("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.count("details:not([open])"), 0)
        self.assertGreater(self.count("#failures pre"), self.count(".failure:first-of-type pre"))
        self.act("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.count("details[open]"), 2)  # the failure, and the mutants that survive

    def test_copying(self):
        self.open("full.html")
        self.browser.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        button = "#operators .copyable:nth-of-type(2) button"
        self.act(f"document.querySelector('{button}').click()")
        self.assertEqual(self.text(button), "copied")
        copied = self.browser.run_async("return await navigator.clipboard.readText()")
        # What was copied is a file of test vectors as it stands.
        with open(self.path("copied.json"), "w", encoding="utf-8") as file:
            file.write(copied)
        subprocess.run([PROGRAM, "run", self.path("copied.json")], check=True, capture_output=True)

    def test_markup_in_texts_stays_text(self):
        with open(self.path("half-away.json"), encoding="utf-8") as file:
            results = json.load(file)
        evil = "</script><script>document.documentElement.dataset.error = 'ran'</script><img src=x onerror=\"document.documentElement.dataset.error = 'ran'\">"
        for case in results["cases"]:
            case["title"] = case["file"] = evil
        results["filter"] = results["candidate"] = evil
        for evidence in results["evidence"]:
            evidence["explanation"] = evidence["repeat"] = evil
        self.write("evil.json", results)
        self.report("evil.json", "evil.html")
        self.open("evil.html")
        self.assertEqual(self.count("img"), 0)
        self.assertIn(evil, self.text("#failures"))
        self.assertIsNone(self.browser.run("return document.documentElement.dataset.error"))

    def test_unknown_extras_are_shown_as_they_are(self):
        self.write("unknown.json", {"something": ["else"]})
        self.report("right.json", "unknown.html", "mutants=unknown.json", "speed=unknown.json")
        self.open("unknown.html")
        for section in ("#mutants", "#speed"):
            self.assertIn('"something"', self.text(section))

    def test_a_broken_page_says_so(self):
        with open(self.path("full.html"), encoding="utf-8") as file:
            page = file.read()
        with open(self.path("broken.html"), "w", encoding="utf-8") as file:
            file.write(page.replace('"groups":', '"no_groups":', 1))
        self.browser.open(self.path("broken.html"))
        self.assertIsNotNone(self.browser.run("return document.documentElement.dataset.error"))
        self.assertIn("This page is broken", self.text("body"))
        self.assertNotEqual(self.browser.console(), [])

    def test_a_million_cases(self):
        subprocess.run([SAMPLES, "million", os.path.join(SOURCE, "testdata"), self.path("million.html")], check=True)
        megabytes = os.path.getsize(self.path("million.html")) / 1e6
        # From the request to the second frame with everything laid out, told but not held to a limit: it is the machine's time too. What
        # makes a page slow is its size and the number of its elements, and those are the same everywhere.
        start = time.monotonic()
        self.browser.call("POST", "/url", {"url": "file://" + self.path("million.html")})
        self.browser.run_async("document.body.getBoundingClientRect(); for (let i = 0; i < 2; ++i) await new Promise(requestAnimationFrame); return null;")
        print(f"\na million cases: {megabytes:.2f} MB, {self.count('*')} elements, opened in {time.monotonic() - start:.2f} s", file=sys.stderr)
        self.assertIn("1,000,000 cases", self.text("#verdict"))
        self.assertLess(megabytes, 5)
        self.assertLess(self.count("*"), 20000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
