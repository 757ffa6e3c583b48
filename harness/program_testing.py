"""What the end-to-end tests of the program share: example cases, and a folder of its own for each test."""

import json
import os
import tempfile
import unittest

ADD = "dml_element_wise_quantized_linear_add"
TENSORFLOW = "tf_quantize_and_dequantize_v2"


def scalar(kind, value):
    return {"type": kind, "sizes": [1], "data": [value]}


def add_case(identifier="ties", a=(1, 2, 3, 4, 5), data=None):
    """round(a / 2) + 10; B is zero. With data, these are the frozen outputs."""
    size = len(a)
    output = {"type": "uint8", "sizes": [size]}
    if data is not None:
        output["data"] = list(data)
    return {
        "id": identifier, "title": "halves", "source": "by hand", "clauses": ["AR-03"],
        "inputs": {
            "ATensor": {"type": "uint8", "sizes": [size], "data": list(a)},
            "AScaleTensor": scalar("float32", "0x1p-1"),
            "BTensor": {"type": "uint8", "sizes": [size], "data": [0] * size},
            "BScaleTensor": scalar("float32", "0x1p+0"),
            "OutputScaleTensor": scalar("float32", "0x1p+0"),
            "OutputZeroPointTensor": scalar("uint8", 10)},
        "outputs": {"OutputTensor": output}}


def tensorflow_case():
    """0.3 in [0, 1], unsigned: 77/255 exactly, 76/255 in float."""
    return {
        "id": "published", "title": "0.3", "source": "by hand", "clauses": ["TQ-12"],
        "attributes": {"signed_input": False, "range_given": True},
        "inputs": {
            "input": scalar("float32", "0x1.333334p-2"),
            "input_min": {"type": "float32", "sizes": [], "data": ["0x0p+0"]},
            "input_max": {"type": "float32", "sizes": [], "data": ["0x1p+0"]}},
        "outputs": {"output": {"type": "float32", "sizes": [1]}}}


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_text(self, text, name="vectors.json"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def write_json(self, value, name):
        return self.write_text(json.dumps(value, indent=1), name)

    def write(self, cases, operator=ADD, name="vectors.json"):
        return self.write_json({"schema": "test_vector/1", "operator": operator, "cases": cases}, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()
