#include "harness/judge/properties.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/cases/random_values.h"
#include "harness/cases/shrink_shape.h"
#include "harness/cases/weight_layout.h"
#include "harness/judge/compare.h"
#include "harness/judge/verdict.h"
#include "spec/operator_spec.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

using spec::Arguments;
using spec::Tensor;

// What the changed call must give: its element i is element source[i] of the
// original (i itself, if empty) times 2^exponent.
struct Relation {
  Arguments changed;
  std::vector<int64_t> source;
  int exponent = 0;
};

using MaybeRelation = std::optional<Relation>;

std::vector<int64_t> Identity(int64_t size) {
  std::vector<int64_t> indices(static_cast<size_t>(size));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

void Shuffle(std::vector<int64_t>& items, size_t begin, size_t end,
             RandomSource& random) {
  for (size_t i = end; i > begin + 1; --i) {
    const auto other = static_cast<size_t>(random.Between(
        static_cast<int64_t>(begin), static_cast<int64_t>(i) - 1));
    std::swap(items[i - 1], items[other]);
  }
}

// Permutes an axis in every input that has it; the output's elements follow.
MaybeRelation PermuteAxis(const Arguments& arguments, const SharedAxis& axis,
                          const std::vector<int64_t>& order) {
  Relation relation{arguments, {}, 0};
  for (const auto& [name, from_end] : axis.tensors) {
    const auto input = relation.changed.inputs.find(name);
    if (input != relation.changed.inputs.end()) {
      const size_t rank = input->second.desc.sizes.size();
      input->second = Select(input->second, rank - from_end, order);
      continue;
    }
    const std::vector<int64_t>& sizes = arguments.outputs.at(name).sizes;
    Tensor positions;
    positions.desc.type = spec::DataType::kInt64;
    positions.desc.sizes = sizes;
    const int64_t count = spec::ElementCount(positions.desc).value();
    positions.storage.resize(static_cast<size_t>(count) * 8);
    for (int64_t i = 0; i < count; ++i) {
      spec::WriteInteger(positions, i, i);
    }
    positions = Select(positions, sizes.size() - from_end, order);
    for (int64_t i = 0; i < count; ++i) {
      relation.source.push_back(spec::ReadInteger(positions, i));
    }
  }
  return relation;
}

const SharedAxis* FindAxis(const std::vector<SharedAxis>& axes,
                           const std::string& name) {
  for (const SharedAxis& axis : axes) {
    if (axis.name == name && axis.size > 1) return &axis;
  }
  return nullptr;
}

std::vector<int64_t> GroupEnds(const Arguments& arguments) {
  const Tensor& groups = arguments.inputs.at("groupList");
  std::vector<int64_t> ends;
  for (int64_t i = 0; i < groups.desc.sizes[0]; ++i) {
    ends.push_back(
        spec::ReadInteger(groups, spec::StorageOffset(groups.desc, i)));
  }
  return ends;
}

MaybeRelation PermuteRows(const Arguments& arguments, RandomSource& random) {
  const std::vector<SharedAxis> axes = SharedAxes(arguments);
  if (const SharedAxis* rows = FindAxis(axes, "M")) {
    std::vector<int64_t> order = Identity(rows->size);
    Shuffle(order, 0, order.size(), random);
    return PermuteAxis(arguments, *rows, order);
  }
  if (const SharedAxis* rows = FindAxis(axes, "m")) {
    // Within groups; rows of no group are a group of their own.
    std::vector<int64_t> order = Identity(rows->size);
    size_t begin = 0;
    for (const int64_t end : GroupEnds(arguments)) {
      Shuffle(order, begin, static_cast<size_t>(end), random);
      begin = static_cast<size_t>(end);
    }
    Shuffle(order, begin, order.size(), random);
    return PermuteAxis(arguments, *rows, order);
  }
  if (const SharedAxis* elements = FindAxis(axes, "axis")) {
    std::vector<int64_t> order = Identity(elements->size);
    Shuffle(order, 0, order.size(), random);
    return PermuteAxis(arguments, *elements, order);
  }
  return std::nullopt;
}

MaybeRelation PermuteColumns(const Arguments& arguments, RandomSource& random) {
  const std::vector<SharedAxis> axes = SharedAxes(arguments);
  const SharedAxis* columns = FindAxis(axes, "N");
  if (columns == nullptr) return std::nullopt;
  std::vector<int64_t> order = Identity(columns->size);
  Shuffle(order, 0, order.size(), random);
  return PermuteAxis(arguments, *columns, order);
}

MaybeRelation SplitGroup(const Arguments& arguments, RandomSource& random) {
  std::vector<int64_t> ends = GroupEnds(arguments);
  const auto groups = static_cast<int64_t>(ends.size());
  const int64_t split = random.Between(0, groups - 1);
  const auto at = static_cast<size_t>(split);
  const int64_t begin = split == 0 ? 0 : ends[at - 1];
  // At an end one of the halves is empty, which changes nothing either (AG-05).
  ends.insert(ends.begin() + split, random.Between(begin, ends[at]));
  std::vector<int64_t> order = Identity(groups);
  order.insert(order.begin() + split, split);
  Relation relation{arguments, {}, 0};
  auto& inputs = relation.changed.inputs;
  for (const char* name : {"weight", "weightScale", "groupList"}) {
    inputs[name] = Select(inputs[name], 0, order);
  }
  for (size_t i = 0; i < ends.size(); ++i) {
    spec::WriteInteger(inputs["groupList"], static_cast<int64_t>(i), ends[i]);
  }
  return relation;
}

// False if a number would leave the normal numbers of its type.
bool Multiply(Arguments& arguments, const std::string& name, int exponent) {
  const auto found = arguments.inputs.find(name);
  if (found == arguments.inputs.end()) return true;
  Tensor& tensor = found->second;
  const bool half = tensor.desc.type == spec::DataType::kFloat16;
  const double smallest = half ? 0x1p-14 : 0x1p-126;
  const double largest = half ? 65504 : 0x1.fffffep127;
  const size_t width = spec::ByteSize(tensor.desc.type);
  Pack(tensor);
  for (size_t i = 0; i < tensor.storage.size() / width; ++i) {
    const auto offset = static_cast<int64_t>(i);
    const double value = std::ldexp(spec::ReadReal(tensor, offset), exponent);
    const double magnitude = std::fabs(value);
    if (std::isfinite(value) && value != 0 &&
        (magnitude < smallest || magnitude > largest)) {
      return false;
    }
    spec::WriteReal(tensor, offset, value);
  }
  return true;
}

MaybeRelation ScaleTogether(const Arguments& arguments, RandomSource& random) {
  Relation relation{arguments, {}, 0};
  Arguments& changed = relation.changed;
  const auto e = static_cast<int>(random.Pick({-3, -2, -1, 1, 2, 3}));
  bool exact = true;
  if (arguments.inputs.contains("ATensor")) {
    exact = Multiply(changed, "AScaleTensor", e) &&
            Multiply(changed, "OutputScaleTensor", e);
    // A sum grows with both of its terms, a product with one.
    if (arguments.operator_name == "dml_element_wise_quantized_linear_add") {
      exact = exact && Multiply(changed, "BScaleTensor", e);
    }
  } else if (arguments.inputs.contains("weight")) {
    exact = Multiply(changed, "x", e) &&
            Multiply(changed, "xScaleOptional", e) &&
            Multiply(changed, "weightScale", -e);
  } else {
    if (arguments.options.arithmetic != "exact") return std::nullopt;
    relation.exponent = e;
    exact = Multiply(changed, "input", e) &&
            Multiply(changed, "input_min", e) &&
            Multiply(changed, "input_max", e);
  }
  if (!exact) return std::nullopt;
  return relation;
}

MaybeRelation SwapOperands(const Arguments& arguments, RandomSource&) {
  Relation relation{arguments, {}, 0};
  auto& inputs = relation.changed.inputs;
  for (const char* suffix : {"Tensor", "ScaleTensor", "ZeroPointTensor"}) {
    auto a = inputs.extract(absl::StrCat("A", suffix));
    auto b = inputs.extract(absl::StrCat("B", suffix));
    if (a) a.key() = absl::StrCat("B", suffix);
    if (b) b.key() = absl::StrCat("A", suffix);
    inputs.insert(std::move(a));
    inputs.insert(std::move(b));
  }
  return relation;
}

MaybeRelation StrideForm(const Arguments& arguments, RandomSource& random) {
  Relation relation{arguments, {}, 0};
  const spec::OperatorSpec& spec = *spec::FindOperator(arguments.operator_name);
  for (auto& [name, tensor] : relation.changed.inputs) {
    if (!spec.FindTensor(name)->strides_allowed) continue;
    Pack(tensor);
    if (random.OneIn(3)) continue;
    const Tensor packed = tensor;
    spec::TensorDesc desc = packed.desc;
    desc.strides = RandomStrides(desc.sizes, /*is_output=*/true, random);
    int64_t next = 0;
    tensor =
        desc.type == spec::DataType::kInt64
            ? FillInteger(desc, random,
                          [&] { return spec::ReadInteger(packed, next++); })
            : FillReal(desc, random,
                       [&] { return spec::ReadReal(packed, next++); });
  }
  for (auto& [name, desc] : relation.changed.outputs) {
    if (!spec.FindTensor(name)->strides_allowed) continue;
    desc.strides.reset();
    if (!random.OneIn(3)) {
      desc.strides = RandomStrides(desc.sizes, /*is_output=*/true, random);
    }
  }
  return relation;
}

MaybeRelation OtherWeightLayout(const Arguments& arguments,
                                RandomSource& random) {
  Relation relation{arguments, {}, 0};
  WeightLayout layout = LayoutOfWeight(arguments);
  const WeightLayout before = layout;
  while (layout.fractal == before.fractal &&
         layout.transposed == before.transposed) {
    layout.fractal = random.OneIn(2);
    layout.transposed = random.OneIn(2);
  }
  ChangeWeightLayout(relation.changed, layout,
                     static_cast<int8_t>(random.Between(-128, 127)));
  return relation;
}

struct Run {
  Execution execution;
  OutputStorage outputs;
};

Run Execute(Candidate& candidate, const Arguments& arguments,
            const ExecutionOptions& options) {
  Run run;
  run.outputs = PoisonedOutputs(arguments, false);
  run.execution = candidate.Execute(arguments, options, run.outputs);
  return run;
}

Tensor OutputOf(const Arguments& arguments, const Run& run) {
  const auto& [name, desc] = *arguments.outputs.begin();
  return {desc, run.outputs.at(name)};
}

// Whether a stored element is still the poison.
bool Untouched(const Tensor& tensor, int64_t offset) {
  const size_t width = spec::ByteSize(tensor.desc.type);
  for (size_t i = 0; i < width; ++i) {
    const size_t place = static_cast<size_t>(offset) * width + i;
    if (tensor.storage[place] != PoisonByte(place, false)) return false;
  }
  return true;
}

bool IsNormalFloat(double value) {
  return std::fabs(value) >= 0x1p-126 && std::fabs(value) <= 0x1.fffffep127;
}

std::string CompareRuns(const Arguments& arguments, const Run& original,
                        const Relation& relation, const Run& changed) {
  const Tensor before = OutputOf(arguments, original);
  const Tensor after = OutputOf(relation.changed, changed);
  const int64_t count = spec::ElementCount(after.desc).value();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t source =
        relation.source.empty() ? i : relation.source[static_cast<size_t>(i)];
    const int64_t from = spec::StorageOffset(before.desc, source);
    const int64_t to = spec::StorageOffset(after.desc, i);
    if (Untouched(before, from) && Untouched(after, to)) continue;
    double expected = spec::ReadReal(before, from);
    const double found = spec::ReadReal(after, to);
    // A result below all floats may become one.
    if (relation.exponent != 0 && expected == 0 &&
        std::fabs(found) < 0x1p-120) {
      continue;
    }
    if (relation.exponent != 0 && expected != 0 && !std::isnan(expected)) {
      const double scaled = std::ldexp(expected, relation.exponent);
      if (!IsNormalFloat(expected) || !IsNormalFloat(scaled)) continue;
      expected = scaled;
    }
    const Difference difference = Compare(after.desc.type, expected, found);
    if (difference.IsEqual()) continue;
    return absl::StrCat(
        "element ", FormatIndex(after.desc, i), " of the changed call is ",
        FormatValue(after.desc.type, found), ", from element ",
        FormatIndex(before.desc, source), " of the original follows ",
        FormatValue(after.desc.type, expected));
  }
  return "";
}

