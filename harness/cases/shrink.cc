#include "harness/cases/shrink.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "harness/cases/shrink_shape.h"
#include "harness/cases/value_text.h"
#include "harness/cases/weight_layout.h"
#include "spec/operator_spec.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

using spec::Arguments;
using spec::Tensor;

// How hard a number is to calculate with: 0, then 1, then short mantissas near
// 1, last what is no number.
int64_t Hardness(double value) {
  if (!std::isfinite(value)) return 1000;
  if (value == 0) return 0;
  int exponent;
  double mantissa = std::fabs(std::frexp(value, &exponent));
  int64_t bits = 0;
  while (mantissa != 0) {
    mantissa = std::ldexp(mantissa, 1);
    if (mantissa >= 1) mantissa -= 1;
    ++bits;
  }
  return 8 * bits - 7 + (value < 0 ? 4 : 0) + std::abs(exponent - 1);
}

int64_t Hardness(const Tensor& tensor, int64_t offset) {
  if (spec::IsFloat(tensor.desc.type)) {
    return Hardness(spec::ReadReal(tensor, offset));
  }
  // Beyond any quantized value size does not matter.
  constexpr int64_t kLarge = 1 << 10;
  const int64_t value =
      std::clamp(spec::ReadInteger(tensor, offset), -kLarge, kLarge);
  return value < 0 ? 1 - value : value;
}

int64_t StorageCount(const Tensor& tensor) {
  return static_cast<int64_t>(tensor.storage.size() /
                              spec::ByteSize(tensor.desc.type));
}

int64_t DescComplexity(const spec::TensorDesc& desc) {
  int64_t complexity = 16 * static_cast<int64_t>(desc.sizes.size());
  if (desc.format != spec::TensorFormat::kNd) complexity += 64;
  if (desc.strides) complexity += 64;
  return complexity;
}

double ZeroPointFor(const Arguments& arguments, const std::string& tensor) {
  const size_t stem = tensor.rfind("Tensor");
  if (stem == std::string::npos) return 0;
  const auto found = arguments.inputs.find(
      absl::StrCat(tensor.substr(0, stem), "ZeroPointTensor"));
  if (found == arguments.inputs.end() || found->second.storage.empty() ||
      spec::ByteSize(found->second.desc.type) != 1) {
    return 0;
  }
  return spec::ReadReal(found->second, 0);
}

bool IsQuantizedData(const Tensor& tensor) {
  return spec::ByteSize(tensor.desc.type) == 1;
}

double Clamped(const Tensor& tensor, double value) {
  if (spec::IsFloat(tensor.desc.type)) return value;
  return std::clamp(value, static_cast<double>(MinimumOf(tensor.desc.type)),
                    static_cast<double>(MaximumOf(tensor.desc.type)));
}

using Values = std::vector<ShrinkStep>;

// Applies a change to a range of a tensor's storage. int64 is left alone: group
// lists are cut with the rows.
ShrinkStep ChangeValues(const std::string& name, int64_t begin, int64_t end,
                        const std::function<double(double)>& change) {
  return [=](Arguments& arguments) {
    Tensor& tensor = arguments.inputs.at(name);
    for (int64_t i = begin; i < end; ++i) {
      const double value = spec::ReadReal(tensor, i);
      const int64_t hardness = Hardness(tensor, i);
      spec::WriteReal(tensor, i, Clamped(tensor, change(value)));
      if (Hardness(tensor, i) > hardness) spec::WriteReal(tensor, i, value);
    }
  };
}

// The value with its mantissa cut to this many bits.
double KeepBits(double value, int bits) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(mantissa, bits)), exponent - bits);
}

void AddValueSteps(const Arguments& arguments, const std::string& name,
                   const Tensor& tensor, Values& steps) {
  if (tensor.desc.type == spec::DataType::kInt64) return;
  const int64_t count = StorageCount(tensor);
  const double zero = ZeroPointFor(arguments, name);
  std::vector<std::function<double(double)>> changes;
  if (spec::IsFloat(tensor.desc.type)) {
    for (const double simple : {0.0, 1.0}) {
      changes.push_back([=](double) { return simple; });
    }
    changes.push_back([](double value) { return std::fabs(value); });
    for (const int bits : {1, 2, 4, 8, 12}) {
      changes.push_back([=](double value) { return KeepBits(value, bits); });
    }
    changes.push_back([](double value) {
      return std::isfinite(value) && value != 0
                 ? std::ldexp(value, -(std::ilogb(value) + 1) / 2)
                 : value;
    });
  } else {
    for (const double simple : {zero, zero + 1, 0.0, 1.0}) {
      changes.push_back([=](double) { return simple; });
    }
    changes.push_back(
        [=](double value) { return zero + std::trunc((value - zero) / 2); });
    changes.push_back([=](double value) {
      return value > zero ? value - 1 : value < zero ? value + 1 : value;
    });
  }
  // All at once, then parts, last one by one.
  for (int64_t part = count; part > 0; part /= 2) {
    if (count / part > 64) break;
    for (int64_t begin = 0; begin < count; begin += part) {
      const int64_t end = std::min(count, begin + part);
      for (const auto& change : changes) {
        steps.push_back(ChangeValues(name, begin, end, change));
      }
    }
  }
}

