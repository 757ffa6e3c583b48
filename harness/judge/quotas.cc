#include "harness/judge/quotas.h"

#include <cmath>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/cases/vector_file.h"
#include "nlohmann/json.hpp"
#include "spec/operator_spec.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

using Counters = std::map<std::string, int64_t>;

// Every counter whose name is fixed.
const std::set<std::string>& FixedCounters() {
  static const std::set<std::string>* const counters =
      new std::set<std::string>{
          "cases",             // all of them
          "rejections",        // cases that must be rejected
          "results",           // cases that must succeed
          "empty_calls",       // of those: nothing to compute
          "second_oracle",     // of those: too large for the golden model
          "elements",          // judged on each target
          "preserved",         // elements that must stay as they were
          "ties",              // the document's round() met an exact tie
          "output_ties",       // the conversion to a float type met one
          "tie_neighbors",     // nearer than 2^-12 to a tie, but none
          "clamped_low",       // clamp changed the value
          "clamped_high",      //
          "at_lowest",         // reached the integer type's limit unclamped
          "at_highest",        //
          "one_above_lowest",  // one step inside
          "one_below_highest",
          "nan_results",
          "infinite_results",
          "nan_inputs",  // cases whose float inputs hold one
          "infinite_inputs",
          "subnormal_inputs",
          "inputs_at_lowest",  // cases whose integer data holds the extreme
          "inputs_at_highest",
          "zero_point_at_lowest",
          "zero_point_at_highest",
          "negative_scales",      // cases
          "subnormal_scales",     //
          "power_of_two_scales",  // all of a case's scales: ties are frequent
          "vector_tails",         // cases with output elements mod 64 != 0
          "whole_vectors",        // and those with none left over
          "strided_inputs",
          "strided_outputs",
          "broadcast_inputs",  // a stride of 0
          "several_groups",    // Ascend: cases
          "empty_groups",      // Ascend: groups without a row
          "rows_of_no_group"   // Ascend: cases (AG-05)
      };
  return *counters;
}

bool IsKnownCounter(const std::string& name) {
  if (FixedCounters().contains(name)) return true;
  for (const char* family :
       {"types:", "rank:", "layout:", "attribute:", "option:", "kind:"}) {
    if (absl::StartsWith(name, family)) return true;
  }
  return false;
}

bool IsNamed(const std::string& name, const char* word) {
  return absl::StrContains(name, word);
}

bool IsScale(const std::string& name) {
  return IsNamed(name, "Scale") || IsNamed(name, "scale");
}

// Limits of a one-byte type, the only ones whose extremes a vector reaches by
// intent.
std::pair<int64_t, int64_t> ByteLimits(spec::DataType type) {
  if (type == spec::DataType::kUint8) return {0, 255};
  return {-128, 127};
}

bool IsByte(spec::DataType type) {
  return type == spec::DataType::kUint8 || type == spec::DataType::kInt8;
}

bool IsSubnormal(spec::DataType type, double value) {
  const double smallest_normal =
      type == spec::DataType::kFloat16 ? 0x1p-14 : 0x1p-126;
  return value != 0 && std::abs(value) < smallest_normal;
}

bool IsPowerOfTwo(double value) {
  int exponent;
  return std::abs(std::frexp(value, &exponent)) == 0.5;
}

// What the inputs of one case hold; each fact counts once per case.
class InputFacts {
 public:
  void Look(const std::string& name, const spec::Tensor& tensor) {
    const spec::TensorDesc& desc = tensor.desc;
    LookAtLayout(desc);
    const int64_t count = spec::ElementCount(desc).value_or(0);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t offset = spec::StorageOffset(desc, i);
      if (spec::IsFloat(desc.type)) {
        LookAtFloat(name, desc.type, spec::ReadReal(tensor, offset));
      } else if (IsByte(desc.type)) {
        LookAtByte(name, desc.type, spec::ReadInteger(tensor, offset));
      }
    }
  }

  void AddTo(Counters& counters) const {
    for (const std::string& fact : facts_) ++counters[fact];
    if (scales_ > 0 && scales_ == power_of_two_scales_) {
      ++counters["power_of_two_scales"];
    }
  }

 private:
  void LookAtLayout(const spec::TensorDesc& desc) {
    if (!desc.strides) return;
    if (spec::EffectiveStrides(desc) !=
        spec::EffectiveStrides({desc.type, desc.format, desc.sizes, {}})) {
      facts_.insert("strided_inputs");
    }
    for (size_t axis = 0; axis < desc.sizes.size(); ++axis) {
      if (desc.sizes[axis] > 1 && (*desc.strides)[axis] == 0) {
        facts_.insert("broadcast_inputs");
      }
    }
  }

  void LookAtFloat(const std::string& name, spec::DataType type, double value) {
    if (std::isnan(value)) facts_.insert("nan_inputs");
    if (std::isinf(value)) facts_.insert("infinite_inputs");
    const bool subnormal = IsSubnormal(type, value);
    if (!IsScale(name)) {
      if (subnormal) facts_.insert("subnormal_inputs");
      return;
    }
    ++scales_;
    if (subnormal) facts_.insert("subnormal_scales");
    if (value < 0) facts_.insert("negative_scales");
    power_of_two_scales_ += IsPowerOfTwo(value);
  }

  void LookAtByte(const std::string& name, spec::DataType type, int64_t value) {
    const auto [lowest, highest] = ByteLimits(type);
    const std::string place =
        IsNamed(name, "ZeroPoint") ? "zero_point" : "inputs";
    if (value == lowest) facts_.insert(absl::StrCat(place, "_at_lowest"));
    if (value == highest) facts_.insert(absl::StrCat(place, "_at_highest"));
  }

  std::set<std::string> facts_;
  int64_t scales_ = 0;
  int64_t power_of_two_scales_ = 0;
};

