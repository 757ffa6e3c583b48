#include "harness/cases/hard_cases.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

#include "harness/cases/hard_cases_parts.h"
#include "harness/cases/random_values.h"

namespace qconform::harness {
namespace {

const std::vector<hard::Kind>& KindsOf(const std::string& operator_name) {
  static const auto& kinds =
      *new std::map<std::string, std::vector<hard::Kind>>{
          {"aclnn_quant_grouped_matmul_dequant", hard::GroupedMatmulKinds()},
          {"dml_element_wise_quantized_linear_add", hard::AddKinds()},
          {"dml_quantized_linear_matrix_multiply", hard::MatrixMultiplyKinds()},
          {"tf_quantize_and_dequantize_v2",
           hard::QuantizeAndDequantizeKinds()}};
  return kinds.at(operator_name);
}

}  // namespace

std::vector<std::string> HardCaseKinds(const std::string& operator_name) {
  std::vector<std::string> names;
  for (const hard::Kind& kind : KindsOf(operator_name)) {
    names.push_back(kind.name);
  }
  return names;
}

spec::Arguments HardCase(const std::string& operator_name,
                         const std::string& kind_name, RandomSource& random) {
  spec::Arguments arguments;
  for (const hard::Kind& kind : KindsOf(operator_name)) {
    if (kind.name == kind_name) arguments = kind.make(random);
  }
  return arguments;
}

spec::Arguments RandomHardArguments(const std::string& operator_name,
                                    RandomSource& random, std::string* kind) {
  const std::vector<hard::Kind>& kinds = KindsOf(operator_name);
  int64_t total = 0;
  for (const hard::Kind& each : kinds) total += each.weight;
  int64_t place = random.Between(1, total);
  size_t taken = 0;
  while (place > kinds[taken].weight) place -= kinds[taken++].weight;
  if (kind != nullptr) *kind = kinds[taken].name;
  return kinds[taken].make(random);
}

namespace hard {

void Restride(spec::Tensor& tensor, RandomSource& random) {
  spec::TensorDesc desc = tensor.desc;
  desc.strides = RandomStrides(desc.sizes, /*is_output=*/true, random);
  int64_t next = 0;
  if (desc.type == spec::DataType::kInt64) {
    tensor = FillInteger(desc, random,
                         [&] { return spec::ReadInteger(tensor, next++); });
  } else {
    tensor =
        FillReal(desc, random, [&] { return spec::ReadReal(tensor, next++); });
  }
}

double StepFloat(double value, int steps) {
  const auto bits = std::bit_cast<int32_t>(static_cast<float>(value));
  // Positions on the line of all floats; the two zeros share one.
  const int32_t position = bits >= 0 ? bits : INT32_MIN - bits;
  const int32_t moved = position + steps;
  return std::bit_cast<float>(moved >= 0 ? moved : INT32_MIN - moved);
}

int64_t VectorSize(RandomSource& random) {
  return random.OneIn(3)
             ? random.Pick({1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128})
             : random.Between(1, 130);
}

double Scale(int64_t mantissa, int exponent) {
  return std::ldexp(static_cast<double>(mantissa), exponent);
}

int64_t RandomOdd(int bits, bool sign, RandomSource& random) {
  const int64_t odd =
      random.Between(0, (int64_t{1} << random.Between(0, bits - 1)) - 1) * 2 +
      1;
  return sign && random.OneIn(3) ? -odd : odd;
}

int RandomExponent(RandomSource& random) {
  // A mantissa of 24 bits stays finite at 103 and one step above.
  return static_cast<int>(random.OneIn(5) ? random.Pick({-149, -148, 102, 103})
                                          : random.Between(-40, 10));
}

}  // namespace hard
}  // namespace qconform::harness
