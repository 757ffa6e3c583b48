#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/aclnn_quant_grouped_matmul_dequant.h"
#include "reference/evaluation.h"
#include "reference/operands.h"
#include "reference/operators.h"
#include "spec/validate.h"

namespace qconform::reference {
namespace {

constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Where weight[group][n][k] lies. The tensor is contiguous (AG-13).
struct WeightLayout {
  spec::TensorFormat format = spec::TensorFormat::kNd;
  bool transpose_weight = true;
  int64_t n_size = 0;
  int64_t k_size = 0;

  int64_t Offset(int64_t group, int64_t n, int64_t k) const {
    if (transpose_weight) {  // AG-08
      if (format == spec::TensorFormat::kNd) {
        return (group * n_size + n) * k_size + k;
      }
      const int64_t k1 = CeilDiv(k_size, 32);
      const int64_t n1 = n_size / 16;
      return (((group * k1 + k / 32) * n1 + n / 16) * 16 + n % 16) * 32 +
             k % 32;
    }
    if (format == spec::TensorFormat::kNd) {  // AG-09
      return (group * k_size + k) * n_size + n;
    }
    const int64_t n1 = CeilDiv(n_size, 32);
    const int64_t k1 = k_size / 16;
    return (((group * n1 + n / 32) * k1 + k / 16) * 16 + k % 16) * 32 + n % 32;
  }
};

struct GroupedMatmulCall {
  explicit GroupedMatmulCall(const spec::Arguments& arguments)
      : x(ReadReals(arguments.inputs.at("x"))),
        weight(ReadIntegers(arguments.inputs.at("weight"))),
        weight_scale(ReadReals(arguments.inputs.at("weightScale"))),
        group_list(ReadInt64s(arguments.inputs.at("groupList"))) {
    const auto smooth = arguments.inputs.find("smoothScaleOptional");
    if (smooth != arguments.inputs.end()) {
      smooth_scale = ReadReals(smooth->second);
    }
    if (arguments.inputs.contains("xScaleOptional")) {
      x_scale.emplace(arguments, "xScaleOptional");
    }
    const std::vector<int64_t>& sizes = arguments.outputs.at("out").sizes;
    m_size = sizes[0];
    layout.format = arguments.inputs.at("weight").desc.format;
    layout.transpose_weight = spec::BoolAttribute(arguments, "transposeWeight");
    layout.n_size = sizes[1];
    layout.k_size = arguments.inputs.at("x").desc.sizes[1];
  }

  // The group that row m belongs to (AG-05), if any.
  std::optional<int64_t> GroupOfRow(int64_t m) const {
    for (size_t i = 0; i < group_list.size(); ++i) {
      if (m < group_list[i]) return static_cast<int64_t>(i);
    }
    return std::nullopt;
  }

  int64_t WeightAt(int64_t group, int64_t n, int64_t k) const {
    return weight[static_cast<size_t>(layout.Offset(group, n, k))];
  }
  double WeightScaleAt(int64_t group, int64_t n) const {
    return weight_scale[static_cast<size_t>(group * layout.n_size + n)];
  }

  RowOperands RowOf(int64_t m) const {
    RowOperands row;
    row.k_size = layout.k_size;
    row.x = x.data() + m * row.k_size;
    if (!smooth_scale.empty()) row.scale_smooth = smooth_scale.data();
    if (x_scale) row.scale_x = x_scale->At(m);
    return row;
  }

  std::vector<double> x;
  std::vector<int32_t> weight;
  std::vector<double> weight_scale;
  std::vector<int64_t> group_list;
  std::vector<double> smooth_scale;  // empty: not given
  std::optional<Parameter> x_scale;  // pertoken: one for each row (AG-06)
  int64_t m_size = 0;
  WeightLayout layout;
};

template <class A>
class GroupedMatmulEvaluator {
 public:
  explicit GroupedMatmulEvaluator(const GroupedMatmulCall& call)
      : call_(call) {}

  std::optional<ValueSet> Element(int64_t i, A& math, Trace& trace) {
    const int64_t n_size = call_.layout.n_size;
    const int64_t m = i / n_size;
    const int64_t n = i % n_size;
    const std::optional<int64_t> group = call_.GroupOfRow(m);
    if (!group) {  // AG-05
      trace.Note("AG-05", "the row belongs to no group", "not written");
      return std::nullopt;
    }
    trace.Note("AG-05", "i, the group of the row", std::to_string(*group));
    if (m != row_index_) {
      // Elements of a row follow each other: it is quantized once.
      row_math_ = math;
      row_ = QuantizeRow(row_math_, call_.RowOf(m), trace);
      row_index_ = m;
    }
    math = row_math_;
    return GroupedMatmulDequant(
        math, row_,
        [this, group, n](int64_t k) { return call_.WeightAt(*group, n, k); },
        call_.WeightScaleAt(*group, n), trace);
  }