PropertyOutcome CheckRelation(const Arguments& arguments,
                              const Relation& relation, Candidate& candidate,
                              const ExecutionOptions& options,
                              const ExecutionOptions& changed_options) {
  PropertyOutcome outcome;
  const Run original = Execute(candidate, arguments, options);
  const Run changed = Execute(candidate, relation.changed, changed_options);
  outcome.applies = original.execution.outcome == ExecutionOutcome::kCompleted;
  if (!outcome.applies) return outcome;
  if (changed.execution.outcome != ExecutionOutcome::kCompleted) {
    outcome.violation = absl::StrCat("the changed call does not succeed: ",
                                     changed.execution.message);
    return outcome;
  }
  outcome.violation = CompareRuns(arguments, original, relation, changed);
  return outcome;
}

PropertyOutcome CheckExecution(const Arguments& arguments, Candidate& candidate,
                               const ExecutionOptions& options,
                               RandomSource& random) {
  ExecutionOptions other = options;
  other.threads = options.threads == 1 ? 3 : 1;
  other.misalignment = static_cast<size_t>(random.Between(0, 63));
  other.constants_in_plan = !options.constants_in_plan;
  return CheckRelation(arguments, {arguments, {}, 0}, candidate, options,
                       other);
}

PropertyOutcome CheckMonotone(const Arguments& arguments, Candidate& candidate,
                              const ExecutionOptions& options) {
  PropertyOutcome outcome;
  if (arguments.options.arithmetic != "exact") return outcome;
  const Run run = Execute(candidate, arguments, options);
  if (run.execution.outcome != ExecutionOutcome::kCompleted) return outcome;
  outcome.applies = true;
  const Tensor& input = arguments.inputs.at("input");
  const Tensor output = OutputOf(arguments, run);
  std::vector<std::pair<double, double>> pairs;
  for (int64_t i = 0; i < spec::ElementCount(input.desc).value(); ++i) {
    const double x = spec::ReadReal(input, i);
    const double y = spec::ReadReal(output, i);
    if (!std::isnan(x) && !std::isnan(y)) pairs.emplace_back(x, y);
  }
  std::sort(pairs.begin(), pairs.end());
  for (size_t i = 1; i < pairs.size(); ++i) {
    const auto& [x, y] = pairs[i - 1];
    if (y <= pairs[i].second) continue;
    const spec::DataType type = spec::DataType::kFloat32;
    outcome.violation = absl::StrCat(
        "the input ", FormatValue(type, x), " gives ", FormatValue(type, y),
        ", the larger ", FormatValue(type, pairs[i].first), " gives ",
        FormatValue(type, pairs[i].second));
    break;
  }
  return outcome;
}

