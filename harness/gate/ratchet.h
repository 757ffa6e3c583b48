// Applies a baseline to verdicts as a gate reaches them.

#ifndef QCONFORM_HARNESS_GATE_RATCHET_H_
#define QCONFORM_HARNESS_GATE_RATCHET_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/time/civil_time.h"
#include "harness/cases/test_case.h"
#include "harness/gate/baseline.h"
#include "harness/judge/verdict.h"
#include "harness/results/model.h"

namespace qconform::harness {

class Ratchet {
 public:
  // `baseline` must outlive it. Known failures expire at the end of their day;
  // `today` decides.
  Ratchet(const Baseline& baseline, Level level, absl::CivilDay today)
      : baseline_(baseline), level_(level), today_(today) {}

  // Known failures: a case that fails becomes an expected failure, one that
  // passes an unexpected pass; after the last day it fails as any other.
  // Crashes and time-outs are never expected: nobody knows what they hide.
  // Then notes how far the elements of a case that passed lie from what was
  // expected.
  void Apply(const TestCase& test_case, const std::string& target,
             CaseVerdict& verdict);

  // The same for a stage on each target.
  void Apply(StageResult& stage) const;

  // Every difference that is recorded for a target that ran, or was seen.
  std::vector<RatchetRow> Rows() const;

  // The baseline with its records lowered to what was seen; never raised.
  Baseline Shrunk() const;
  // The same with records for what was seen and is not recorded yet: for a team
  // that begins.
  Baseline Begun() const;

  // What a person should look at before it fails: "known failure .. expires on
  // ..", within two weeks.
  std::vector<std::string> Warnings() const;

 private:
  // operator, types, target of a record
  using Key = std::tuple<std::string, std::string, std::string>;
  const KnownFailure* Find(const std::string& operator_name,
                           const std::string& id,
                           const std::string& target) const;
  // Changes the status and says why, if a known failure concerns it.
  void Excuse(const std::string& operator_name, const std::string& id,
              const std::string& target, CaseStatus& status,
              std::string& reason) const;
  const KnownDifference* Record(const std::string& operator_name,
                                const std::string& types,
                                const std::string& target) const;
  void Note(const TestCase& test_case, const std::string& target,
            const CaseVerdict& verdict);

  const Baseline& baseline_;
  const Level level_;
  const absl::CivilDay today_;
  std::map<Key, RatchetRow> rows_;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_GATE_RATCHET_H_
