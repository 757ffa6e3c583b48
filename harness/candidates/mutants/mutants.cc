#include "harness/candidates/mutants/mutants.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/candidates/mutants/models.h"
#include "harness/candidates/rejection.h"
#include "spec/validate.h"

namespace qconform::harness::mutants {
namespace {

const std::vector<Model>& Models() {
  static const auto& models =
      *new std::vector<Model>{GroupedMatMulModel(), AddModel(), MatMulModel(),
                              QuantizeAndDequantizeModel()};
  return models;
}

class Mutant final : public Candidate {
 public:
  Mutant(const Model& model, int fault, std::string name)
      : model_(model), fault_(fault), name_(std::move(name)) {}

  std::string Name() const override { return name_; }
  std::vector<std::string> Targets() const override { return {"scalar"}; }

  Execution Execute(const spec::Arguments& arguments,
                    const ExecutionOptions& options,
                    OutputStorage& outputs) override {
    Execution execution;
    if (options.target != "scalar" ||
        arguments.operator_name != model_.operator_name) {
      execution.outcome = ExecutionOutcome::kUnsupported;
      execution.message =
          absl::StrCat(name_, " has no ", arguments.operator_name,
                       " on target ", options.target);
      return execution;
    }
    const absl::Status status = spec::Validate(arguments);
    if (status.ok() || model_.accepts(arguments, fault_)) {
      model_.run(arguments, fault_, outputs);
      return execution;
    }
    return Rejected(status, spec::AclnnStatus(status));
  }

 private:
  const Model& model_;
  int fault_;
  std::string name_;
};

}  // namespace

const std::vector<Fault>& AllFaults() {
  static const auto& all = *[] {
    auto* faults = new std::vector<Fault>;
    for (const Model& model : Models()) {
      for (const FaultText& fault : model.faults) {
        faults->push_back({model.operator_name, fault.name, fault.description});
      }
    }
    return faults;
  }();
  return all;
}

absl::StatusOr<std::unique_ptr<Candidate>> MakeMutant(
    const std::string& operator_name, const std::string& fault_name) {
  for (const Model& model : Models()) {
    if (model.operator_name != operator_name) continue;
    if (fault_name.empty()) {
      return std::make_unique<Mutant>(model, 0, "original");
    }
    for (size_t i = 0; i < model.faults.size(); ++i) {
      if (model.faults[i].name == fault_name) {
        return std::make_unique<Mutant>(model, static_cast<int>(i) + 1,
                                        "mutant " + fault_name);
      }
    }
    return absl::NotFoundError(
        absl::StrCat(operator_name, " has no fault \"", fault_name, "\""));
  }
  return absl::NotFoundError(
      absl::StrCat("no operator \"", operator_name, "\""));
}

}  // namespace qconform::harness::mutants