PropertyOutcome CheckIdempotent(const Arguments& arguments,
                                Candidate& candidate,
                                const ExecutionOptions& options) {
  // The ends that can decide the scale factor (TQ-02).
  const double low = spec::ReadReal(arguments.inputs.at("input_min"), 0);
  const double high = spec::ReadReal(arguments.inputs.at("input_max"), 0);
  const double reach = std::max(
      spec::BoolAttribute(arguments, "signed_input") ? -low : 0.0, high);
  const int64_t bits = spec::IntAttribute(arguments, "num_bits");
  if (arguments.options.arithmetic != "exact" ||
      !spec::BoolAttribute(arguments, "range_given") || bits < 2 || bits > 20 ||
      (reach > 0 && reach < 0x1p-100)) {
    return {};
  }
  Relation relation{arguments, {}, 0};
  const Run first = Execute(candidate, arguments, options);
  if (first.execution.outcome != ExecutionOutcome::kCompleted) return {};
  relation.changed.inputs["input"] = OutputOf(arguments, first);
  return CheckRelation(arguments, relation, candidate, options, options);
}

PropertyOutcome CheckFailedCall(const Arguments& arguments,
                                Candidate& candidate,
                                const ExecutionOptions& options) {
  PropertyOutcome outcome;
  const Run run = Execute(candidate, arguments, options);
  outcome.applies = run.execution.outcome == ExecutionOutcome::kRejected;
  if (outcome.applies && run.outputs != PoisonedOutputs(arguments, false)) {
    outcome.violation = "the call was rejected, but wrote";
  }
  return outcome;
}

