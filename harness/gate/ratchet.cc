#include "harness/gate/ratchet.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/judge/quotas.h"

namespace qconform::harness {
namespace {

std::string Describe(const KnownFailure& entry) {
  return absl::StrCat(entry.reason, " (", entry.link, ")");
}

}  // namespace

const KnownFailure* Ratchet::Find(const std::string& operator_name,
                                  const std::string& id,
                                  const std::string& target) const {
  for (const KnownFailure& entry : baseline_.known_failures) {
    if (entry.operator_name == operator_name && entry.case_id == id &&
        (entry.targets.empty() ||
         std::find(entry.targets.begin(), entry.targets.end(), target) !=
             entry.targets.end())) {
      return &entry;
    }
  }
  return nullptr;
}

const KnownDifference* Ratchet::Record(const std::string& operator_name,
                                       const std::string& types,
                                       const std::string& target) const {
  const KnownDifference* found = nullptr;
  for (const KnownDifference& entry : baseline_.differences) {
    if (entry.operator_name != operator_name || entry.types != types) continue;
    if (entry.target == target) return &entry;
    if (entry.target.empty()) found = &entry;
  }
  return found;
}

void Ratchet::Excuse(const std::string& operator_name, const std::string& id,
                     const std::string& target, CaseStatus& status,
                     std::string& reason) const {
  const KnownFailure* entry = Find(operator_name, id, target);
  const bool passed = status == CaseStatus::kPassed;
  if (entry == nullptr || (!passed && status != CaseStatus::kFailed)) return;
  const std::string day = absl::FormatCivilTime(entry->expires);
  std::string text;
  if (passed) {
    status = CaseStatus::kUnexpectedPass;
    text = absl::StrCat("passes, but is listed as a known failure: ",
                        Describe(*entry), "; remove it from ", baseline_.path);
  } else if (entry->expires < today_) {
    text = absl::StrCat("the known failure expired on ", day, ": ",
                        Describe(*entry));
  } else {
    status = CaseStatus::kExpectedFailure;
    text = absl::StrCat("known failure until ", day, ": ", Describe(*entry));
  }
  reason = reason.empty() ? text : absl::StrCat(text, "; ", reason);
}

void Ratchet::Apply(const TestCase& test_case, const std::string& target,
                    CaseVerdict& verdict) {
  if (verdict.status == CaseStatus::kPassed) Note(test_case, target, verdict);
  Excuse(test_case.arguments.operator_name, test_case.id, target,
         verdict.status, verdict.reason);
}

void Ratchet::Apply(StageResult& stage) const {
  for (StageResult::Target& target : stage.targets) {
    Excuse(stage.operator_name, stage.name, target.target, target.status,
           target.reason);
  }
}

void Ratchet::Note(const TestCase& test_case, const std::string& target,
                   const CaseVerdict& verdict) {
  int64_t largest = 0;
  for (const ElementOutcome& element : verdict.elements) {
    // In a case that passed no element has a fault or differs by NaN.
    if (!element.must_stay) {
      largest = std::max(largest, std::abs(element.difference.steps));
    }
  }
  const std::string& name = test_case.arguments.operator_name;
  const std::string types = TypesLabel(test_case.arguments);
  const KnownDifference* record = Record(name, types, target);
  const std::string place = record == nullptr ? "" : record->target;
  RatchetRow& row = rows_[{name, types, place}];
  row.operator_name = name;
  row.types = types;
  row.target = place;
  row.permitted = PermittedDifference(level_);
  row.recorded = record == nullptr ? 0 : record->observed;
  row.observed = std::max(row.observed, largest);
  const auto& outputs = test_case.arguments.outputs;
  if (row.difference_unit.empty() || !outputs.empty()) {
    row.difference_unit =
        !outputs.empty() && spec::IsFloat(outputs.begin()->second.type)
            ? "ULP"
            : "integer";
  }
}

std::vector<RatchetRow> Ratchet::Rows() const {
  std::vector<RatchetRow> rows;
  for (const auto& [key, row] : rows_) rows.push_back(row);
  return rows;
}

Baseline Ratchet::Shrunk() const {
  Baseline baseline = baseline_;
  for (KnownDifference& entry : baseline.differences) {
    const auto row =
        rows_.find({entry.operator_name, entry.types, entry.target});
    // Nothing was seen of targets that other machines have.
    if (row == rows_.end()) continue;
    entry.observed = std::min(entry.observed, row->second.observed);
  }
  return baseline;
}

Baseline Ratchet::Begun() const {
  Baseline baseline = Shrunk();
  for (const auto& [key, row] : rows_) {
    if (row.observed <= row.recorded) continue;
    KnownDifference entry;
    entry.operator_name = row.operator_name;
    entry.types = row.types;
    entry.target = row.target;
    entry.unit = row.difference_unit;
    entry.permitted = row.permitted;
    entry.observed = row.observed;
    baseline.differences.push_back(std::move(entry));
  }
  return baseline;
}

std::vector<std::string> Ratchet::Warnings() const {
  constexpr int kNoticeDays = 14;
  std::vector<std::string> warnings;
  for (const KnownFailure& entry : baseline_.known_failures) {
    if (entry.expires < today_ || entry.expires - today_ > kNoticeDays) {
      continue;
    }
    warnings.push_back(absl::StrCat("known failure ", entry.operator_name, "/",
                                    entry.case_id, " expires on ",
                                    absl::FormatCivilTime(entry.expires), ": ",
                                    Describe(entry)));
  }
  return warnings;
}

}  // namespace qconform::harness
