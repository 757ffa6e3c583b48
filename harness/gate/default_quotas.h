// harness/quotas/gate.json as part of the program: how hard the inputs of a
// gate must be at least, so that a green one proves something. The generated
// cases alone meet it.

#ifndef QCONFORM_HARNESS_GATE_DEFAULT_QUOTAS_H_
#define QCONFORM_HARNESS_GATE_DEFAULT_QUOTAS_H_

#include <string>

namespace qconform::harness {

// JSON, see ParseQuotas.
std::string DefaultQuotas();

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_GATE_DEFAULT_QUOTAS_H_