using MakeRelation = MaybeRelation (*)(const Arguments&, RandomSource&);

const std::map<std::string, MakeRelation>& Relations() {
  static const auto& relations = *new std::map<std::string, MakeRelation>{
      {"permute-rows", PermuteRows},       {"permute-columns", PermuteColumns},
      {"split-group", SplitGroup},         {"scale-together", ScaleTogether},
      {"swap-operands", SwapOperands},     {"stride-form", StrideForm},
      {"weight-layout", OtherWeightLayout}};
  return relations;
}

}  // namespace

std::vector<std::string> PropertyNames(const std::string& operator_name) {
  std::vector<std::string> names = {"permute-rows", "scale-together",
                                    "execution", "failed-call"};
  const auto add = [&](std::vector<std::string> more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  if (operator_name == "dml_quantized_linear_matrix_multiply") {
    add({"permute-columns", "stride-form"});
  } else if (operator_name == "dml_element_wise_quantized_linear_add") {
    add({"swap-operands", "stride-form"});
  } else if (operator_name == "aclnn_quant_grouped_matmul_dequant") {
    add({"split-group", "weight-layout", "stride-form"});
  } else {
    add({"monotone", "idempotent"});
  }
  return names;
}

PropertyOutcome CheckProperty(const std::string& property,
                              const Arguments& arguments, Candidate& candidate,
                              const ExecutionOptions& options,
                              RandomSource& random) {
  if (property == "failed-call") {
    return CheckFailedCall(arguments, candidate, options);
  }
  if (!spec::Validate(arguments).ok() || spec::IsEmptyCall(arguments)) {
    return {};
  }
  if (property == "execution") {
    return CheckExecution(arguments, candidate, options, random);
  }
  if (property == "monotone") {
    return CheckMonotone(arguments, candidate, options);
  }
  if (property == "idempotent") {
    return CheckIdempotent(arguments, candidate, options);
  }
  const MaybeRelation relation = Relations().at(property)(arguments, random);
  if (!relation) return {};
  return CheckRelation(arguments, *relation, candidate, options, options);
}

}  // namespace qconform::harness
