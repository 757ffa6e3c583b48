// Which source of cases tells which mutant from a right implementation.

#ifndef QCONFORM_HARNESS_COMMANDS_MUTANTS_MATRIX_H_
#define QCONFORM_HARNESS_COMMANDS_MUTANTS_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/candidates/candidate.h"
#include "harness/candidates/mutants/mutants.h"
#include "harness/cases/test_case.h"
#include "harness/judge/expectation.h"

namespace qconform::harness {

// Cases of one operator. Not for two threads at once.
class CaseSource {
 public:
  virtual ~CaseSource() = default;
  virtual size_t CaseCount() const = 0;

  // The first case that the candidate does not pass, as people name it; none
  // if it passes all. An error: the harness broke.
  virtual absl::StatusOr<std::optional<std::string>> FirstKill(
      Candidate& candidate) = 0;
};

// Cases that are judged one by one at level exact. What must come of each is
// worked out once, by the second oracle, for all candidates.
class ListedCases : public CaseSource {
 public:
  explicit ListedCases(std::vector<TestCase> cases);
  size_t CaseCount() const override { return cases_.size(); }
  absl::StatusOr<std::optional<std::string>> FirstKill(
      Candidate& candidate) override;

 private:
  std::vector<TestCase> cases_;
  std::vector<Expectation> expectations_;  // of the first cases, as needed
};

// `count` calls, in turn random ones, valid and not, and ones made to be hard;
// named by their number. One seed gives the same calls everywhere.
std::vector<TestCase> RandomCases(const std::string& operator_name,
                                  int64_t count, uint64_t seed);

struct NamedSource {
  std::string name;  // "vectors"
  std::unique_ptr<CaseSource> source;
};

struct MutantResult {
  mutants::Fault fault;
  // Beside each source of the matrix: the case that killed the mutant.
  std::vector<std::optional<std::string>> kills;
  bool Survived() const;
};

struct SourceTotal {
  std::string name;
  int64_t cases = 0;
  int64_t killed = 0;
  double seconds = 0;
};

struct KillMatrix {
  std::vector<SourceTotal> sources;
  std::vector<MutantResult> mutants;
  int64_t SurvivorCount() const;
};

// Runs the sources against the operator's original, which must pass them all,
// and then against each fault; each source stops at its first kill. As the
// original passes every case, a mutant that survives all of them has differed
// from it in none. kInternal if the original fails a case or the judge breaks.
absl::StatusOr<KillMatrix> FillKillMatrix(
    const std::string& operator_name, std::vector<NamedSource> sources,
    const std::vector<mutants::Fault>& faults);

// Appends the rows of `part`, which has the same sources, and adds its totals.
void AppendMatrix(KillMatrix part, KillMatrix& whole);

// Percentage of mutants that a source killed; 0 without mutants.
double KilledPercent(const KillMatrix& matrix, const SourceTotal& source);

// For a terminal: a table per operator, then totals and survivors.
std::string FormatMatrix(const KillMatrix& matrix);
// {"schema": "mutants/1", ...}.
std::string MatrixToJson(const KillMatrix& matrix, uint64_t seed);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_MUTANTS_MATRIX_H_
