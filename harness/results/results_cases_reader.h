// Cases and groups out of the JSON of results; the rest is results_reader.cc's.

#ifndef QCONFORM_HARNESS_RESULTS_RESULTS_CASES_READER_H_
#define QCONFORM_HARNESS_RESULTS_RESULTS_CASES_READER_H_

#include "absl/status/status.h"
#include "harness/results/model.h"
#include "harness/results/object_reader.h"

namespace qconform::harness {

// `status` gets the first fault, also of the objects within.
CaseResult ReadCase(ObjectReader reader, absl::Status& status);
Group ReadGroup(ObjectReader reader, absl::Status& status);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_RESULTS_CASES_READER_H_
