// The four scalar models behind mutants.h. Each takes a call that its operator
// accepts (or that its fault lets through) and writes the outputs' storage.

#ifndef QCONFORM_HARNESS_CANDIDATES_MUTANTS_MODELS_H_
#define QCONFORM_HARNESS_CANDIDATES_MUTANTS_MODELS_H_

#include <string>
#include <vector>

#include "harness/candidates/candidate.h"
#include "spec/arguments.h"

namespace qconform::harness::mutants {

struct FaultText {
  std::string name;
  std::string description;
};

// A model: its faults, in the order of its enumeration after "none", and the
// computation with fault number `fault` (0: none).
struct Model {
  std::string operator_name;
  std::vector<FaultText> faults;
  void (*run)(const spec::Arguments& arguments, int fault,
              OutputStorage& outputs);
  // True if the fault lets a call through that the operator must reject.
  bool (*accepts)(const spec::Arguments& arguments, int fault);
};

Model MatMulModel();
Model AddModel();
Model GroupedMatMulModel();
Model QuantizeAndDequantizeModel();

}  // namespace qconform::harness::mutants

#endif  // QCONFORM_HARNESS_CANDIDATES_MUTANTS_MODELS_H_