std::string AttributeText(const spec::Attribute& attribute) {
  if (const bool* value = std::get_if<bool>(&attribute)) {
    return *value ? "true" : "false";
  }
  if (const int64_t* value = std::get_if<int64_t>(&attribute)) {
    return absl::StrCat(*value);
  }
  return std::get<std::string>(attribute);
}

void CountFamilies(const spec::Arguments& arguments, Counters& counters) {
  ++counters[absl::StrCat("types:", TypesLabel(arguments))];
  for (const auto& [name, desc] : arguments.outputs) {
    ++counters[absl::StrCat("rank:", desc.sizes.size())];
  }
  for (const auto& [name, tensor] : arguments.inputs) {
    if (tensor.desc.format != spec::TensorFormat::kNd) {
      ++counters[absl::StrCat("layout:",
                              spec::TensorFormatName(tensor.desc.format))];
    }
  }
  for (const auto& [name, attribute] : arguments.attributes) {
    ++counters[absl::StrCat("attribute:", name, "=", AttributeText(attribute))];
  }
  const spec::Options defaults;
  const spec::Options& options = arguments.options;
  if (options.feature_level != defaults.feature_level) {
    ++counters[absl::StrCat("option:feature_level=", options.feature_level)];
  }
  if (options.arithmetic != defaults.arithmetic) {
    ++counters[absl::StrCat("option:arithmetic=", options.arithmetic)];
  }
  if (options.allow_transpose_weight_false) {
    ++counters["option:allow_transpose_weight_false=true"];
  }
}

void CountGroups(const spec::Arguments& arguments, Counters& counters) {
  const auto list = arguments.inputs.find("groupList");
  const auto x = arguments.inputs.find("x");
  if (list == arguments.inputs.end() || x == arguments.inputs.end()) return;
  const spec::TensorDesc& desc = list->second.desc;
  const int64_t groups = spec::ElementCount(desc).value_or(0);
  if (groups > 1) ++counters["several_groups"];
  int64_t end = 0;
  for (int64_t i = 0; i < groups; ++i) {
    const int64_t next =
        spec::ReadInteger(list->second, spec::StorageOffset(desc, i));
    if (next == end) ++counters["empty_groups"];
    end = next;
  }
  if (!x->second.desc.sizes.empty() && end < x->second.desc.sizes.front()) {
    ++counters["rows_of_no_group"];
  }
}

void CountOutput(const spec::TensorDesc& desc, Counters& counters) {
  const int64_t count = spec::ElementCount(desc).value_or(0);
  if (count > 0) {
    ++counters[count % 64 != 0 ? "vector_tails" : "whole_vectors"];
  }
  if (spec::EffectiveStrides(desc) !=
      spec::EffectiveStrides({desc.type, desc.format, desc.sizes, {}})) {
    ++counters["strided_outputs"];
  }
}

void CountResults(const Expectation& expectation, spec::DataType type,
                  Counters& counters) {
  for (const Expectation::Element& element : expectation.elements()) {
    ++counters["elements"];
    if (element.must_stay) {
      ++counters["preserved"];
    } else if (IsByte(type)) {
      const auto [lowest, highest] = ByteLimits(type);
      counters["one_above_lowest"] += element.value == lowest + 1;
      counters["one_below_highest"] += element.value == highest - 1;
    } else {
      counters["nan_results"] += std::isnan(element.value);
      counters["infinite_results"] += std::isinf(element.value);
    }
  }
}

void CountGoldenFacts(const Expectation& expectation, spec::DataType type,
                      Counters& counters) {
  // Within this distance of a tie binary32 arithmetic starts to matter.
  constexpr double kNear = 0x1p-12;
  for (const reference::GoldenElement& element : expectation.golden()) {
    if (!element.written) continue;
    counters["ties"] += element.tie;
    counters["output_ties"] += element.output_tie;
    counters["tie_neighbors"] +=
        element.tie_distance > 0 && element.tie_distance < kNear;
    counters["clamped_low"] += element.clamped_low;
    counters["clamped_high"] += element.clamped_high;
    if (!IsByte(type)) continue;
    const auto [lowest, highest] = ByteLimits(type);
    counters["at_lowest"] += element.exact == lowest && !element.clamped_low;
    counters["at_highest"] += element.exact == highest && !element.clamped_high;
  }
}