void ScaleTensor(Arguments& arguments, const std::string& name, int exponent) {
  const auto found = arguments.inputs.find(name);
  if (found == arguments.inputs.end()) return;
  Tensor& tensor = found->second;
  for (int64_t i = 0; i < StorageCount(tensor); ++i) {
    spec::WriteReal(tensor, i, std::ldexp(spec::ReadReal(tensor, i), exponent));
  }
}

// Multiplies tensors by a power of two together, which keeps ties, so that the
// first one's leading value comes near 1.
ShrinkStep Rescale(std::vector<std::pair<std::string, int>> names) {
  return [names = std::move(names)](Arguments& arguments) {
    const auto first = arguments.inputs.find(names.front().first);
    if (first == arguments.inputs.end() || first->second.storage.empty()) {
      return;
    }
    const double value = spec::ReadReal(first->second, 0);
    if (!std::isfinite(value) || value == 0) return;
    const int shift = -std::ilogb(value);
    for (const auto& [name, sign] : names) {
      ScaleTensor(arguments, name, sign * shift);
    }
  };
}

// Takes the zero point off the data, so that differences stay.
ShrinkStep Center(const std::string& prefix) {
  return [prefix](Arguments& arguments) {
    const auto data = arguments.inputs.find(prefix + "Tensor");
    const auto zero_point = arguments.inputs.find(prefix + "ZeroPointTensor");
    if (data == arguments.inputs.end() ||
        zero_point == arguments.inputs.end()) {
      return;
    }
    const double zero = ZeroPointFor(arguments, data->first);
    for (Tensor* tensor : {&data->second, &zero_point->second}) {
      if (!IsQuantizedData(*tensor)) return;
      for (int64_t i = 0; i < StorageCount(*tensor); ++i) {
        spec::WriteReal(*tensor, i,
                        Clamped(*tensor, spec::ReadReal(*tensor, i) - zero));
      }
    }
  };
}

// Whether the call would be valid with other values, so that its tensors have
// the axes they should.
bool HasValidShapes(Arguments arguments) {
  for (auto& [name, tensor] : arguments.inputs) {
    const bool is_scale =
        absl::StrContains(name, "Scale") || absl::StrContains(name, "scale");
    const bool is_bound = absl::StartsWith(name, "input_m");
    if (tensor.desc.type == spec::DataType::kInt64) {
      for (int64_t i = 0; i < StorageCount(tensor); ++i) {
        spec::WriteInteger(tensor, i, 0);
      }
    } else if (is_bound || is_scale) {
      for (int64_t i = 0; i < StorageCount(tensor); ++i) {
        spec::WriteReal(tensor, i, 1);
      }
    }
  }
  return spec::Validate(arguments).ok() && !spec::IsEmptyCall(arguments);
}

void AddShapeSteps(const Arguments& arguments, Values& steps) {
  if (!HasValidShapes(arguments)) return;
  for (const SharedAxis& axis : SharedAxes(arguments)) {
    const int64_t units = axis.size / axis.granularity;
    // Halves, quarters and so on, and what is left without one.
    for (int64_t part = units / 2; part > 0; part /= 2) {
      for (const int64_t count : {part, units - part}) {
        for (const int64_t begin : {int64_t{0}, units - count}) {
          steps.push_back([=](Arguments& changed) {
            Cut(changed, axis, begin * axis.granularity,
                count * axis.granularity);
          });
        }
      }
    }
    for (int64_t i = 0; i < std::min<int64_t>(units, 64) && units > 1; ++i) {
      steps.push_back([=](Arguments& changed) {
        Cut(changed, axis, i * axis.granularity, axis.granularity);
      });
    }
  }
  if (arguments.inputs.contains("weight")) {
    steps.push_back([](Arguments& changed) {
      WeightLayout plain = LayoutOfWeight(changed);
      plain.fractal = false;
      plain.transposed = true;
      ChangeWeightLayout(changed, plain, 0);
    });
  }
}

