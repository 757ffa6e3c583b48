#include "harness/results/gate_reader.h"

#include <string>
#include <vector>

namespace qconform::harness {
namespace {

// Those of cases that a stage may have, in the order of kStatuses.
constexpr CaseStatus kStatuses[] = {CaseStatus::kPassed, CaseStatus::kFailed,
                                    CaseStatus::kExpectedFailure,
                                    CaseStatus::kUnexpectedPass};

StageResult::Target ReadStageTarget(ObjectReader reader) {
  std::vector<std::string> names;
  for (const CaseStatus status : kStatuses) {
    names.push_back(CaseStatusName(status));
  }
  StageResult::Target target;
  target.target = reader.Text("target");
  target.failed = reader.Count("failed");
  target.status = kStatuses[reader.Choice("status", names)];
  target.reason = reader.Text("reason");
  const bool fails = target.status == CaseStatus::kFailed ||
                     target.status == CaseStatus::kExpectedFailure;
  if (fails != (target.failed > 0)) {
    reader.Fail("status contradicts the count of failures");
  }
  reader.Finish();
  return target;
}

}  // namespace

StageResult ReadStage(ObjectReader reader, absl::Status& status) {
  StageResult stage;
  stage.operator_name = reader.Text("operator");
  stage.name = reader.Text("name");
  stage.executed = reader.Count("executed");
  reader.Items("targets", [&](const nlohmann::json& item,
                              const std::string& place) {
    stage.targets.push_back(ReadStageTarget(ObjectReader(item, place, status)));
  });
  stage.failures = reader.Texts("failures");
  stage.seconds = reader.Real("seconds");
  stage.distrust = reader.Texts("distrust");
  reader.Finish();
  return stage;
}

RatchetRow ReadRatchet(ObjectReader reader) {
  RatchetRow row;
  row.operator_name = reader.Text("operator");
  row.types = reader.Text("types");
  row.target = reader.Text("target");
  row.difference_unit = reader.Text("difference_unit");
  row.permitted = reader.Text("permitted");
  row.recorded = reader.Count("recorded");
  row.observed = reader.Count("observed");
  if (reader.Text("outcome") != row.Outcome()) {
    reader.Fail("outcome contradicts recorded and observed");
  }
  reader.Finish();
  return row;
}

}  // namespace qconform::harness
