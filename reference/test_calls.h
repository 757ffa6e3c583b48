// Builds calls for the tests of the golden model.

#ifndef QCONFORM_REFERENCE_TEST_CALLS_H_
#define QCONFORM_REFERENCE_TEST_CALLS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "reference/golden.h"
#include "spec/arguments.h"
#include "spec/tensor.h"

namespace qconform::reference {

// A tensor with this storage.
inline spec::Tensor TensorOf(spec::DataType type, std::vector<int64_t> sizes,
                             const std::vector<double>& storage) {
  spec::Tensor tensor;
  tensor.desc.type = type;
  tensor.desc.sizes = std::move(sizes);
  tensor.storage.resize(storage.size() * spec::ByteSize(type));
  for (size_t i = 0; i < storage.size(); ++i) {
    const int64_t offset = static_cast<int64_t>(i);
    if (spec::IsFloat(type)) {
      spec::WriteReal(tensor, offset, storage[i]);
    } else {
      spec::WriteInteger(tensor, offset, static_cast<int64_t>(storage[i]));
    }
  }
  return tensor;
}

inline spec::TensorDesc DescOf(spec::DataType type,
                               std::vector<int64_t> sizes) {
  spec::TensorDesc desc;
  desc.type = type;
  desc.sizes = std::move(sizes);
  return desc;
}

inline std::vector<GoldenElement> Elements(const spec::Arguments& arguments,
                                           const GoldenRequest& request = {}) {
  const absl::StatusOr<GoldenResult> result = Evaluate(arguments, request);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->elements : std::vector<GoldenElement>();
}

inline std::vector<double> ExactValues(const spec::Arguments& arguments) {
  std::vector<double> values;
  for (const GoldenElement& element : Elements(arguments)) {
    EXPECT_TRUE(element.written);
    values.push_back(element.exact);
  }
  return values;
}

inline ElementTrace Traced(const spec::Arguments& arguments, int64_t element) {
  absl::StatusOr<ElementTrace> trace = TraceElement(arguments, element);
  EXPECT_TRUE(trace.ok()) << trace.status();
  return trace.ok() ? *std::move(trace) : ElementTrace();
}

// The step with this line; the test fails if there is none.
inline TraceStep StepOf(const ElementTrace& trace, const std::string& line) {
  for (const TraceStep& step : trace.steps) {
    if (step.line == line) return step;
  }
  ADD_FAILURE() << "no step " << line;
  return {};
}

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_TEST_CALLS_H_
