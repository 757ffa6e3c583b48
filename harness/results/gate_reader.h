// Reads what a gate adds to the results.

#ifndef QCONFORM_HARNESS_RESULTS_GATE_READER_H_
#define QCONFORM_HARNESS_RESULTS_GATE_READER_H_

#include "absl/status/status.h"
#include "harness/results/model.h"
#include "harness/results/object_reader.h"

namespace qconform::harness {

// `status` gets the first fault, also of the objects within.
StageResult ReadStage(ObjectReader reader, absl::Status& status);
RatchetRow ReadRatchet(ObjectReader reader);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_GATE_READER_H_
