// Parts of the model as JSON, as the results file and the HTML page hold them
// alike.

#ifndef QCONFORM_HARNESS_RESULTS_JSON_PARTS_H_
#define QCONFORM_HARNESS_RESULTS_JSON_PARTS_H_

#include <cstdint>
#include <map>

#include "harness/results/model.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {

// Keys stay in the order written: a person reads the verdict first.
using Json = nlohmann::ordered_json;

Json ToJson(const ElementCounts& counts);
Json ToJson(const std::map<CaseStatus, int64_t>& cases);  // {name: count}
Json ToJson(const Failure& failure);
Json ToJson(const ClauseResult& clause);
Json ToJson(const StageResult& stage);
Json ToJson(const RatchetRow& row);
// All of a group but its histogram and samples.
Json GroupCounts(const Group& group);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_JSON_PARTS_H_
