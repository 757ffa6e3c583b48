#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "spec/validate.h"
#include "spec/validate_rules.h"

namespace qconform::spec {
namespace {

constexpr int kNullPointer = 161001;
constexpr int kInvalidParameter = 161002;

absl::Status WithAclnnStatus(absl::Status status, int aclnn_status) {
  if (!status.ok()) {
    status.SetPayload(kAclnnStatusPayload,
                      absl::Cord(absl::StrCat(aclnn_status)));
  }
  return status;
}

// AG-09
absl::Status CheckTransposeWeight(const Arguments& arguments) {
  const auto given = arguments.attributes.find("transposeWeight");
  if (given != arguments.attributes.end() &&
      given->second == Attribute(false) &&
      !arguments.options.allow_transpose_weight_false) {
    return Reject("transposeWeight", "is false",
                  "true, unless the option allow_transpose_weight_false is "
                  "given (AG-09)");
  }
  return absl::OkStatus();
}

absl::Status CheckSizes(const Arguments& arguments, const std::string& name,
                        const std::vector<int64_t>& allowed,
                        const std::string& meaning) {
  const TensorDesc* desc = FindDesc(arguments, name);
  if (desc == nullptr || desc->sizes == allowed) return absl::OkStatus();
  return Reject(name, absl::StrCat("has sizes ", SizesText(desc->sizes)),
                absl::StrCat(SizesText(allowed), ", ", meaning));
}

// AG-08, AG-09: the sizes of the weight for g groups of n columns and k rows.
absl::Status CheckWeightSizes(const Arguments& arguments, int64_t g, int64_t n,
                              int64_t k) {
  // Written so that the largest sizes do not overflow.
  const auto ceil_div = [](int64_t a, int64_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
  };
  const bool transposed = BoolAttribute(arguments, "transposeWeight");
  if (FindDesc(arguments, "weight")->format == TensorFormat::kNd) {
    return transposed ? CheckSizes(arguments, "weight", {g, n, k}, "(g,n,k)")
                      : CheckSizes(arguments, "weight", {g, k, n}, "(g,k,n)");
  }
  return transposed ? CheckSizes(arguments, "weight",
                                 {g, ceil_div(k, 32), n / 16, 16, 32},
                                 "(g, ceil(k/32), n/16, 16, 32)")
                    : CheckSizes(arguments, "weight",
                                 {g, ceil_div(n, 32), k / 16, 16, 32},
                                 "(g, ceil(n/32), k/16, 16, 32)");
}

// AG-10, and the shapes of the parameters.
absl::Status CheckGroupedShapes(const OperatorSpec& spec,
                                const Arguments& arguments) {
  absl::Status status = CheckRanks(spec, arguments);
  if (!status.ok()) return status;
  const int64_t m = FindDesc(arguments, "x")->sizes[0];
  const int64_t k = FindDesc(arguments, "x")->sizes[1];
  const int64_t n = FindDesc(arguments, "out")->sizes[1];
  const int64_t g = FindDesc(arguments, "groupList")->sizes[0];
  if (k % 16 != 0) {
    return Reject("x", absl::StrCat("has k = ", k), "multiples of 16 (AG-10)");
  }
  if (n % 16 != 0) {
    return Reject("out", absl::StrCat("has n = ", n),
                  "multiples of 16 (AG-10)");
  }
  status = CheckWeightSizes(arguments, g, n, k);
  if (status.ok()) {
    status = CheckSizes(arguments, "weightScale", {g, n}, "(g,n)");
  }
  if (status.ok()) status = CheckSizes(arguments, "out", {m, n}, "(m,n)");
  if (status.ok()) {
    status = CheckSizes(arguments, "smoothScaleOptional", {k}, "(k)");
  }
  if (status.ok()) {
    status =
        StringAttribute(arguments, "xQuantMode") == "pertensor"
            ? CheckSizes(arguments, "xScaleOptional", {1}, "(1) for pertensor")
            : CheckSizes(arguments, "xScaleOptional", {m}, "(m) for pertoken");
  }
  return status;
}

// AG-07
absl::Status CheckQuantMode(const Arguments& arguments) {
  if (FindDesc(arguments, "xScaleOptional") == nullptr &&
      StringAttribute(arguments, "xQuantMode") != "pertoken") {
    return Reject("xQuantMode", "is \"pertensor\" without xScaleOptional",
                  "\"pertoken\", the only mode of dynamic quantization "
                  "(AG-07)");
  }
  return absl::OkStatus();
}

// AG-04, AG-05
absl::Status CheckValues(const Arguments& arguments) {
  for (const char* name :
       {"xScaleOptional", "weightScale", "smoothScaleOptional"}) {
    const auto given = arguments.inputs.find(name);
    if (given == arguments.inputs.end()) continue;
    const Tensor& tensor = given->second;
    absl::Status status = ForEachElement(tensor.desc, [&](int64_t offset) {
      const double scale = ReadReal(tensor, offset);
      if (std::isfinite(scale)) return absl::OkStatus();
      return Reject(
          name, absl::StrCat("holds ", scale, " at storage offset ", offset),
          "finite values (AG-04)");
    });
    if (!status.ok()) return status;
  }
  const Tensor& groups = arguments.inputs.at("groupList");
  const int64_t m = FindDesc(arguments, "x")->sizes[0];
  int64_t previous = 0;
  return ForEachElement(groups.desc, [&](int64_t offset) {
    const int64_t end = ReadInteger(groups, offset);
    if (end < previous || end > m) {
      return Reject("groupList",
                    absl::StrCat("holds ", end, " at storage offset ", offset),
                    absl::StrCat(previous, "..", m,
                                 ", from the value before it to m (AG-05)"));
    }
    previous = end;
    return absl::OkStatus();
  });
}

}  // namespace

// AG-12 gives the order.
absl::Status ValidateAclnnQuantGroupedMatmulDequant(
    const OperatorSpec& spec, const Arguments& arguments) {
  absl::Status status = CheckTransposeWeight(arguments);
  if (!status.ok()) return WithAclnnStatus(status, kInvalidParameter);

  status = CheckRequiredTensors(spec, arguments);
  if (status.ok()) status = CheckRequiredAttributes(spec, arguments);
  if (status.ok()) status = CheckAbsentTensors(spec, arguments);
  if (!status.ok()) return WithAclnnStatus(status, kNullPointer);

  status = CheckTypes(spec, arguments);
  if (!status.ok()) return WithAclnnStatus(status, kInvalidParameter);

  // AG-11
  if (IsEmptyCall(arguments)) return absl::OkStatus();

  status = CheckLayouts(spec, arguments);
  if (status.ok()) status = CheckAttributes(spec, arguments);
  if (status.ok()) status = CheckGroupedShapes(spec, arguments);
  if (status.ok()) status = CheckQuantMode(arguments);
  if (status.ok()) status = CheckValues(arguments);
  return WithAclnnStatus(status, kInvalidParameter);
}

}  // namespace qconform::spec
