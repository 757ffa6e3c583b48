#!/usr/bin/env python3
"""Runs the program end to end: exit codes, messages, results against their schema.

usage: qconform_test.py PROGRAM SOURCE_FOLDER
"""

import copy
import json
import os
import re
import subprocess
import sys
import unittest

import jsonschema

sys.dont_write_bytecode = True  # the source folder stays as it is
from program_testing import (  # pylint: disable=wrong-import-position
    ADD, TENSORFLOW, FolderTest, add_case, scalar, tensorflow_case)

PROGRAM, SOURCE = sys.argv[1:3]


def frozen_case(identifier="ties", data=(10, 11, 12, 12, 12)):
    return add_case(identifier, data=data)


def other_target(machine):
    """A target that Highway knows and this machine lacks."""
    return next(t for t in ("NEON", "RVV", "AVX3_DL", "SVE") if t not in machine)


class ProgramTest(FolderTest):
    def call(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300, check=False)

    def expect(self, code, *arguments):
        result = self.call(*arguments)
        self.assertEqual(result.returncode, code, f"{arguments}\n{result.stdout}\n{result.stderr}")
        return result

    def machine(self):
        return self.expect(0, "list").stdout.split("targets of this machine:\n")[1].split()

    # run: exit code 0

    def test_conforms_on_every_target(self):
        result = self.expect(0, "run", self.write([frozen_case()]))
        self.assertEqual(result.stderr, "")  # quiet in a pipe
        for target in self.machine():
            self.assertRegex(result.stdout, rf"{ADD} +{target} +1 +0 +0 +5 +0 +0 +0\n")
        self.assertIn("conforms (exit code 0)", result.stdout)

    def test_results_are_valid_and_complete(self):
        file = self.write([frozen_case(), frozen_case("golden", None)])
        self.expect(0, "run", file, f"--json={self.path('results.json')}", "--threads=2")
        results = self.results()
        self.assertEqual(results["exit_code"], 0)
        self.assertEqual(results["targets"]["run"], self.machine())
        self.assertEqual(results["corpus"]["cases"], 2)
        self.assertEqual([c["id"] for c in results["cases"]], ["ties", "golden"])
        self.assertEqual(sum(g["elements"]["exact"] for g in results["groups"]), 10 * len(self.machine()))
        clauses = {c["id"]: c["outcome"] for c in results["clauses"]}
        self.assertEqual(clauses["AR-03"], "passed")
        self.assertEqual(clauses["QA-02"], "not covered")

    def results(self):
        with open(os.path.join(SOURCE, "spec/schema/results.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        with open(self.path("results.json"), encoding="utf-8") as file:
            results = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.Draft7Validator(schema).validate(results)
        broken = copy.deepcopy(results)
        broken["cases"][0]["more"] = 1
        with self.assertRaises(jsonschema.ValidationError):  # the schema can fail
            jsonschema.Draft7Validator(schema).validate(broken)
        return results

    def test_corpus_hash_depends_on_content_alone(self):
        hashes = []
        for name, case in (("a.json", frozen_case()), ("b.json", frozen_case()), ("c.json", frozen_case("other"))):
            result = self.expect(0, "run", self.write([case], name=name))
            hashes.append(re.search(r"fnv1a64:[0-9a-f]{16}", result.stdout).group())
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_filter_and_targets_select(self):
        file = self.write([frozen_case("one"), frozen_case("two"), frozen_case("twofold")])
        for pattern, selected in (("two", 2), (f"{ADD}/two", 1), ("*/t?o", 1), ("*add*", 3), ("*/*o*d", 1)):
            result = self.expect(0, "run", file, f"--filter={pattern}", "--targets=EMU128")
            self.assertIn(f"3 cases, {selected} selected", result.stdout)
            self.assertIn("targets expected: EMU128; run: EMU128", result.stdout)

    def test_golden_binary32_is_explained(self):
        file = self.write([tensorflow_case()], TENSORFLOW)
        result = self.expect(0, "run", file, "--candidate=golden-binary32", f"--json={self.path('results.json')}")
        self.assertIn("level binary32", result.stdout)
        group = self.results()["groups"][0]
        self.assertEqual(group["elements"], {"exact": 0, "explained": 1, "wrong": 0, "preserved": 0})
        self.assertEqual(group["difference_unit"], "ULP")
        result = self.expect(1, "run", file, "--candidate=golden-binary32", "--level=exact")
        self.assertIn("explained: inside the binary32 enclosure", result.stdout)

    # run: exit code 1

    def test_a_difference_is_named_and_repeatable(self):
        file = self.write([frozen_case("wrong", (10, 11, 12, 12, 13))])
        result = self.expect(1, "run", file, f"--json={self.path('results.json')}")
        self.assertIn("OutputTensor[4] (element 4): expected 13, got 12, difference -1", result.stdout)
        self.assertIn("the golden model gives 12, not what the vector expects", result.stdout)
        self.assertEqual(self.results()["exit_code"], 1)
        repeat = re.search(r"repeat:  qconform (.*)", result.stdout).group(1).split()
        self.assertIn("does not conform", self.expect(1, *repeat).stdout)
        explain = re.search(r"explain: qconform (.*)", result.stdout).group(1).split()
        self.assertIn("the vector expects         13", self.expect(0, *explain).stdout)

    def test_an_expected_error_that_does_not_come(self):
        case = frozen_case("error", None)
        case["error"] = "invalid_argument"
        self.assertIn("accepted a call that must be rejected", self.expect(1, "run", self.write([case])).stdout)

    def test_an_error_that_is_not_expected(self):
        case = frozen_case("zero-scale", None)
        case["inputs"]["AScaleTensor"]["data"] = ["0x0p+0"]
        self.assertIn("rejected a call that must succeed", self.expect(1, "run", self.write([case])).stdout)
        case["error"] = "invalid_argument"
        self.expect(0, "run", self.write([case]))

    # run: exit code 4

    def test_nothing_executed_is_mistrusted(self):
        self.assertIn("no case was executed", self.expect(4, "run", self.folder).stdout)
        file = self.write([frozen_case()])
        self.expect(4, "run", file, "--filter=no such case", f"--json={self.path('results.json')}")
        with open(self.path("results.json"), encoding="utf-8") as results:
            self.assertEqual(json.load(results)["exit_code"], 4)

    def test_a_missing_target_is_mistrusted(self):
        missing = other_target(self.machine())
        file = self.write([frozen_case()])
        self.assertIn(f"target {missing} did not run", self.expect(4, "run", file, f"--targets={missing}").stdout)
        self.expect(4, "run", file, f"--targets=EMU128,{missing}")
        self.expect(4, "run", file, "--candidate=golden-binary32", "--targets=EMU128")

    def test_quotas_are_enforced(self):
        file = self.write([frozen_case()])
        quotas = self.write_text(json.dumps({"schema": "quotas/1", "quotas": {ADD: {"ties": 3}}}), "quotas")
        self.expect(0, "run", file, f"--quotas={quotas}")
        quotas = self.write_text(json.dumps({"schema": "quotas/1", "quotas": {ADD: {"ties": 4}}}), "quotas")
        self.assertIn("quota not met", self.expect(4, "run", file, f"--quotas={quotas}").stdout)
        wrong = self.write([frozen_case("wrong", (0, 11, 12, 12, 12))])
        self.expect(1, "run", wrong, f"--quotas={quotas}")  # 1 comes before 4

    # run: exit code 2

    def test_bad_usage(self):
        file = self.write([frozen_case()])
        for arguments, message in (
                ([], "subcommand"),
                (["no-such-command"], "no subcommand no-such-command; there are: run"),
                (["import", "tflite"], "no subcommand tflite; there are: onnx-node-test"),
                (["run", file, "--json=", "--quiet"], "--json= needs a value"),
                (["run", file, "--json", "--quiet"], "--json: needs a value"),
                (["run", file, "--filter", ""], "--filter: needs a value"),
                (["run", file, f"--json={file}"], "the same file is read"),
                (["run", "/dev/zero"], "/dev/zero: found nothing that can be read"),  # it never ends
                (["run", file, "--quotas=/dev/zero"], "cannot be read"),
                (["mutants", file, "--minimum=nan"], "--minimum"),
                (["mutants", file, "--seed=-1"], "--seed"),
                (["mutants", file, f"--json={file}"], "the same file is read"),
                (["report", file, "--mutants=x"], "requires --html"),
                (["run"], "paths"),
                (["run", file, "--no-such-option"], ""),
                (["run", self.path("missing")], "no such file or folder"),
                (["run", file, "--targets=AVX9"], "no target AVX9"),
                (["run", file, "--targets=golden"], "no target golden"),
                (["run", file, "--candidate=nobody"], "known: builtin"),
                (["run", file, "--level=rough"], "must be exact or binary32"),
                (["run", file, "--threads=0"], "threads"),
                (["run", file, "--threads=x"], "threads"),
                (["run", file, "--json=/no/such/folder/results.json"], "cannot be written"),
                (["run", file, "--quotas=/no/such/file"], "cannot be read"),
                (["explain", file], "--case"),
                (["explain", file, "--case=none"], "no case none"),
                (["explain", file, "--case=ties", "--element=5"], "5 elements"),
                (["explain", file, "--case=ties", "--candidate=nobody"], "known: builtin"),
                (["explain", self.path("missing"), "--case=ties"], "no such file or folder"),
                (["list", file], "--cases"),
                (["list", "--cases"], "--cases"),
                (["list", self.path("missing"), "--cases"], "no such file or folder"),
                (["format", self.path("missing")], "no such file or folder"),
                (["import"], "subcommand"),
                (["import", "onnx-node-test", self.path("missing"), "--output=x"], "missing")):
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.expect(2, *arguments).stderr)

    def test_malformed_vectors(self):
        def changed(change):
            case = frozen_case("culprit")
            change(case)
            return case

        def set_tensor(name, **values):
            return lambda case: case["inputs"][name].update(values)

        cases = {
            "unknown key": changed(lambda case: case.update(more=1)),
            "wrong length": changed(set_tensor("ATensor", data=[1, 2, 3, 4])),
            "inexact float": changed(set_tensor("AScaleTensor", data=[0.1])),
            "out of the type": changed(set_tensor("ATensor", data=[1, 2, 3, 4, 256])),
            "huge sizes": changed(set_tensor("ATensor", sizes=[9223372036854775808])),
            "huge product": changed(set_tensor("ATensor", sizes=[4294967296, 4294967296])),
            "strides past the data": changed(set_tensor("ATensor", strides=[1000])),
            "unknown tensor": changed(lambda case: case["inputs"].update(CTensor=scalar("uint8", 1))),
            "unknown attribute": changed(lambda case: case.update(attributes={"axis": 1}))}
        good = self.write([frozen_case("good")], name="a.json")
        for name, case in cases.items():
            with self.subTest(name):
                file = self.write([case], name="b.json")
                result = self.expect(2, "run", good, file)
                self.assertIn("b.json", result.stderr)
                self.assertIn("culprit", result.stderr)
                self.assertEqual(result.stdout, "")  # input is read whole before any case runs
        for name, text in {
                "unknown operator": json.dumps({"schema": "test_vector/1", "operator": "softmax", "cases": []}),
                "truncated": json.dumps({"schema": "test_vector/1", "operator": ADD, "cases": [frozen_case()]})[:-20],
                "not JSON": "\x00\xff", "empty": ""}.items():
            with self.subTest(name):
                self.assertIn("b.json", self.expect(2, "run", good, self.write_text(text, "b.json")).stderr)

    def test_a_lost_report_is_no_success(self):
        for arguments in (["list"], ["run", self.write([add_case()])]):
            with self.subTest(arguments=arguments), open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                        timeout=300, check=False)
                self.assertEqual(result.returncode, 3)
                self.assertIn("standard output: writing failed", result.stderr)

    # the other sub-commands

    def test_explain(self):
        file = self.write([tensorflow_case()], TENSORFLOW)
        text = self.expect(0, "explain", file, "--case=published", "--candidate=golden-binary32").stdout
        self.assertIn("76.500003", text)
        self.assertIn("TensorFlow", text)
        both = self.write([frozen_case("published")], name="other.json")
        self.assertIn("give operator/id", self.expect(2, "explain", self.folder, "--case=published").stderr)
        self.expect(0, "explain", self.folder, f"--case={ADD}/published", "--element=4")
        os.remove(both)

    def test_list(self):
        text = self.expect(0, "list").stdout
        for word in (ADD, TENSORFLOW, "builtin", "golden-binary32", "EMU128"):
            self.assertIn(word, text)
        clauses = self.expect(0, "list", "--clauses").stdout
        for clause in ("AR-01", "QM-03", "QA-02", "AG-05", "TQ-12"):
            self.assertEqual(len(re.findall(rf"^{clause}  ", clauses, re.MULTILINE)), 1)
        cases = self.expect(0, "list", "--cases", self.write([frozen_case()])).stdout
        self.assertIn(f"{ADD}/ties  halves  [AR-03]", cases)

    def test_mutants(self):
        file = self.write([frozen_case()])
        results = os.path.join(self.folder, "mutants.json")
        # The vector has ties, so it kills what rounds them otherwise; all scales are positive.
        command = ("mutants", f"--operator={ADD}", "--filter=half", "--sources=vectors")
        text = self.expect(0, *command, f"--json={results}", "--minimum=90", file).stdout
        self.assertRegex(text, "half-away +ties")
        with open(results, encoding="utf-8") as stream:
            found = json.load(stream)
        self.assertEqual([m["kills"]["vectors"] for m in found["mutants"]], ["ties", "ties"])
        survivor = ("mutants", "--filter=add/scale-magnitude", "--sources=vectors", "--minimum=90")
        text = self.expect(1, *survivor, file).stdout
        self.assertIn(f"survived: {ADD} scale-magnitude", text)
        self.assertIn("vectors alone must kill 90 %", text)
        self.expect(2, "mutants", "--operator=no_such_operator", file)
        self.expect(2, "mutants", "--sources=no_such_source", file)
        self.expect(2, "mutants", os.path.join(self.folder, "no-such-file.json"))
        self.expect(2, *command, "--json=/no/such/folder/file.json", file)
        self.expect(4, "mutants", "--filter=no-such-mutant", file)
        # A property tells the operands apart; one of the real value cannot tell how halves are rounded.
        metamorphic = ("mutants", f"--operator={ADD}", "--sources=metamorphic", "--cases=60")
        self.assertRegex(self.expect(0, *metamorphic, "--filter=a-scale-for-both", file).stdout,
                         "a-scale-for-both +swap-operands-\\d+")
        self.assertIn("no case tells it", self.expect(1, *metamorphic, "--filter=half-away", file).stdout)
        self.assertIn("fuzz has no case", self.expect(
            4, "mutants", f"--operator={ADD}", "--filter=half", "--sources=vectors,fuzz", "--cases=0", file).stdout)

    def test_format(self):
        file = self.write([frozen_case()])
        self.assertIn("not in canonical spelling", self.expect(1, "format", "--check", file).stdout)
        self.assertIn("formatted", self.expect(0, "format", file).stdout)
        self.expect(0, "format", "--check", file)
        self.assertEqual(self.expect(0, "format", file).stdout, "")
        self.expect(0, "run", file)

    def fuzz(self, code, *arguments):
        return self.expect(code, "fuzz", f"--save={self.folder}/saved", *arguments).stdout

    def test_fuzz_gives_the_same_cases_for_the_same_seed(self):
        first = self.fuzz(0, "--cases=20", "--seed=7")
        self.assertTrue(first.startswith("seed 7\n"))
        hashes = re.findall("hash [0-9a-f]{16}", first)
        self.assertEqual(len(hashes), 4)
        again = self.fuzz(0, "--cases=20", "--seed=7", "--targets=EMU128")
        self.assertEqual(re.findall("hash [0-9a-f]{16}", again), hashes)
        self.assertFalse(os.path.exists(f"{self.folder}/saved"))

    def test_fuzz_finds_shrinks_and_saves(self):
        faulty = f"--candidate=mutant:{ADD}/half-away"
        results = self.path("fuzz.json")
        text = self.fuzz(1, "--cases=300", "--seed=1", faulty, "--fail-fast", f"--json={results}")
        self.assertRegex(text, r"shrunk from \d+ to \d elements")
        repeat = re.search(r"repeat: qconform fuzz (.*)", text).group(1).split()
        self.assertIn("FAILED", self.fuzz(1, *repeat, "--no-shrink", "--no-save"))
        saved = re.search(r"saved:  qconform run (\S+)", text).group(1)
        # The kernels are right about it.
        self.expect(0, "run", saved)
        with open(results) as file:
            document = json.load(file)
        with open(f"{SOURCE}/spec/schema/results.schema.json") as file:
            jsonschema.validate(document, json.load(file))
        self.assertEqual(document["exit_code"], 1)
        self.assertEqual(document["cases"][0]["targets"][0]["status"], "failed")

    def test_fuzz_fails_fast_in_a_pipeline(self):
        os.environ["CI"] = "true"
        try:
            text = self.fuzz(1, "--cases=300", "--seed=1", f"--candidate=mutant:{ADD}/half-away")
        finally:
            del os.environ["CI"]
        self.assertIn("1 failures", text)
        self.assertNotIn("shrunk", text)
        os.environ["CI"] = ""  # as good as not set
        try:
            text = self.fuzz(1, "--cases=20", "--seed=1", f"--candidate=mutant:{ADD}/half-away")
        finally:
            del os.environ["CI"]
        self.assertIn("shrunk", text)

    def test_fuzz_quotas_and_missing_targets_are_mistrusted(self):
        other = other_target(self.machine())
        self.assertIn(f"target {other} did not run",
                      self.fuzz(4, "--cases=5", "--seed=1", f"--operator={ADD}", f"--targets={other},EMU128"))
        self.assertIn("no case was executed", self.fuzz(4, "--cases=5", "--seed=1", f"--targets={other}"))

    def test_fuzz_in_float_and_for_a_time(self):
        self.fuzz(0, "--cases=30", "--seed=1", "--candidate=golden-binary32", f"--operator={ADD}")
        # How many cases fit depends on the machine, and from 1000 on the quotas count; this seed meets them.
        self.fuzz(0, "--seconds=0.2", "--seed=1", f"--operator={ADD}")

    def test_fuzz_bad_usage(self):
        for arguments in (["--operator=nothing"], ["--candidate=nothing"], ["--candidate=mutant:nothing/x"],
                          ["--targets=nothing"], ["--level=nothing"], ["--json=/nowhere/x"], ["--cases=0"],
                          ["--seconds=nan"], ["--seconds=0"], ["--seed=-1"], ["--seed=18446744073709551616"],
                          ["--cases=99999999999999999999"], ["--first=9223372036854775807"],
                          [f"--candidate=mutant:{ADD}/half-away", f"--operator={TENSORFLOW}"]):
            self.fuzz(2, "--cases=1", *arguments)

    # sweep

    def sweep(self, code, *arguments):
        return self.expect(code, "sweep", "--quiet", *arguments)

    def test_sweep_tells_what_it_covered(self):
        results = self.path("sweep.json")
        text = self.sweep(0, "--only=add,quantize_and_dequantize", "--sample=20", f"--json={results}").stdout
        self.assertRegex(text, r"add +(\d+)/\1 +\d+ +100%")
        self.assertIn("seed 1, short form, about one unit in 20", text)
        with open(results, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["exit_code"], 0)
        add, quantize = document["sweeps"]
        self.assertEqual(add["covered"], add["domain"])
        self.assertEqual(add["covered"] % 65536, 0)
        # The short form tries some floats of each setting.
        self.assertGreater(quantize["covered"], 0)
        self.assertLess(quantize["covered"], quantize["domain"] / 1000)
        for sweep in (add, quantize):
            self.assertEqual(sorted(sweep["targets"]), sorted(self.machine()))
            self.assertGreaterEqual(sweep["comparisons"], sweep["covered"] * len(self.machine()))

    def test_sweep_resumes(self):
        state = self.path("state.json")
        command = ("--only=float16", "--targets=EMU128", f"--resume={state}")

        def counts(text):
            return re.search(r"float16 +(\d+/\d+) +(\d+) +(\S+%)", text).groups()

        first = counts(self.sweep(0, *command).stdout)
        with open(state, encoding="utf-8") as file:
            document = json.load(file)
        units = document["units"]
        self.assertEqual(first[0], f"{len(units)}/{len(units)}")

        def write(**changes):
            self.write_text(json.dumps({**document, **changes}), "state.json")

        for kept in (1, len(units)):
            write(units=dict(list(units.items())[:kept]))
            text = self.sweep(0, *command).stdout
            self.assertIn(f"{kept} units finished in an earlier run", text)
            self.assertEqual(counts(text), first)
        for change, message in (
                ({"seed": 2}, "another seed"), ({"program": "another"}, "program"), ({"form": "full"}, "form"),
                ({"targets": ["AVX2"]}, "targets"), ({"more": 1}, "unknown key"), ({"schema": "sweep_state/0"}, "schema"),
                ({"units": {"float16/strange": units[next(iter(units))]}}, "no unit")):
            with self.subTest(message):
                write(**change)
                self.assertIn(message, self.sweep(2, *command).stderr)
        self.write_text("{", "state.json")
        self.assertIn("state.json", self.sweep(2, *command).stderr)
        # What cannot be written is found while the sweep runs.
        self.sweep(3, "--only=float16", "--targets=EMU128", "--resume=/no/such/folder/state.json")

    def test_sweep_tells_and_saves_a_difference(self):
        faulty = f"--candidate=mutant:{ADD}/half-away"
        text = self.sweep(1, faulty, "--sample=100", f"--save={self.path('saved')}").stdout
        self.assertRegex(text, r"WRONG add on scalar \(mutant:.*half-away\): .* expected -?\d+, got -?\d+")
        # The kernels are right about it.
        self.expect(0, "run", re.search(r"saved (\S+)", text).group(1))

    def test_sweep_that_proves_too_little_is_mistrusted(self):
        other = other_target(self.machine())
        few = ("--only=float16", "--sample=1000")
        self.assertIn(f"float16: target {other} did not run", self.sweep(4, *few, f"--targets=EMU128,{other}").stdout)
        self.assertIn("no sweep was selected", self.sweep(4, "--only=add", f"--operator={TENSORFLOW}").stdout)
        # No sum of a matrix product can be given to whole calls alone.
        mutant = "--candidate=mutant:dml_quantized_linear_matrix_multiply/half-away"
        self.assertIn("requantize: target scalar did not run", self.sweep(4, mutant, "--sample=1000").stdout)

    def test_sweep_bad_usage(self):
        for arguments, message in (
                (["--only=add,nothing"], "no sweep nothing"), (["--operator=nothing"], "no such operator"),
                (["--targets=AVX9"], "no target AVX9"), (["--candidate=nobody"], "known: builtin"),
                (["--candidate=mutant:nothing/half-away"], "nothing"), (["--full", "--short"], "--short"),
                (["--sample=0"], "--sample"), (["--threads=0"], "--threads"), (["--seed=x"], "--seed"), (["--seed=-1"], "--seed"),
                (["--resume=/dev/zero"], "/dev/zero: found nothing that can be read"),
                ([f"--json={self.path('a')}", f"--resume={self.path('a')}"], "the same file is read"),
                (["--json=/no/such/folder/sweep.json"], "cannot be written")):
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.sweep(2, *arguments).stderr)

    def test_help_and_version(self):
        for command in ("run", "fuzz", "sweep", "mutants", "explain", "list", "format", "import"):
            self.assertIn(command, self.expect(0, "--help").stdout)
            self.expect(0, command, "--help")
        self.assertIn("commit", self.expect(0, "--version").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