void AddDescriptionSteps(const Arguments& arguments, Values& steps) {
  const spec::OperatorSpec& spec = *spec::FindOperator(arguments.operator_name);
  for (const spec::TensorSpec& tensor : spec.tensors) {
    if (tensor.optional || tensor.must_be_absent) {
      steps.push_back([name = tensor.name](Arguments& changed) {
        changed.inputs.erase(name);
      });
    }
  }
  for (const auto& [name, value] : arguments.attributes) {
    steps.push_back(
        [name = name](Arguments& changed) { changed.attributes.erase(name); });
  }
  steps.push_back([](Arguments& changed) { changed.options = {}; });
  for (const auto& [name, tensor] : arguments.inputs) {
    if (!tensor.desc.strides) continue;
    steps.push_back([name = name](Arguments& changed) {
      Tensor& strided = changed.inputs.at(name);
      if (spec::StorageElementCount(strided.desc).ok() &&
          !strided.storage.empty()) {
        Pack(strided);
      }
    });
  }
  for (const auto& [name, desc] : arguments.outputs) {
    if (!desc.strides) continue;
    steps.push_back([name = name](Arguments& changed) {
      changed.outputs.at(name).strides.reset();
    });
  }
  // One value for all rows or columns.
  for (const auto& [name, tensor] : arguments.inputs) {
    if (!absl::StrContains(name, "Scale") &&
        !absl::StrContains(name, "ZeroPoint")) {
      continue;
    }
    steps.push_back([name = name](Arguments& changed) {
      Tensor& parameter = changed.inputs.at(name);
      const size_t width = spec::ByteSize(parameter.desc.type);
      if (parameter.storage.size() <= width) return;
      for (int64_t& size : parameter.desc.sizes) size = 1;
      parameter.desc.strides.reset();
      parameter.storage.resize(width);
    });
  }
}

void Fill(Arguments& arguments, const std::string& name, double value) {
  const auto found = arguments.inputs.find(name);
  if (found == arguments.inputs.end() ||
      found->second.desc.type == spec::DataType::kInt64) {
    return;
  }
  for (int64_t i = 0; i < StorageCount(found->second); ++i) {
    spec::WriteReal(found->second, i, Clamped(found->second, value));
  }
}

// Leaps to numbers a person knows by heart. A tie survives few small changes of
// one number, since three scales make it; so they change together.
void AddLeaps(const Arguments& arguments, Values& steps) {
  if (arguments.inputs.contains("ATensor")) {
    for (const bool data : {false, true}) {
      for (const double value : {1.0, 3.0}) {
        for (const double output : {2.0, 4.0, 1.0, 0.5}) {
          steps.push_back([=](Arguments& changed) {
            Fill(changed, "AScaleTensor", 1);
            Fill(changed, "BScaleTensor", 1);
            Fill(changed, "OutputScaleTensor", output);
            if (!data) return;
            for (const char* prefix : {"A", "B", "Output"}) {
              changed.inputs.erase(absl::StrCat(prefix, "ZeroPointTensor"));
            }
            // Of a sum over k one term is left.
            const bool sums =
                changed.operator_name == "dml_quantized_linear_matrix_multiply";
            Fill(changed, "ATensor", sums ? 0 : value);
            Fill(changed, "BTensor", 1);
            const auto a = changed.inputs.find("ATensor");
            if (a != changed.inputs.end() && !a->second.storage.empty()) {
              spec::WriteReal(a->second, 0, value);
            }
          });
        }
      }
    }
  } else if (arguments.inputs.contains("weight")) {
    // The first of a row is its maximum, 127 units; the others are the same
    // number of units.
    for (const double units : {0.0, 0.5, 1.5, 1.0, 63.5}) {
      steps.push_back([=](Arguments& changed) {
        Fill(changed, "x", units);
        Fill(changed, "weightScale", 1);
        Fill(changed, "xScaleOptional", 1);
        const auto x = changed.inputs.find("x");
        if (x == changed.inputs.end() || x->second.storage.empty()) return;
        spec::WriteReal(x->second, 0, 127);
        for (int64_t i = 2; i < StorageCount(x->second); ++i) {
          spec::WriteReal(x->second, i, 0);
        }
      });
    }
  } else {
    for (const double value : {0.5, 1.5, -0.5, 1.0, 200.0}) {
      for (const double low : {-127.0, -128.0, 0.0}) {
        steps.push_back([=](Arguments& changed) {
          changed.attributes.erase("num_bits");
          Fill(changed, "input", value);
          Fill(changed, "input_min", low);
          Fill(changed, "input_max", low == 0 ? 255 : 127);
        });
      }
    }
  }
}

