#include "harness/gate/generated_cases.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/commands/fuzz_cases.h"
#include "harness/judge/expectation.h"
#include "spec/validate.h"

namespace qconform::harness {

std::vector<TestCase> GenerateCases(const std::string& operator_name,
                                    uint64_t seed, int64_t count,
                                    const std::string& file,
                                    const std::function<bool()>& interrupted) {
  std::vector<TestCase> cases;
  for (int64_t index = 0; index < count; ++index) {
    if (interrupted && interrupted()) break;
    FuzzCase fuzz_case = MakeFuzzCase(operator_name, seed, index);
    TestCase test_case;
    test_case.id = absl::StrCat("generated-", seed, "-", index);
    test_case.file = file;
    test_case.title = absl::StrCat("generated: ", fuzz_case.kind);
    test_case.source =
        absl::StrCat("qconform fuzz --operator=", operator_name,
                     " --seed=", seed, " --first=", index, " --cases=1");
    test_case.arguments = std::move(fuzz_case.arguments);
    const absl::Status status = spec::Validate(test_case.arguments);
    if (!status.ok()) {
      ExpectedError& error = test_case.error.emplace(ErrorOf(status));
      // A vector names one of the two.
      if (error.aclnn_status) error.status.clear();
    }
    // Only what must be rejected can be so: right calls are not tried.
    if (!test_case.error || CanBeWritten(test_case)) {
      cases.push_back(std::move(test_case));
    }
  }
  return cases;
}

GateCases CollectCases(std::vector<VectorFile> files, uint64_t seed,
                       int64_t count, const std::string& folder,
                       const std::function<bool()>& interrupted) {
  GateCases cases;
  cases.files = std::move(files);
  std::set<std::pair<std::string, std::string>> ids;
  for (const VectorFile& file : cases.files) {
    cases.operators.insert(file.operator_name);
    for (const TestCase& test_case : file.cases) {
      cases.all.push_back(&test_case);
      ids.insert({file.operator_name, test_case.id});
    }
  }
  for (const std::string& name : cases.operators) {
    const std::string path =
        (std::filesystem::path(folder) / (name + ".json")).string();
    VectorFile file = {path, name,
                       GenerateCases(name, seed, count, path, interrupted)};
    // One that failed once may have become a vector.
    std::erase_if(file.cases, [&ids, &name](const TestCase& test_case) {
      return ids.contains({name, test_case.id});
    });
    cases.generated.push_back(std::move(file));
  }
  for (const VectorFile& file : cases.generated) {
    for (const TestCase& test_case : file.cases) {
      cases.all.push_back(&test_case);
    }
  }
  return cases;
}

std::vector<VectorFile> FailedGenerated(const GateCases& cases,
                                        const RunResults& results) {
  std::set<std::pair<std::string, std::string>> failed;
  for (const CaseResult& result : results.cases) {
    for (const TargetResult& target : result.targets) {
      if (target.status == CaseStatus::kFailed ||
          target.status == CaseStatus::kCrashed ||
          target.status == CaseStatus::kTimedOut) {
        failed.insert({result.file, result.id});
      }
    }
  }
  std::vector<VectorFile> files;
  for (const VectorFile& file : cases.generated) {
    VectorFile saved = {file.path, file.operator_name, {}};
    for (const TestCase& test_case : file.cases) {
      if (failed.contains({file.path, test_case.id})) {
        saved.cases.push_back(test_case);
      }
    }
    if (!saved.cases.empty()) files.push_back(std::move(saved));
  }
  return files;
}

}  // namespace qconform::harness
