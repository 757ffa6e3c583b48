#include "harness/results/json_parts.h"

namespace qconform::harness {

Json ToJson(const ElementCounts& counts) {
  return {{"exact", counts.exact},
          {"explained", counts.explained},
          {"wrong", counts.wrong},
          {"preserved", counts.preserved}};
}

Json ToJson(const std::map<CaseStatus, int64_t>& cases) {
  Json json = Json::object();
  for (const auto& [status, count] : cases) {
    json[CaseStatusName(status)] = count;
  }
  return json;
}

Json ToJson(const Failure& failure) {
  return {{"output", failure.output},
          {"element", failure.element},
          {"index", failure.index},
          {"verdict", ElementVerdictName(failure.verdict)},
          {"fault", ElementFaultName(failure.fault)},
          {"expected", failure.expected},
          {"found", failure.found},
          {"difference",
           failure.difference ? Json(*failure.difference) : Json(nullptr)},
          {"difference_text", failure.difference_text},
          {"reason", failure.reason}};
}

Json ToJson(const ClauseResult& clause) {
  return {{"operator", clause.operator_name},
          {"id", clause.id},
          {"question", clause.question},
          {"decision", clause.decision},
          {"cases", clause.cases},
          {"passed", clause.passed},
          {"failed", clause.failed},
          {"outcome", clause.Outcome()}};
}

Json ToJson(const StageResult& stage) {
  Json targets = Json::array();
  for (const StageResult::Target& target : stage.targets) {
    targets.push_back({{"target", target.target},
                       {"failed", target.failed},
                       {"status", CaseStatusName(target.status)},
                       {"reason", target.reason}});
  }
  return {{"operator", stage.operator_name}, {"name", stage.name},
          {"executed", stage.executed},      {"targets", targets},
          {"failures", stage.failures},      {"seconds", stage.seconds},
          {"distrust", stage.distrust}};
}

Json ToJson(const RatchetRow& row) {
  return {
      {"operator", row.operator_name}, {"types", row.types},
      {"target", row.target},          {"difference_unit", row.difference_unit},
      {"permitted", row.permitted},    {"recorded", row.recorded},
      {"observed", row.observed},      {"outcome", row.Outcome()}};
}

Json GroupCounts(const Group& group) {
  Json faults = Json::object();
  for (const auto& [fault, count] : group.faults) {
    faults[ElementFaultName(fault)] = count;
  }
  Json worst = Json::array();
  for (const WorstElement& element : group.worst) {
    worst.push_back(
        {{"id", element.id},
         {"file", element.file},
         {"tie_distance",
          element.tie_distance ? Json(*element.tie_distance) : Json(nullptr)},
         {"failure", ToJson(element.failure)}});
  }
  return {{"operator", group.operator_name},
          {"types", group.types},
          {"target", group.target},
          {"difference_unit", group.difference_unit},
          {"cases", ToJson(group.cases)},
          {"elements", ToJson(group.counts)},
          {"nan_mismatches", group.nan_mismatches},
          {"faults", faults},
          {"facts",
           {{"elements", group.with_facts},
            {"ties", group.ties},
            {"output_ties", group.output_ties},
            {"clamped_low", group.clamped_low},
            {"clamped_high", group.clamped_high}}},
          {"worst", worst}};
}

}  // namespace qconform::harness
