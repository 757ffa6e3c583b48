#include "harness/commands/mutant_candidate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/candidates/builtin.h"
#include "harness/candidates/mutants/mutants.h"

namespace qconform::harness {
namespace {

constexpr char kPrefix[] = "mutant:";

// A mutant under the name that the command line gives it, so that commands that
// repeat a failure can name it. With a target, the production kernels do all
// work but the mutant's operator on that target.
class NamedMutant : public Candidate {
 public:
  NamedMutant(std::string name, std::unique_ptr<Candidate> mutant,
              std::string operator_name, std::string target)
      : name_(std::move(name)),
        mutant_(std::move(mutant)),
        operator_name_(std::move(operator_name)),
        target_(std::move(target)) {}

  std::string Name() const override { return name_; }

  std::vector<std::string> Targets() const override {
    return target_.empty() ? mutant_->Targets() : builtin_.Targets();
  }

  Execution Execute(const spec::Arguments& arguments,
                    const ExecutionOptions& options,
                    OutputStorage& outputs) override {
    if (target_.empty()) return mutant_->Execute(arguments, options, outputs);
    if (options.target != target_ ||
        arguments.operator_name != operator_name_) {
      return builtin_.Execute(arguments, options, outputs);
    }
    ExecutionOptions own = options;
    own.target = mutant_->Targets().front();
    return mutant_->Execute(arguments, own, outputs);
  }

 private:
  const std::string name_;
  const std::unique_ptr<Candidate> mutant_;
  const std::string operator_name_;
  const std::string target_;
  BuiltinCandidate builtin_;
};

}  // namespace

bool IsMutantName(const std::string& name) { return name.starts_with(kPrefix); }

std::string OperatorOfMutant(const std::string& name) {
  const size_t begin = std::string(kPrefix).size();
  const size_t slash = name.find('/');
  return IsMutantName(name) && slash != std::string::npos &&
                 name.find('@') == std::string::npos
             ? name.substr(begin, slash - begin)
             : "";
}

absl::StatusOr<std::unique_ptr<Candidate>> MakeMutantCandidate(
    const std::string& name) {
  const std::string rest = name.substr(std::string(kPrefix).size());
  const size_t slash = rest.find('/');
  const size_t at = rest.find('@');
  const std::string operator_name = rest.substr(0, slash);
  const std::string fault =
      slash == std::string::npos ? "" : rest.substr(slash + 1, at - slash - 1);
  absl::StatusOr<std::unique_ptr<Candidate>> mutant =
      mutants::MakeMutant(operator_name, fault);
  if (!mutant.ok() || slash == std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("--candidate=", name, ": ",
                     mutant.ok() ? "there is no \"/\" before the fault"
                                 : std::string(mutant.status().message()),
                     "; it must be mutant:OPERATOR/FAULT or "
                     "mutant:OPERATOR/FAULT@TARGET"));
  }
  const std::string target = at == std::string::npos ? "" : rest.substr(at + 1);
  const std::vector<std::string> targets = BuiltinCandidate().Targets();
  if (at != std::string::npos &&
      std::find(targets.begin(), targets.end(), target) == targets.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--candidate=", name, ": there is no target \"", target,
        "\"; the production kernels have: ", absl::StrJoin(targets, ", ")));
  }
  return std::make_unique<NamedMutant>(name, *std::move(mutant), operator_name,
                                       target);
}

}  // namespace qconform::harness