 private:
  const GroupedMatmulCall& call_;
  int64_t row_index_ = -1;
  A row_math_;  // as it was after the row, with the facts of its rounding
  QuantizedRow<A> row_;
};

// Another outcome of the quantization of x[m][k]: of a tie, or without clamp.
struct OtherOutcome {
  int64_t k = 0;
  int64_t change = 0;  // of x_quantized
  int32_t GoldenElement::*count = nullptr;
};

std::vector<OtherOutcome> OtherOutcomes(const RowOperands& operands,
                                        const std::vector<int64_t>& quantized) {
  Trace no_trace;
  Exact away = Exact::WithRounding(Rounding::kHalfAway);
  const auto rounded_away = QuantizeRow(away, operands, no_trace).x_quantized;
  Exact unclamped = Exact::WithoutClamps();
  const auto passed_on = QuantizeRow(unclamped, operands, no_trace).x_quantized;
  std::vector<OtherOutcome> outcomes;
  for (int64_t k = 0; k < operands.k_size; ++k) {
    const auto at = static_cast<size_t>(k);
    const int64_t value = quantized[at];
    if (rounded_away[at] != value) {
      outcomes.push_back(
          {k, rounded_away[at] - value, &GoldenElement::deciding_ties});
    }
    // AG-03: an infinity saturates whatever the arithmetic.
    int64_t passed = passed_on[at];
    if (std::isinf(operands.x[k])) {
      passed = value < 0 ? -Exact::kBeyondLimits : Exact::kBeyondLimits;
    }
    if (passed != value) {
      outcomes.push_back({k, passed - value,
                          passed < value
                              ? &GoldenElement::deciding_clamps_low
                              : &GoldenElement::deciding_clamps_high});
    }
  }
  return outcomes;
}

// A rounding of x serves the whole row: it counts at the first column that its
// other outcome changes.
void NoteRowDecisions(const GroupedMatmulCall& call, int64_t m, int64_t group,
                      GoldenElement* row_elements) {
  Exact exact;
  Trace no_trace;
  const QuantizedRow<Exact> row = QuantizeRow(exact, call.RowOf(m), no_trace);
  if (row.is_nan || row.is_zero) return;
  std::vector<OtherOutcome> open =
      OtherOutcomes(call.RowOf(m), row.x_quantized);
  for (int64_t n = 0; n < call.layout.n_size && !open.empty(); ++n) {
    GoldenElement& element = row_elements[n];
    int64_t sum = 0;
    for (int64_t k = 0; k < call.layout.k_size; ++k) {
      sum +=
          row.x_quantized[static_cast<size_t>(k)] * call.WeightAt(group, n, k);
    }
    const auto change = [&](const OtherOutcome& outcome) {
      return outcome.change * call.WeightAt(group, n, outcome.k);
    };
    const auto decides = [&](const OtherOutcome& outcome) {
      QuantizedRow<Exact> changed;
      changed.scale_x = row.scale_x;
      changed.x_quantized = {sum + change(outcome)};
      const auto once = [](int64_t) -> int64_t { return 1; };
      return GroupedMatmulDequant(exact, changed, once,
                                  call.WeightScaleAt(group, n), no_trace)
                 .low != element.exact;
    };
    // The output is monotone in the sum: in each direction the largest changes
    // are those that show.
    std::sort(open.begin(), open.end(),
              [&](const OtherOutcome& a, const OtherOutcome& b) {
                return change(a) < change(b);
              });
    for (; !open.empty() && decides(open.back()); open.pop_back()) {
      ++(element.*open.back().count);
    }
    auto shown = open.begin();
    for (; shown != open.end() && decides(*shown); ++shown) {
      ++(element.*shown->count);
    }
    open.erase(open.begin(), shown);
  }
}

}  // namespace

std::vector<GoldenElement> EvaluateGroupedMatmulDequant(
    const spec::Arguments& arguments, const GoldenRequest& request) {
  const GroupedMatmulCall call(arguments);
  std::vector<GoldenElement> elements =
      EvaluateElements<GroupedMatmulEvaluator>(
          call, call.m_size * call.layout.n_size, request);
  for (int64_t m = 0; request.decisions && m < call.m_size; ++m) {
    const std::optional<int64_t> group = call.GroupOfRow(m);
    if (!group) continue;
    NoteRowDecisions(call, m, *group, elements.data() + m * call.layout.n_size);
  }
  return elements;
}

ElementTrace TraceGroupedMatmulDequant(const spec::Arguments& arguments,
                                       int64_t element) {
  return TraceOneElement<GroupedMatmulEvaluator>(
      GroupedMatmulCall(arguments), element,
      {RoundingVariant::kHalfAway, RoundingVariant::kHalfUp,
       RoundingVariant::kTruncate});
}

}  // namespace qconform::reference
