#!/usr/bin/python3
"""Writes the ONNX models that the benchmark gives to onnxruntime.

usage: write_onnx_models.py OUTPUT.onnx SPEC.json
SPEC: {"operator": "QLinearMatMul" | "QLinearAdd" | "QuantizeDequantize" | "DynamicQuantizeMatMul",
       "tensors": {NAME: {"type": T, "dims": [..], "file": FILE or null}}}
A tensor with a file is a constant of the model (an initializer), one without is an input. Outputs are "y" and the "shape" of an
input, which costs nothing to fetch.
"""
import json
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

NUMPY = {"uint8": np.uint8, "int8": np.int8, "float32": np.float32}
ONNX = {"uint8": TensorProto.UINT8, "int8": TensorProto.INT8,
        "float32": TensorProto.FLOAT}
# Input names in the order of the operator, and its domain.
OPERATORS = {
    "QLinearMatMul": ("", ["a", "a_scale", "a_zero_point", "b", "b_scale",
                           "b_zero_point", "y_scale", "y_zero_point"]),
    "QLinearAdd": ("com.microsoft",
                   ["a", "a_scale", "a_zero_point", "b", "b_scale",
                    "b_zero_point", "y_scale", "y_zero_point"]),
    "DynamicQuantizeMatMul": ("com.microsoft",
                              ["a", "b", "b_scale", "b_zero_point"]),
}


def main():
    output, spec_file = sys.argv[1:]
    with open(spec_file, encoding="utf-8") as file:
        spec = json.load(file)
    tensors = spec["tensors"]
    inputs, initializers = [], []
    for name, tensor in tensors.items():
        if name == "y":
            continue
        if tensor.get("file"):
            data = np.fromfile(tensor["file"], dtype=NUMPY[tensor["type"]])
            initializers.append(
                numpy_helper.from_array(data.reshape(tensor["dims"]), name))
        else:
            inputs.append(helper.make_tensor_value_info(
                name, ONNX[tensor["type"]], tensor["dims"]))
    if spec["operator"] == "QuantizeDequantize":
        nodes = [
            helper.make_node("QuantizeLinear", ["x", "scale", "zero_point"],
                             ["quantized"]),
            helper.make_node("DequantizeLinear",
                             ["quantized", "scale", "zero_point"], ["y"]),
        ]
    else:
        domain, names = OPERATORS[spec["operator"]]
        nodes = [helper.make_node(spec["operator"], names, ["y"],
                                  domain=domain)]
    y = helper.make_tensor_value_info("y", ONNX[tensors["y"]["type"]],
                                      tensors["y"]["dims"])
    nodes.append(helper.make_node("Shape", [inputs[0].name], ["shape"]))
    rank = len(inputs[0].type.tensor_type.shape.dim)
    shape = helper.make_tensor_value_info("shape", TensorProto.INT64, [rank])
    graph = helper.make_graph(nodes, "benchmark", inputs, [y, shape],
                              initializers)
    model = helper.make_model(
        graph, ir_version=8,
        opset_imports=[helper.make_opsetid("", 17),
                       helper.make_opsetid("com.microsoft", 1)])
    with open(output, "wb") as file:
        file.write(model.SerializeToString())


main()
