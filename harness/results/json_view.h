// The results as JSON (spec/schema/results.schema.json).

#ifndef QCONFORM_HARNESS_RESULTS_JSON_VIEW_H_
#define QCONFORM_HARNESS_RESULTS_JSON_VIEW_H_

#include <string>

#include "harness/results/model.h"

namespace qconform::harness {

std::string ToJson(const RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_JSON_VIEW_H_
