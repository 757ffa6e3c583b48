// What must come of a case: the vector's word, the golden model's, and where
// the two contradict one another.

#ifndef QCONFORM_HARNESS_JUDGE_EXPECTATION_H_
#define QCONFORM_HARNESS_JUDGE_EXPECTATION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/cases/test_case.h"
#include "reference/golden.h"

namespace qconform::harness {

// What must come of one case; made once, used for every target.
class Expectation {
 public:
  // Above this many multiplications the second oracle stands in for the golden
  // model, and facts (ties, clamps) are not known.
  static constexpr int64_t kDefaultGoldenLimit = 4'000'000;

  // An error is a fault of the harness, never of the case or the candidate.
  static absl::StatusOr<Expectation> Make(
      const TestCase& test_case, int64_t golden_limit = kDefaultGoldenLimit);

  const TestCase& test_case() const { return *test_case_; }

  // Set if the call must be rejected.
  const std::optional<ExpectedError>& error() const {
    return test_case_->error;
  }

  // How vector and golden model contradict one another; empty if they agree.
  const std::string& disagreement() const { return disagreement_; }

  // The golden model's elements with their facts; empty if it rejects the call
  // or the second oracle stood in.
  const std::vector<reference::GoldenElement>& golden() const {
    return golden_;
  }

  struct Element {
    bool must_stay = false;
    double value = 0;
    bool golden_differs = false;
    double golden = 0;
  };
  const std::string& output_name() const { return output_name_; }
  const std::vector<Element>& elements() const { return elements_; }

  // The golden model's element with its enclosure, evaluated when first asked
  // for: exact elements never need it. Null if the golden model rejects the
  // call.
  absl::StatusOr<const reference::GoldenElement*> Enclosure(int64_t element);

 private:
  explicit Expectation(const TestCase& test_case) : test_case_(&test_case) {}
  absl::Status EvaluateGolden(int64_t golden_limit);
  void ApplyFrozen();
  void NoteDisagreementOverError(const absl::Status& golden);

  const TestCase* test_case_;
  bool golden_accepts_ = false;
  bool second_oracle_ = false;
  std::string disagreement_;
  std::string output_name_;
  std::vector<reference::GoldenElement> golden_;
  std::vector<Element> elements_;
  std::map<int64_t, reference::GoldenElement> traced_;  // of large cases
  std::vector<reference::GoldenElement> enclosures_;    // of all others
};

// Multiplications that a call takes, roughly: output elements times the length
// of the sum behind each.
int64_t EstimateWork(const spec::Arguments& arguments);

// What a vector says that expects this rejection.
ExpectedError ErrorOf(const absl::Status& rejection);

// "161002", "invalid_argument" or "invalid_argument (161002)".
std::string DescribeError(const ExpectedError& error);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_JUDGE_EXPECTATION_H_
