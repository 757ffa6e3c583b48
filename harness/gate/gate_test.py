#!/usr/bin/env python3
"""Runs qconform gate, qconform run --shard and qconform merge end to end.

usage: gate_test.py PROGRAM SOURCE_FOLDER
"""

import copy
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

import jsonschema

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from program_testing import ADD, TENSORFLOW, FolderTest, add_case, tensorflow_case  # pylint: disable=wrong-import-position

PROGRAM, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
MATMUL = "dml_quantized_linear_matrix_multiply"
GROUPED = "aclnn_quant_grouped_matmul_dequant"
HALF_AWAY = f"mutant:{ADD}/half-away"


def known_failure(**changes):
    entry = {"operator": ADD, "case": "ties", "reason": "half away", "link": "https://example.org/1",
             "expires": "2026-06-15"}
    entry.update(changes)
    return {key: value for key, value in entry.items() if value is not None}


def without_times(results):
    results = copy.deepcopy(results)
    for key in ("started", "wall_seconds"):
        del results[key]
    for stage in results["stages"]:
        del stage["seconds"]
    return results


class GateTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.quotas = self.write_json({"schema": "quotas/1", "quotas": {}}, "no_quotas")

    def baseline(self, known_failures=(), differences=(), name="baseline"):
        return self.write_json({"schema": "baseline/1", "known_failures": list(known_failures),
                                "differences": list(differences)}, name)

    def results(self, name="results.json"):
        with open(os.path.join(SOURCE, "spec/schema/results.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        results = json.loads(self.read(name))
        jsonschema.Draft7Validator(schema).validate(results)
        return results

    def expect(self, code, *arguments, **environment):
        variables = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
        variables.update(environment)
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=1500, check=False,
                                cwd=self.folder, env=variables)
        self.assertEqual(result.returncode, code, f"{arguments}\n{result.stdout}\n{result.stderr}")
        return result

    def gate(self, code, *arguments, quotas=True, sweeps=False, **environment):
        # Sweeps take by far the longest, so that only tests of their own have them.
        if not sweeps:
            arguments = (*arguments, "--no-sweeps")
        if quotas:
            arguments = (*arguments, f"--quotas={self.quotas}")
        return self.expect(code, "gate", *arguments, "--date=2026-06-15", f"--json={self.path('results.json')}",
                           **environment)

    # What a broken kernel looks like

    def test_a_fault_on_one_target_fails_and_is_named(self):
        machine = self.expect(0, "list").stdout.split("targets of this machine:\n")[1].split()
        target = machine[-1]
        for operator, fault in ((ADD, "half-away"), (ADD, "last-element-dropped"),
                                (MATMUL, "int16-products-saturate")):
            with self.subTest(fault):
                vectors = os.path.join(SOURCE, "testdata", operator)
                summary = self.path(f"summary-{fault}.md")
                result = self.gate(1, vectors, f"--candidate=mutant:{operator}/{fault}@{target}", "--level=exact",
                                   "--cases=60", GITHUB_STEP_SUMMARY=summary, GITHUB_ACTIONS="true")
                results = self.results()
                self.assertEqual(results["targets"]["run"], machine)
                failed = {(group["operator"], group["target"])
                          for group in results["groups"] if group["cases"].get("failed", 0) > 0}
                self.assertEqual(failed, {(operator, target)})
                self.assertIn(f"::error file={vectors}/", result.stdout.replace("%2C", ","))
                self.assertIn(f"title={operator} failed on {target}::", result.stdout)
                with open(summary, encoding="utf-8") as file:
                    text = file.read()
                first_screen = text[:text.index("### Failures")]
                self.assertIn("does not conform", first_screen)
                self.assertRegex(first_screen, rf"\| {operator.replace('_', '.?_')} \|.*❌")
                if fault == "half-away":
                    for group in results["groups"]:
                        self.assertTrue(all(distance == 0 for distance, difference in group["samples"]))

    def test_generated_cases_that_fail_are_saved_and_repeat(self):
        result = self.gate(1, self.write([add_case("even", (2, 4))]), f"--candidate={HALF_AWAY}", "--cases=200",
                           "--failures=saved")
        self.assertIn(f"generated cases that failed: saved/{ADD}.json", result.stdout)
        self.expect(0, "format", "--check", f"saved/{ADD}.json")
        self.expect(1, "run", f"saved/{ADD}.json", f"--candidate={HALF_AWAY}")
        self.expect(0, "run", f"saved/{ADD}.json", f"--candidate=mutant:{ADD}/")
        repeat = re.search(r"repeat:  qconform (.*)", result.stdout).group(1).split()
        self.expect(1, *repeat)

    # Known failures

    def test_known_failures(self):
        vectors = self.write([add_case(), add_case("even", (2, 4))])
        wrong = (vectors, f"--candidate={HALF_AWAY}", "--cases=0")
        right = (vectors, f"--candidate=mutant:{ADD}/", "--cases=0")
        self.gate(1, *wrong)
        result = self.gate(0, *wrong, f"--baseline={self.baseline([known_failure()])}")
        self.assertIn("warning: known failure", result.stdout)  # its last day
        self.assertIn("known failure until 2026-06-15: half away (https://example.org/1)", result.stdout)
        results = self.results()
        statuses = {case["id"]: case["targets"][0]["status"] for case in results["cases"] if case["targets"]}
        self.assertEqual(statuses["ties"], "expected-failure")
        self.gate(0, *wrong, f"--baseline={self.baseline([known_failure(targets=['scalar'])])}")
        # on a target that does not run it excuses nothing
        self.gate(1, *wrong, f"--baseline={self.baseline([known_failure(targets=['AVX2'])])}")
        expired = self.baseline([known_failure(expires="2026-06-14")])
        self.assertIn("the known failure expired on 2026-06-14", self.gate(1, *wrong, f"--baseline={expired}").stdout)
        passes = self.gate(1, *right, f"--baseline={self.baseline([known_failure()])}")
        self.assertIn("unexpected-pass", passes.stdout)
        self.assertIn("remove it from", passes.stdout)
        self.gate(0, *right, f"--baseline={self.baseline()}")

    def test_known_failures_of_sweeps_and_properties(self):
        vectors = self.write([add_case("even", (2, 4))])
        targets = self.expect(0, "list").stdout.split("targets of this machine:\n")[1].split()[-2:]
        target = targets[-1]
        wrong = (vectors, f"--candidate={HALF_AWAY}@{target}", "--cases=0", f"--targets={','.join(targets)}")
        result = self.gate(1, *wrong, sweeps=True)
        self.assertIn(f"{ADD} sweep:add: ", result.stdout)
        self.assertIn(f"compared, failed on {target}\n", result.stdout)
        entry = known_failure(case="sweep:add", targets=[target])
        self.gate(0, *wrong, f"--baseline={self.baseline([entry])}", sweeps=True)
        status = {t["target"]: t["status"] for t in self.results()["stages"][-1]["targets"]}
        self.assertEqual([t for t in status if status[t] == "expected-failure"], [target])
        self.assertIn("unexpected-pass on", self.gate(
            1, *wrong, f"--baseline={self.baseline([known_failure(case='sweep:add')])}", sweeps=True).stdout)
        self.assertIn("is stale", self.gate(
            2, *wrong, f"--baseline={self.baseline([known_failure(case='sweep:float16')])}").stderr)
        mutant = f"--candidate=mutant:{ADD}/a-scale-for-both"
        self.assertIn("property:swap-operands: ", self.gate(1, vectors, mutant, "--cases=60").stdout)

    def test_bad_baselines(self):
        vectors = self.write([add_case()])
        difference = {"operator": ADD, "types": "uint8+uint8->uint8", "unit": "integer", "permitted": "0",
                      "observed": 0}
        for name, entries, message in (
                ("stale", {"known_failures": [known_failure(case="gone")]}, "/gone is stale"),
                ("stale types", {"differences": [{**difference, "types": "int4"}]}, "int4 is stale"),
                ("no reason", {"known_failures": [known_failure(reason=None)]}, "has no reason"),
                ("no day", {"known_failures": [known_failure(expires="soon")]}, "must be a day"),
                ("operator", {"known_failures": [known_failure(operator="softmax")]}, "no operator \"softmax\""),
                ("target", {"known_failures": [known_failure(targets=["AVX9"])]}, "no target AVX9"),
                ("twice", {"known_failures": [known_failure(), known_failure()]}, "stands twice"),
                ("too much", {"differences": [{**difference, "observed": 1}]}, "none is permitted"),
                ("key", {"more": 1}, "more")):
            with self.subTest(name):
                value = {"schema": "baseline/1", "known_failures": [], "differences": [], **entries}
                result = self.gate(2, vectors, "--cases=0", f"--baseline={self.write_json(value, 'bad.json')}")
                self.assertIn(message, result.stderr)
                self.assertIn("bad.json", result.stderr)
                self.assertEqual(result.stdout, "")
        with open(self.path("bad.json"), "w", encoding="utf-8") as file:
            file.write("{\"schema\"")
        self.assertIn("bad.json", self.gate(2, vectors, "--cases=0", "--baseline=bad.json").stderr)
        self.assertIn("--update-observed makes one", self.gate(2, vectors, "--baseline=none.json").stderr)

    def test_the_schema_of_baselines(self):
        with open(os.path.join(SOURCE, "spec/schema/baseline.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        with open(os.path.join(SOURCE, "harness/gate/baseline.json"), encoding="utf-8") as file:
            validator.validate(json.load(file))
        good = {"schema": "baseline/1", "known_failures": [known_failure(targets=["AVX2"])], "differences": [
            {"operator": TENSORFLOW, "types": "float32->float32", "unit": "ULP", "permitted": "enclosure (AR-02)",
             "observed": 3}]}
        validator.validate(good)
        for change in (lambda b: b.update(more=1), lambda b: b["known_failures"][0].pop("link"),
                       lambda b: b["differences"][0].update(observed=-1)):
            bad = copy.deepcopy(good)
            change(bad)
            with self.assertRaises(jsonschema.ValidationError):
                validator.validate(bad)

    # The ratchet

    def test_differences_may_only_shrink(self):
        vectors = self.write([tensorflow_case()], TENSORFLOW)
        arguments = (vectors, "--candidate=golden-binary32", "--cases=0", "--baseline=base.json")
        result = self.gate(1, vectors, "--candidate=golden-binary32", "--cases=0", f"--baseline={self.baseline()}")
        self.assertIn("is worse: largest difference", result.stdout)
        self.assertIn("updated: base.json", self.gate(0, *arguments, "--update-observed").stdout)
        begun = self.read("base.json")
        observed = json.loads(begun)["differences"][0]["observed"]
        self.assertGreater(observed, 0)
        row = self.results()["ratchet"][0]
        self.gate(0, *arguments)
        self.gate(0, *arguments, "--update-observed")
        self.assertEqual(self.read("base.json"), begun)
        for recorded, code, outcome in ((observed - 1, 1, "worse"), (observed + 5, 0, "better")):
            with open(self.path("base.json"), "w", encoding="utf-8") as file:
                file.write(begun.replace(f"\"observed\": {observed}", f"\"observed\": {recorded}"))
            self.assertIn(f"is {outcome}", self.gate(code, *arguments).stdout)
            row = self.results()["ratchet"][0]
            self.assertEqual((row["recorded"], row["observed"], row["outcome"]), (recorded, observed, outcome))
            self.assertEqual(row["permitted"], "enclosure (AR-02)")
        self.gate(0, *arguments, "--update-observed")
        self.assertEqual(self.read("base.json"), begun)

    # Exit codes, views

    def test_exit_codes(self):
        vectors = self.write([add_case()])
        self.gate(0, vectors, "--cases=0")
        self.gate(4, vectors, "--cases=0", "--targets=EMU128,NEON")
        too_much = self.write_json({"schema": "quotas/1", "quotas": {ADD: {"ties": 4}}}, "too_much")
        self.assertIn("quota not met",
                      self.gate(4, vectors, "--cases=0", f"--quotas={too_much}", quotas=False).stdout)
        self.gate(1, vectors, "--cases=0", f"--candidate={HALF_AWAY}", "--targets=scalar,NEON")  # 1 before 4
        for arguments, message in (
                ((self.path("missing"),), "no such file"),
                ((vectors, "--cases=-1"), "cases"),
                ((vectors, "--date=today"), "must be a day"),
                ((vectors, "--update-observed"), "--baseline"),
                ((vectors, "--candidate=nobody"), "known: builtin"),
                ((vectors, f"--candidate=mutant:{ADD}/no-such-fault"), "has no fault \"no-such-fault\""),
                ((vectors, f"--candidate=mutant:{ADD}"), "there is no \"/\" before the fault"),
                ((vectors, f"--candidate={HALF_AWAY}@NEON"), "there is no target \"NEON\""),
                ((vectors, "--sarif=/no/such/folder/x"), "--sarif=/no/such/folder/x: cannot be written"),
                ((vectors, "--seed=-1"), "--seed"),
                ((vectors, "--speed-threshold=nan"), "--speed-threshold"),
                ((vectors, "--baseline", ""), "--baseline: needs a value"),
                ((vectors, f"--json={self.path('a')}", f"--junit={self.path('a')}"), "the same file is written as --json"),
                ((vectors, f"--json={vectors}"), "the same file is read"),
                ((vectors, "--quotas=/no/such/file"), "cannot be read")):
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.expect(2, "gate", *arguments).stderr)
        # no baseline, no vectors: the default folder is not there
        self.assertIn("testdata: no such file", self.expect(2, "gate").stderr)
        self.gate(3, vectors, "--cases=0", GITHUB_STEP_SUMMARY="/no/such/folder/summary")

    def test_the_built_in_quotas_are_met_by_generated_cases(self):
        for operator in (ADD, MATMUL, GROUPED, TENSORFLOW):
            vectors = self.write([], operator)
            self.gate(0, vectors, "--targets=EMU128", quotas=False)
            self.assertTrue(self.results()["quotas_enforced"])
            self.gate(4, vectors, "--targets=EMU128", "--cases=3", quotas=False)

    def test_fail_fast(self):
        vectors = self.write([add_case("even", (2, 4)), add_case("ties"), add_case("more")])
        result = self.gate(1, vectors, f"--candidate={HALF_AWAY}", "--cases=0", "--fail-fast")
        self.assertIn("the run is partial (stopped at the first failure): 2 of 3 cases", result.stdout)
        self.assertTrue(self.results()["partial"])

    def test_fail_fast_ends_before_the_speed_is_measured(self):
        benchmarks = self.benchmark_program("benchmarks", add=100)
        speed = ("--speed", f"--speed-baseline={benchmarks}", f"--speed-program={benchmarks}")

        def stages(*arguments, **options):
            self.gate(1, *arguments, "--cases=0", *speed, **options)
            results = self.results()
            self.assertEqual(results["partial"], "--fail-fast" in arguments)
            return [stage["name"] for stage in results["stages"]]

        # The case passes; a sweep does not.
        sweep = (self.write([add_case("even", (2, 4))]), f"--candidate={HALF_AWAY}")
        self.assertEqual(stages(*sweep, sweeps=True), ["sweep:add", "time against the baseline"])
        self.assertEqual(stages(*sweep, "--fail-fast", sweeps=True), ["sweep:add"])
        # The case passes, but its difference is larger than the baseline permits.
        difference = (self.write([tensorflow_case()], TENSORFLOW, "difference.json"), "--candidate=golden-binary32",
                      f"--baseline={self.baseline()}")
        self.assertEqual(stages(*difference), ["time against the baseline"])
        self.assertEqual(stages(*difference, "--fail-fast"), [])

    def test_all_views_are_written(self):
        vectors = self.write([add_case()])
        names = ("junit", "sarif", "codequality", "markdown")
        self.gate(1, vectors, f"--candidate={HALF_AWAY}", "--cases=0", *(f"--{name}={name}.out" for name in names))
        self.assertIn("<testsuite", self.read("junit.out"))
        sarif = json.loads(self.read("sarif.out"))
        self.assertEqual(sarif["version"], "2.1.0")
        place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], vectors)
        line = self.read("vectors.json").splitlines()[place["region"]["startLine"] - 1]
        self.assertIn("\"id\": \"ties\"", line)
        self.assertEqual(json.loads(self.read("codequality.out"))[0]["severity"], "critical")
        self.assertIn(ADD.replace("_", "\\_"), self.read("markdown.out").replace("\\\\", "\\")
                      if "\\_" in self.read("markdown.out") else self.read("markdown.out").replace("_", "\\_"))
        self.assertNotIn("::error", self.gate(1, vectors, f"--candidate={HALF_AWAY}", "--cases=0").stdout)

    def test_two_runs_are_the_same(self):
        vectors = self.write([add_case()])
        results = []
        for threads in (1, 2):
            self.gate(0, vectors, "--cases=100", f"--threads={threads}", "--targets=EMU128", sweeps=True)
            results.append(without_times(self.results()))
            del results[-1]["threads"]
        self.assertEqual(results[0], results[1])
        self.gate(0, vectors, "--cases=100", "--threads=2", "--targets=EMU128", "--seed=2", sweeps=True)
        other = without_times(self.results())
        self.assertEqual(other["seed"], "2")
        self.assertNotEqual(other["groups"], results[0]["groups"])

    # Interruption, shards

    def interrupt(self, number, *arguments):
        process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=self.folder)
        # From the moment on that the program catches the signal, and some work later.
        for _ in range(600):
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
                caught = int(re.search(r"^SigCgt:\s*([0-9a-f]+)", file.read(), re.MULTILINE).group(1), 16)
            if caught >> (number - 1) & 1:
                break
            time.sleep(0.1)
        time.sleep(1)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=1500)
        self.assertEqual(process.returncode, 4, stdout + stderr)
        self.assertIn("the run is partial (interrupted)", stdout)
        results = self.results()
        self.assertTrue(results["partial"])
        self.assertEqual(results["stopped"], "interrupted")
        self.assertEqual(results["exit_code"], 4)

    def benchmark_program(self, name, **nanoseconds):
        """A program that claims to take these times."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nwhile read -r request benchmark; do case \"$request $benchmark\" in\n")
            file.write(f"'list ') echo '{json.dumps(list(nanoseconds))}';;\n")
            for benchmark, time_taken in nanoseconds.items():
                file.write(f"'measure {benchmark}') echo '{json.dumps({'nanoseconds': time_taken})}';;\n")
            file.write("esac; done\n")
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def test_speed(self):
        vectors = self.write([add_case()])
        old = self.benchmark_program("old", add=100, copy=50)

        def speed(code, program, *options):
            return self.gate(code, vectors, "--cases=0", "--no-sweeps", "--speed", f"--speed-baseline={old}",
                             f"--speed-program={program}", *options).stdout

        same = self.benchmark_program("same", add=102, copy=50)
        output = speed(0, same, "--speed-json=speed.json")
        self.assertRegex(output, r"add +\+2\.0 %")
        rows = json.loads(self.read("speed.json"))["benchmarks"]
        self.assertEqual([("add", False), ("copy", False)], [(row["benchmark"], row["slower"]) for row in rows])
        slow = self.benchmark_program("slow", add=104, copy=50)
        self.assertIn("add takes +4.0 % of time; +3.0 % is allowed", speed(1, slow))
        targets = {target["target"]: target["status"] for target in self.results()["stages"][-1]["targets"]}
        self.assertEqual({"add": "failed", "copy": "passed"}, targets)
        speed(0, slow, "--speed-threshold=5")
        # What cannot be compared is no success.
        other = self.benchmark_program("other", add=100)
        self.assertIn("only one of the two programs has these benchmarks", speed(4, other))
        self.assertIn("at least 8 are needed", speed(4, same, "--speed-rounds=4"))
        speed(3, "/bin/true")
        self.gate(2, vectors, "--speed", "--speed-baseline=/no/such/program")
        self.gate(2, vectors, "--speed")

    def test_interruption_leaves_a_partial_result(self):
        vectors = self.write([add_case()])
        self.interrupt(signal.SIGINT, "gate", vectors, "--cases=30000", f"--json={self.path('results.json')}")
        many = self.write([add_case(f"case-{i}", range(256)) for i in range(20000)])
        self.interrupt(signal.SIGTERM, "run", many, f"--json={self.path('results.json')}")

    def test_shards_make_the_whole(self):
        vectors = self.write([add_case(f"case-{i}", (i, i + 1, 3)) for i in range(7)])
        self.expect(0, "run", vectors, "--json=whole.json")
        whole = self.results("whole.json")
        shards = []
        for i in (1, 2, 3):
            self.expect(0, "run", vectors, f"--shard={i}/3", f"--json=shard{i}.json")
            shards.append(self.results(f"shard{i}.json"))
            self.assertEqual(shards[-1]["shard"], {"index": i, "count": 3})
        self.assertEqual([shard["corpus"]["selected"] for shard in shards], [3, 2, 2])
        self.expect(0, "merge", "shard3.json", "shard1.json", "shard2.json", "--json=merged.json")
        merged = self.results("merged.json")
        self.assertIsNone(merged["shard"])
        for group, other in zip(whole["groups"], merged["groups"], strict=True):
            for key in ("operator", "types", "target", "cases", "elements", "histogram", "facts"):
                self.assertEqual(group[key], other[key])
        self.assertEqual(whole["clauses"], merged["clauses"])
        self.assertEqual(whole["quotas"], merged["quotas"])
        self.assertEqual({case["id"] for case in whole["cases"]}, {case["id"] for case in merged["cases"]})
        result = self.expect(4, "merge", "shard1.json", "shard3.json", "--json=merged.json")
        self.assertIn("shard 2 of 3 is missing", result.stdout)
        self.assertTrue(self.results("merged.json")["partial"])
        self.expect(2, "merge", "shard1.json", "shard1.json", "shard2.json")
        self.expect(2, "merge", "shard1.json", "missing.json")
        other = copy.deepcopy(shards[1])
        other["build"]["commit"] = "0" * 40
        self.write_json(other, "other.json")
        self.assertIn("commit", self.expect(2, "merge", "shard1.json", "other.json").stderr)
        other = copy.deepcopy(shards[1])
        other["corpus"]["hash"] = "fnv1a64:0000000000000000"
        self.write_json(other, "other.json")
        self.assertIn("corpus hash", self.expect(2, "merge", "shard1.json", "other.json").stderr)

    def test_quotas_are_met_by_all_shards_together(self):
        vectors = self.write([add_case("one"), add_case("two")])
        quotas = self.write_json({"schema": "quotas/1", "quotas": {ADD: {"ties": 6}}}, "quotas")
        for i in (1, 2):
            self.expect(0, "run", vectors, f"--quotas={quotas}", f"--shard={i}/2", f"--json=shard{i}.json")
        self.expect(0, "merge", "shard1.json", "shard2.json")
        more = self.write_json({"schema": "quotas/1", "quotas": {ADD: {"ties": 7}}}, "quotas")
        for i in (1, 2):
            self.expect(0, "run", vectors, f"--quotas={more}", f"--shard={i}/2", f"--json=shard{i}.json")
        self.assertIn("quota not met", self.expect(4, "merge", "shard1.json", "shard2.json").stdout)

    def test_bad_shards(self):
        vectors = self.write([add_case()])
        for shard in ("0/2", "3/2", "x", "1", "1/", "1/2/3", "1/99999", "-1/2"):
            with self.subTest(shard):
                self.assertIn("must be I/N", self.expect(2, "run", vectors, f"--shard={shard}").stderr)
        self.assertIn("no case was executed", self.expect(4, "run", vectors, "--shard=2/2").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