absl::Status Malformed(const std::string& path, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", what));
}

absl::Status ParseOperatorQuotas(const std::string& path,
                                 const std::string& operator_name,
                                 const nlohmann::json& quotas,
                                 Counters& minimums) {
  if (spec::FindOperator(operator_name) == nullptr) {
    return Malformed(path, absl::StrCat("quotas names the unknown operator ",
                                        operator_name));
  }
  if (!quotas.is_object()) {
    return Malformed(
        path, absl::StrCat("quotas of ", operator_name, " must be an object"));
  }
  for (const auto& [counter, minimum] : quotas.items()) {
    if (!IsKnownCounter(counter)) {
      return Malformed(
          path, absl::StrCat("quotas of ", operator_name,
                             " names the unknown counter ", counter,
                             "; known: ", absl::StrJoin(FixedCounters(), ", "),
                             ", and types:, rank:, layout:, attribute:, "
                             "option:, kind: followed by a value"));
    }
    if (!minimum.is_number_integer() || minimum <= 0 ||
        minimum > int64_t{1} << 62) {
      return Malformed(
          path, absl::StrCat("quota ", counter, " of ", operator_name, " is ",
                             minimum.dump(), ", must be a positive integer"));
    }
    minimums[counter] = minimum.get<int64_t>();
  }
  return absl::OkStatus();
}

}  // namespace

std::string TypesLabel(const spec::Arguments& arguments) {
  std::vector<std::string> inputs;
  for (const char* name : {"ATensor", "BTensor", "x", "weight", "input"}) {
    const auto found = arguments.inputs.find(name);
    if (found != arguments.inputs.end()) {
      inputs.push_back(spec::DataTypeName(found->second.desc.type));
    }
  }
  std::vector<std::string> outputs;
  for (const auto& [name, desc] : arguments.outputs) {
    outputs.push_back(spec::DataTypeName(desc.type));
  }
  return absl::StrCat(absl::StrJoin(inputs, "+"), "->",
                      absl::StrJoin(outputs, "+"));
}

void CountInputQuality(const Expectation& expectation, CounterTable& counters) {
  const spec::Arguments& arguments = expectation.test_case().arguments;
  Counters& counts = counters[arguments.operator_name];
  ++counts["cases"];
  // What a call that must be rejected holds says nothing about computing.
  if (expectation.error() || expectation.output_name().empty()) {
    ++counts["rejections"];
    return;
  }
  ++counts["results"];
  if (spec::IsEmptyCall(arguments)) {
    ++counts["empty_calls"];
    return;
  }
  counts["second_oracle"] += expectation.golden().empty();
  CountFamilies(arguments, counts);
  CountGroups(arguments, counts);
  InputFacts facts;
  for (const auto& [name, tensor] : arguments.inputs) {
    facts.Look(name, tensor);
  }
  facts.AddTo(counts);
  const spec::TensorDesc& output =
      arguments.outputs.at(expectation.output_name());
  CountOutput(output, counts);
  CountResults(expectation, output.type, counts);
  CountGoldenFacts(expectation, output.type, counts);
}

absl::StatusOr<CounterTable> ParseQuotas(const std::string& path,
                                         const std::string& json) {
  const nlohmann::json document =
      nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return Malformed(path, "is not JSON");
  if (!document.is_object() || document.size() != 2 ||
      !document.contains("schema") || document["schema"] != "quotas/1" ||
      !document.contains("quotas") || !document["quotas"].is_object()) {
    return Malformed(path,
                     "must be {\"schema\": \"quotas/1\", \"quotas\": "
                     "{operator: {counter: minimum}}}");
  }
  CounterTable minimums;
  for (const auto& [operator_name, quotas] : document["quotas"].items()) {
    if (absl::Status status = ParseOperatorQuotas(path, operator_name, quotas,
                                                  minimums[operator_name]);
        !status.ok()) {
      return status;
    }
  }
  return minimums;
}

absl::StatusOr<CounterTable> ReadQuotas(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return Malformed(path, "cannot be read as a quotas file");
  return ParseQuotas(path, *text);
}

std::vector<Quota> CompareWithQuotas(const CounterTable& counters,
                                     const CounterTable& minimums) {
  std::map<std::pair<std::string, std::string>, Quota> quotas;
  const auto quota = [&quotas](const std::string& operator_name,
                               const std::string& counter) -> Quota& {
    Quota& result = quotas[{operator_name, counter}];
    result.operator_name = operator_name;
    result.counter = counter;
    return result;
  };
  for (const auto& [operator_name, counts] : counters) {
    for (const auto& [counter, count] : counts) {
      quota(operator_name, counter).count = count;
    }
  }
  for (const auto& [operator_name, counts] : minimums) {
    for (const auto& [counter, minimum] : counts) {
      quota(operator_name, counter).minimum = minimum;
    }
  }
  std::vector<Quota> sorted;
  for (auto& [key, value] : quotas) sorted.push_back(std::move(value));
  return sorted;
}

}  // namespace qconform::harness
