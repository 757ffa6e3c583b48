// Small vector files in their canonical spelling, for tests of their reader and
// writer.

#ifndef QCONFORM_HARNESS_CASES_EXAMPLE_VECTORS_H_
#define QCONFORM_HARNESS_CASES_EXAMPLE_VECTORS_H_

namespace qconform::harness {

inline constexpr char kAdd[] = R"({
  "schema": "test_vector/1",
  "operator": "dml_element_wise_quantized_linear_add",
  "cases": [
    {
      "id": "first",
      "title": "a \"title\"",
      "source": "by hand",
      "clauses": ["QA-01", "AR-03"],
      "inputs": {
        "ATensor": {"type": "uint8", "sizes": [2], "strides": [2], "data": [1, null, 2]},
        "AScaleTensor": {"type": "float32", "sizes": [1], "data": ["0x1p-1"]},
        "BTensor": {"type": "int8", "sizes": [2], "data": {"random": {"seed": 7, "range": [-128, 127]}}}
      },
      "outputs": {
        "OutputTensor": {"type": "uint8", "sizes": [2], "strides": [3], "data": [1, null, null, null]}
      }
    },
    {
      "id": "second",
      "title": "t",
      "inputs": {},
      "outputs": {},
      "error": "invalid_argument"
    }
  ]
}
)";

inline constexpr char kGrouped[] = R"({
  "schema": "test_vector/1",
  "operator": "aclnn_quant_grouped_matmul_dequant",
  "cases": [
    {
      "id": "nz",
      "title": "t",
      "options": {"allow_transpose_weight_false": true},
      "attributes": {"xQuantMode": "pertoken", "transposeWeight": false},
      "inputs": {
        "weight": {"type": "int8", "format": "FRACTAL_NZ", "sizes": [1, 1, 1, 16, 32], "data": {"repeat": [1, -1]}}
      },
      "outputs": {
        "out": {"type": "float16", "sizes": [0, 16]}
      },
      "error": 161002
    }
  ]
}
)";

inline constexpr char kDequantize[] = R"({
  "schema": "test_vector/1",
  "operator": "tf_quantize_and_dequantize_v2",
  "cases": [
    {
      "id": "t",
      "title": "t",
      "options": {"arithmetic": "tensorflow"},
      "attributes": {"num_bits": 4, "round_mode": "HALF_UP"},
      "inputs": {
        "input_min": {"type": "float32", "sizes": [], "data": ["nan"]}
      },
      "outputs": {}
    }
  ]
}
)";

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_EXAMPLE_VECTORS_H_
