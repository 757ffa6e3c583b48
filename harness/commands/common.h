// What several sub-commands need.

#ifndef QCONFORM_HARNESS_COMMANDS_COMMON_H_
#define QCONFORM_HARNESS_COMMANDS_COMMON_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/candidates/candidate.h"
#include "harness/cases/vector_file.h"
#include "harness/results/model.h"

namespace qconform::harness {

// "qconform: <message>" on standard error; returns the exit code.
ExitCode ReportBadInput(const absl::Status& status);

std::vector<std::string> CandidateNames();
// The implementation that --candidate names, else kInvalidArgument. Besides
// those of CandidateNames there are mutants (mutant_candidate.h).
absl::StatusOr<std::unique_ptr<Candidate>> FindCandidate(
    const std::string& name);

// Opens the file of an option ("json") before anything runs, so that a long run
// is not lost to a typo. An empty path is fine: no file is wanted.
absl::Status CheckWritable(const std::string& option, const std::string& path);

// kInvalidArgument if an output (option, path) is another's file or one of
// `inputs`, which it would destroy. Devices can be shared; "-" stands for one
// file.
absl::Status CheckApart(
    const std::vector<std::pair<std::string, std::string>>& outputs,
    const std::vector<std::string>& inputs);

// Both checks.
absl::Status CheckOutputs(
    const std::vector<std::pair<std::string, std::string>>& outputs,
    const std::vector<std::string>& inputs);

// Writes what `text` returns to the file of an option, if one is wanted. False
// if that failed, told on standard error.
bool WriteOutput(const std::string& option, const std::string& path,
                 absl::FunctionRef<std::string()> text);

// ReadVectorFiles, after making sure that each path exists; besides, a case
// whose names the operator does not know is no call at all and an error. A
// folder without vectors is none: it gives no cases.
absl::StatusOr<std::vector<VectorFile>> ReadInput(
    const std::vector<std::string>& paths);

// Whether --filter selects the case. With '*', '?' or '/' the filter is a
// pattern for the whole "operator/id"; else it is any part of it.
bool MatchesFilter(const std::string& filter, const TestCase& test_case);

// "fnv1a64:<16 digits>" of the canonical spelling of the files, whatever their
// order and paths.
std::string CorpusHash(const std::vector<VectorFile>& files);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_COMMON_H_
