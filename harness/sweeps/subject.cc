#include "harness/sweeps/subject.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"

namespace qconform::harness {

SweepSubject::Variants<AddFunction> SweepSubject::Add(
    const AddSetting& /*setting*/) {
  return std::vector<Variant<AddFunction>>();
}
SweepSubject::Variants<NarrowRequantizeFunction> SweepSubject::Requantize(
    const RequantizeSetting& /*setting*/) {
  return std::vector<Variant<NarrowRequantizeFunction>>();
}
SweepSubject::Variants<RequantizeFunction> SweepSubject::RequantizeWide(
    const RequantizeSetting& /*setting*/) {
  return std::vector<Variant<RequantizeFunction>>();
}
SweepSubject::Variants<QuantizeAndDequantizeFunction>
SweepSubject::QuantizeAndDequantize(
    const QuantizeAndDequantizeSetting& /*setting*/) {
  return std::vector<Variant<QuantizeAndDequantizeFunction>>();
}
SweepSubject::Variants<ToFloat32Function> SweepSubject::ToFloat32() {
  return std::vector<Variant<ToFloat32Function>>();
}
SweepSubject::Variants<ToFloat16Function> SweepSubject::ToFloat16() {
  return std::vector<Variant<ToFloat16Function>>();
}
SweepSubject::Variants<RowQuantizeFunction> SweepSubject::RowQuantize(
    const float* /*static_scale*/) {
  return std::vector<Variant<RowQuantizeFunction>>();
}
SweepSubject::Variants<DequantizeFunction> SweepSubject::Dequantize(
    float /*row_factor*/, bool /*is_dynamic*/) {
  return std::vector<Variant<DequantizeFunction>>();
}

namespace {

// Operators whose elements do not depend on one another, as whole calls.
class CallingSubject : public SweepSubject {
 public:
  CallingSubject(Candidate& candidate, std::string target)
      : candidate_(candidate), target_(std::move(target)) {}

  std::string Target() const override { return target_; }

  Variants<AddFunction> Add(const AddSetting& setting) override {
    return std::vector<Variant<AddFunction>>{
        {candidate_.Name(),
         [this, setting](const uint8_t* a, const uint8_t* b, uint8_t* output) {
           spec::Arguments call = AddCall(setting, 0, 0);
           // All nine tensors have one rank, so sizes of 1 stay as they are.
           Replace(call.inputs["ATensor"], a, kAddPairs);
           Replace(call.inputs["BTensor"], b, kAddPairs);
           return Execute(call, "OutputTensor", output, kAddPairs);
         }}};
  }

  Variants<QuantizeAndDequantizeFunction> QuantizeAndDequantize(
      const QuantizeAndDequantizeSetting& setting) override {
    return std::vector<Variant<QuantizeAndDequantizeFunction>>{
        {candidate_.Name(),
         [this, setting](const float* input, size_t count, float* output) {
           spec::Arguments call = QuantizeAndDequantizeCall(setting, 0);
           Replace(call.inputs["input"], input, count);
           return Execute(call, "output", output, count);
         }}};
  }

 private:
  template <typename T>
  static void Replace(spec::Tensor& tensor, const T* data, size_t count) {
    tensor.desc.sizes = {static_cast<int64_t>(count)};
    tensor.storage.resize(count * sizeof(T));
    std::memcpy(tensor.storage.data(), data, count * sizeof(T));
  }

  template <typename T>
  absl::Status Execute(spec::Arguments& call, const std::string& name, T* data,
                       size_t count) {
    call.outputs[name].sizes = {static_cast<int64_t>(count)};
    OutputStorage outputs;
    std::vector<std::byte>& storage = outputs[name];
    storage.resize(count * sizeof(T));
    std::memcpy(storage.data(), data, storage.size());  // the caller's poison
    ExecutionOptions options;
    options.target = target_;
    const std::lock_guard<std::mutex> lock(mutex_);
    const Execution execution = candidate_.Execute(call, options, outputs);
    if (execution.outcome != ExecutionOutcome::kCompleted) {
      return absl::InternalError(
          absl::StrCat("the call was not completed: ", execution.message));
    }
    std::memcpy(data, outputs[name].data(), count * sizeof(T));
    return absl::OkStatus();
  }

  Candidate& candidate_;
  std::string target_;
  std::mutex mutex_;
};

}  // namespace

std::unique_ptr<SweepSubject> CandidateSubject(Candidate& candidate,
                                               const std::string& target) {
  return std::make_unique<CallingSubject>(candidate, target);
}

std::vector<std::unique_ptr<SweepSubject>> MakeSubjects(
    bool is_builtin, const std::vector<std::string>& targets,
    Candidate& candidate) {
  if (is_builtin) return BuiltinSubjects(targets);
  std::vector<std::unique_ptr<SweepSubject>> subjects;
  const std::vector<std::string> own = candidate.Targets();
  for (const std::string& target : targets) {
    if (std::find(own.begin(), own.end(), target) != own.end()) {
      subjects.push_back(CandidateSubject(candidate, target));
    }
  }
  return subjects;
}

}  // namespace qconform::harness
