#!/usr/bin/env python3
"""Holds every view of the same results against the JSON, count by count, and tries the report command.

usage: views_agree_test.py PROGRAM SAMPLE_RESULTS SOURCE_FOLDER
"""

import collections
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import jsonschema

PROGRAM, SAMPLES, SOURCE = sys.argv[1:4]
ADD = "dml_element_wise_quantized_linear_add"
MATMUL = "dml_quantized_linear_matrix_multiply"
KINDS = {"right": 0, "half-away": 1, "dropped-tail": 1, "saturating-16-bit": 1}
JUNIT = {"failed": "failure", "unexpected-pass": "failure", "crashed": "error", "timed-out": "error",
         "mistrusted": "error", "unsupported": "skipped", "expected-failure": "skipped"}


def page_data(page):
    """The data that an HTML report carries."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))


def count_cases(results):
    """Statuses by operator and target, from the list of cases alone."""
    counts = collections.defaultdict(collections.Counter)
    for case in results["cases"]:
        for target in case["targets"]:
            counts[case["operator"], target["target"]][target["status"]] += 1
    return counts


class ViewsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        for kind in KINDS:
            subprocess.run([SAMPLES, kind, os.path.join(SOURCE, "testdata"), cls.path(kind + ".json")], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def results(self, kind):
        return json.loads(self.read(kind + ".json"))

    def write(self, name, results):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(results, file)
        return self.path(name)

    def report(self, code, *arguments):
        result = subprocess.run([PROGRAM, "report", *arguments], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, code, f"{arguments}\n{result.stdout}\n{result.stderr}")
        return result

    def all_views(self, file, *more):
        self.report(0, file, f"--html={self.path('a.html')}", f"--junit={self.path('a.xml')}", f"--markdown={self.path('a.md')}",
                    f"--json={self.path('a.json')}", *more)
        return page_data(self.read("a.html")), ElementTree.fromstring(self.read("a.xml")), self.read("a.md")

    def test_samples_are_what_they_say(self):
        with open(os.path.join(SOURCE, "spec/schema/results.schema.json"), encoding="utf-8") as file:
            validator = jsonschema.Draft7Validator(json.load(file))
        for kind, code in KINDS.items():
            results = self.results(kind)
            validator.validate(results)
            self.assertEqual(results["exit_code"], code, kind)
            bad = {(g["operator"], g["target"]) for g in results["groups"] if g["cases"].get("failed")}
            culprit = {"right": None, "half-away": ADD}.get(kind, MATMUL)
            self.assertEqual(bad, {(culprit, "EMU128")} if culprit else set(), kind)
        # Rounding halves away is wrong at ties and nowhere else.
        samples = [s for g in self.results("half-away")["groups"] for s in g["samples"]]
        self.assertGreater(len(samples), 10)
        self.assertEqual({distance for distance, _ in samples}, {0})
        self.assertLess(0, max(d for g in self.results("saturating-16-bit")["groups"] for d, _ in g["samples"]))

    def test_every_view_counts_alike(self):
        for kind in KINDS:
            with self.subTest(kind):
                results = self.results(kind)
                page, junit, markdown = self.all_views(self.path(kind + ".json"))
                self.assertEqual(self.read("a.json"), self.read(kind + ".json"))
                counts = count_cases(results)
                totals = sum(counts.values(), collections.Counter())
                elements = collections.Counter()
                for case in results["cases"]:
                    for target in case["targets"]:
                        elements.update(target["elements"])
                self.check_page(page, results, counts, totals, elements)
                self.check_junit(junit, results, counts, totals)
                self.check_markdown(markdown, counts, totals, elements)
                self.check_console(self.report(0, self.path(kind + ".json")).stdout, results, counts)

    def check_page(self, page, results, counts, totals, elements):
        self.assertEqual(page["totals"], {"cases": dict(totals), "elements": dict(elements)})
        by_cell = collections.defaultdict(collections.Counter)
        for group in page["groups"]:
            by_cell[group["operator"], group["target"]].update(group["cases"])
        self.assertEqual(by_cell, counts)
        for own, group in zip(results["groups"], page["groups"]):
            self.assertEqual(sum(b["count"] for b in own["histogram"]), sum(count for _, _, count in group["histogram"]))
            self.assertEqual(len(own["samples"]), sum(point[2] for point in group["points"]))
            self.assertEqual(own["facts"], group["facts"])
        bad = totals["failed"]
        self.assertEqual(len(page["failures"]) + page["failures_unlisted"], bad)
        self.assertEqual(page["clauses"], results["clauses"])
        self.assertEqual(page["verdict"]["exit_code"], results["exit_code"])
        self.assertEqual(page["setup"]["commit"], results["build"]["commit"])

    def check_junit(self, junit, results, counts, totals):
        expected = collections.Counter({"tests": sum(totals.values()) + 1})
        for status, count in totals.items():
            if status in JUNIT:
                expected[JUNIT[status]] += count
        self.assertEqual(int(junit.get("tests")), expected["tests"])
        self.assertEqual(int(junit.get("failures")), expected["failure"])
        self.assertEqual(int(junit.get("errors")), expected["error"] + bool(results["distrust"] or results["broken"]))
        self.assertEqual(int(junit.get("skipped")), expected["skipped"])
        suites = {suite.get("name"): suite for suite in junit}
        self.assertEqual(len(suites), len(counts) + 1)
        for (operator, target), statuses in counts.items():
            suite = suites[f"{operator} on {target}"]
            self.assertEqual(int(suite.get("tests")), sum(statuses.values()))
            self.assertEqual(len(suite.findall("testcase")), sum(statuses.values()))
            self.assertEqual(len(suite.findall("testcase/failure")), int(suite.get("failures")))
            self.assertEqual(int(suite.get("failures")), statuses["failed"])

    def check_markdown(self, markdown, counts, totals, elements):
        numbers = re.search(r"(\d+) cases((?:, \d+ [a-z-]+)*) \(each case once per target\)\. Elements: (\d+) exact, "
                            r"(\d+) explained, (\d+) wrong, (\d+) preserved", markdown)
        self.assertEqual(int(numbers.group(1)), sum(totals.values()))
        listed = {name: int(count) for count, name in re.findall(r"(\d+) ([a-z-]+)", numbers.group(2))}
        self.assertEqual(listed, dict(totals))
        self.assertEqual([int(n) for n in numbers.groups()[2:]], [elements[n] for n in ("exact", "explained", "wrong", "preserved")])
        head = re.search(r"^\| operator \|(.*)\|$", markdown, re.MULTILINE).group(1).split("|")
        for (operator, target), statuses in counts.items():
            escaped = operator.replace("_", "\\_")
            row = next(line for line in markdown.splitlines() if line.startswith(f"| {escaped} |"))
            cell = row.split("|")[2:][[name.strip() for name in head].index(target)]
            found = [int(n) for n in re.findall(r"\d+", cell)]
            self.assertEqual(found, [statuses["failed"], sum(statuses.values())] if statuses["failed"] else [statuses["passed"]])

    def check_console(self, console, results, counts):
        elements = collections.defaultdict(collections.Counter)
        for group in results["groups"]:
            elements[group["operator"], group["target"]].update(group["elements"])
        for (operator, target), statuses in counts.items():
            row = re.search(rf"^{operator} +{target} +(.*)$", console, re.MULTILINE).group(1).split()
            expected = [statuses[name] for name in ("passed", "failed", "unsupported")]
            expected += [elements[operator, target][name] for name in ("exact", "explained", "wrong", "preserved")]
            self.assertEqual([int(number) for number in row], expected)

    def test_markup_in_texts_stays_text(self):
        results = self.results("half-away")
        evil = "</script><script>document.title='broken'</script><img src=x> | `` ]]> &amp; \u0001"
        for case in results["cases"]:
            case["title"] = evil
            case["file"] = evil
            case["id"] += evil
        for group in results["groups"]:
            for worst in group["worst"]:
                worst["id"] += evil
        results["candidate"] = evil
        page, junit, markdown = self.all_views(self.write("evil.json", results))
        self.assertEqual(page["failures"][0]["title"], evil)
        html = self.read("a.html")
        self.assertNotIn("<script>document", html)
        self.assertNotIn("<img", html)
        self.assertTrue(any("<img src=x>" in case.get("name") for case in junit.iter("testcase")))
        self.assertNotRegex(re.sub(r"(`+).*?\1", "", markdown), "<script|<img")

    def test_page_needs_no_network(self):
        self.all_views(self.path("half-away.json"))
        page = re.sub(r'<script type="application/json".*?</script>', "", self.read("a.html"), flags=re.DOTALL)
        self.assertEqual(set(re.findall(r"https?://[^\s'\"]*", page)), {"http://www.w3.org/2000/svg"})
        self.assertNotRegex(page, r'@import|\bsrc=|url\(|fetch\(|<link (?!rel="icon" href="data:,")')

    def test_shards_are_merged_or_refused(self):
        whole = self.results("half-away")
        shards = []
        for part in (0, 1):
            shard = copy.deepcopy(whole)
            shard["cases"] = [c for c in whole["cases"] if (c["operator"] == ADD) == bool(part)]
            for name in ("groups", "evidence", "quotas", "clauses"):
                shard[name] = [g for g in whole[name] if (g["operator"] == ADD) == bool(part)]
            shard["shard"] = {"index": part + 1, "count": 2}
            shards.append(self.write(f"shard{part}.json", shard))
        page, _, _ = self.all_views(shards[0], shards[1])
        self.assertEqual(page["totals"]["cases"], dict(sum(count_cases(whole).values(), collections.Counter())))
        self.assertEqual(page["verdict"]["exit_code"], 1)
        self.assertIn("is in two results", self.report(2, shards[0], shards[0]).stderr)
        other = json.loads(self.read("shard1.json"))
        other["build"]["commit"] = "0" * 40
        self.assertIn("commit", self.report(2, shards[0], self.write("other.json", other)).stderr)

    def test_comparison(self):
        page, _, markdown = self.all_views(self.path("half-away.json"), f"--compare={self.path('right.json')}")
        failed = sum(count_cases(self.results("half-away")).values(), collections.Counter())["failed"]
        self.assertEqual(page["comparison"]["transitions"], [["passed", "failed", failed]])
        self.assertIn(f"- {failed} cases: passed → failed", markdown)
        page, _, markdown = self.all_views(self.path("right.json"), f"--compare={self.path('right.json')}")
        self.assertTrue(page["comparison"]["empty"])
        self.assertIn("Nothing changed", markdown)

    def test_results_of_fuzzing(self):
        # In a pipeline fuzzing ends at the first failure; here it must not, wherever the test runs.
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        for candidate, code in (("builtin", 0), (f"mutant:{ADD}/half-away", 1)):
            result = subprocess.run([PROGRAM, "fuzz", "--cases=300", "--seed=1", f"--operator={ADD}", f"--candidate={candidate}", "--no-save",
                                     f"--json={self.path('fuzz.json')}"], capture_output=True, text=True, timeout=300, check=False,
                                    env=environment)
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
            page, _, _ = self.all_views(self.path("fuzz.json"))
            self.assertEqual(page["totals"]["cases"].get("failed", 0), len(self.results("fuzz")["cases"]))
            self.assertGreater(page["totals"]["cases"]["passed"], 10)
            self.assertEqual(len(page["evidence"]), len(page["failures"]))
            self.assertEqual(page["setup"]["seed"], "1")

    def test_extras_and_bad_usage(self):
        extra = self.write("extra.json", {"mutants": []})
        page, _, _ = self.all_views(self.path("right.json"), f"--mutants={extra}", f"--speed={extra}")
        self.assertEqual(page["mutants"], {"mutants": []})
        with open(self.path("no.json"), "w", encoding="utf-8") as file:
            file.write("{")
        right = self.path("right.json")
        for arguments, message in (
                ([], "results is required"), ([self.path("missing")], "missing"), ([self.path("no.json")], "is not JSON"),
                ([right, f"--compare={self.path('no.json')}"], "is not JSON"), ([right, "--html=-", f"--speed={self.path('no.json')}"], "is not JSON"),
                ([right, "--html=-", f"--mutants={self.path('missing')}"], "missing"), ([right, "--html=/no/such/folder/a"], "cannot be written"),
                ([right, f"--html={right}"], "the same file is read"),
                ([right, "--html=-", "--junit=-"], "the same file is written as --html"),
                ([right, f"--html={self.path('not.html')}", "--junit=/no/such/folder/a"], "cannot be written"),
                ([self.write("old.json", {"schema": "results/1"})], 'found "results/1"')):
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.report(2, *arguments).stderr)
        self.assertIn("conforms (exit code 0)", self.report(0, right).stdout)
        self.assertIn("## ✅ qconform: conforms", self.report(0, right, "--markdown=-").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
