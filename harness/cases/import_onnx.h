// Test vectors from ONNX backend node tests: folders with model.onnx and
// test_data_set_*/input_*.pb and output_*.pb.

#ifndef QCONFORM_HARNESS_CASES_IMPORT_ONNX_H_
#define QCONFORM_HARNESS_CASES_IMPORT_ONNX_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/cases/vector_file.h"

namespace qconform::harness {

struct RefusedNodeTest {
  std::string test;
  std::string reason;
};

struct ImportReport {
  // One file for each operator that something was mapped to; `path` is the name
  // it would have, "onnx_node_tests.json" below the operator's folder.
  std::vector<VectorFile> files;
  // Node tests by the ONNX operator that maps to none of ours ("Add", ...).
  std::map<std::string, std::vector<std::string>> not_mapped;
  // Node tests of a mapped operator that are no call of ours, and why (ranks,
  // empty tensors, batch broadcasting).
  std::vector<RefusedNodeTest> refused;
};

// Reads every node test in or below the folders, in the order of their names.
// QLinearMatMul becomes dml_quantized_linear_matrix_multiply: a scale or zero
// point of one element is per tensor, of M elements per row of A or Output, of
// N elements per column of B. `release` names where the tests come from, "onnx
// 1.12", and stands in each case's source. kInvalidArgument names the file that
// cannot be read; kNotFound: no node test below the folders.
absl::StatusOr<ImportReport> ImportOnnxNodeTests(
    const std::vector<std::string>& folders, const std::string& release);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_IMPORT_ONNX_H_