// Drops a leading 1 of all tensors whose names `match`.
void AddRankSteps(const Arguments& arguments, Values& steps) {
  const auto drop = [&](const std::function<bool(const std::string&)>& match) {
    steps.push_back([match](Arguments& changed) {
      const auto shorten = [](spec::TensorDesc& desc) {
        if (desc.sizes.empty() || desc.sizes.front() != 1) return;
        desc.sizes.erase(desc.sizes.begin());
        if (desc.strides && !desc.strides->empty()) {
          desc.strides->erase(desc.strides->begin());
        }
      };
      for (auto& [name, tensor] : changed.inputs) {
        if (match(name)) shorten(tensor.desc);
      }
      for (auto& [name, desc] : changed.outputs) {
        if (match(name)) shorten(desc);
      }
    });
  };
  const auto is_parameter = [](const std::string& name) {
    return absl::StrContains(name, "Scale") ||
           absl::StrContains(name, "ZeroPoint");
  };
  if (arguments.inputs.contains("weight")) return;
  drop([](const std::string&) { return true; });
  drop(is_parameter);
  drop([=](const std::string& name) { return !is_parameter(name); });
}

// Whether steps made for the one call can be applied to the other.
bool SameShape(const Arguments& a, const Arguments& b) {
  const auto same = [](const auto& one, const auto& other) {
    return one.first == other.first &&
           one.second.desc.sizes == other.second.desc.sizes &&
           one.second.storage.size() == other.second.storage.size();
  };
  return std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(),
                    b.inputs.end(), same) &&
         a.outputs == b.outputs && a.attributes.size() == b.attributes.size();
}

}  // namespace

int64_t Complexity(const Arguments& arguments) {
  int64_t complexity = 32 * static_cast<int64_t>(arguments.attributes.size());
  if (!(arguments.options == spec::Options())) complexity += 32;
  for (const auto& [name, tensor] : arguments.inputs) {
    complexity += 64 + DescComplexity(tensor.desc);
    const int64_t count = StorageCount(tensor);
    complexity += 64 * count;
    for (int64_t i = 0; i < count; ++i) complexity += Hardness(tensor, i);
  }
  for (const auto& [name, desc] : arguments.outputs) {
    complexity += DescComplexity(desc);
    complexity +=
        64 * std::clamp<int64_t>(spec::StorageElementCount(desc).value_or(0), 0,
                                 int64_t{1} << 40);
  }
  return complexity;
}

std::vector<ShrinkStep> ShrinkSteps(const Arguments& arguments) {
  std::vector<ShrinkStep> steps;
  AddShapeSteps(arguments, steps);
  AddDescriptionSteps(arguments, steps);
  AddRankSteps(arguments, steps);
  steps.push_back(Rescale(
      {{"AScaleTensor", 1}, {"BScaleTensor", 1}, {"OutputScaleTensor", 1}}));
  steps.push_back(Rescale({{"AScaleTensor", 1}, {"OutputScaleTensor", 1}}));
  steps.push_back(Rescale({{"BScaleTensor", 1}, {"OutputScaleTensor", 1}}));
  steps.push_back(Rescale({{"AScaleTensor", 1}, {"BScaleTensor", -1}}));
  steps.push_back(Rescale({{"input_max", 1}, {"input_min", 1}, {"input", 1}}));
  steps.push_back(Rescale({{"input_min", 1}, {"input_max", 1}, {"input", 1}}));
  steps.push_back(
      Rescale({{"xScaleOptional", 1}, {"x", 1}, {"weightScale", -1}}));
  steps.push_back(Rescale({{"x", 1}, {"weightScale", -1}}));
  for (const char* prefix : {"A", "B"}) steps.push_back(Center(prefix));
  AddLeaps(arguments, steps);
  for (const auto& [name, tensor] : arguments.inputs) {
    AddValueSteps(arguments, name, tensor, steps);
  }
  return steps;
}

bool TryStep(const ShrinkStep& step, const Arguments& arguments,
             Arguments& result) {
  result = arguments;
  step(result);
  return Complexity(result) < Complexity(arguments) &&
         spec::Validate(result).ok() == spec::Validate(arguments).ok();
}

Arguments Shrink(Arguments arguments,
                 const std::function<bool(const Arguments&)>& still_fails,
                 int budget) {
  bool simpler = true;
  while (simpler) {
    simpler = false;
    // Steps are made for the shape that the call had.
    const std::vector<ShrinkStep> steps = ShrinkSteps(arguments);
    for (const ShrinkStep& step : steps) {
      Arguments candidate;
      if (!TryStep(step, arguments, candidate)) continue;
      if (budget-- <= 0) return arguments;
      if (!still_fails(candidate)) continue;
      simpler = true;
      const bool same_shape = SameShape(arguments, candidate);
      arguments = std::move(candidate);
      if (!same_shape) break;
    }
  }
  return arguments;
}

}  // namespace qconform::harness
