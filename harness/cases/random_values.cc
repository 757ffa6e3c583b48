#include "harness/cases/random_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

namespace qconform::harness {
namespace {

using spec::DataType;

int64_t Lowest(DataType type) { return type == DataType::kInt8 ? -128 : 0; }
int64_t Highest(DataType type) { return type == DataType::kInt8 ? 127 : 255; }

spec::Tensor RandomBytes(const spec::TensorDesc& desc, RandomSource& random) {
  spec::Tensor tensor;
  tensor.desc = desc;
  const auto elements =
      static_cast<size_t>(spec::StorageElementCount(desc).value());
  tensor.storage.resize(elements * spec::ByteSize(desc.type));
  for (std::byte& byte : tensor.storage) {
    byte = static_cast<std::byte>(random.Next() & 0xff);
  }
  return tensor;
}

// Brings a scale back among the finite floats other than 0.
double ToScale(double value) {
  const float rounded =
      static_cast<float>(std::clamp(value, -0x1.fffffep127, 0x1.fffffep127));
  return rounded != 0 ? rounded : 0x1p-149;
}

}  // namespace

spec::Tensor FillReal(const spec::TensorDesc& desc, RandomSource& random,
                      const std::function<double()>& value) {
  spec::Tensor tensor = RandomBytes(desc, random);
  const int64_t count = spec::ElementCount(desc).value();
  for (int64_t i = 0; i < count; ++i) {
    spec::WriteReal(tensor, spec::StorageOffset(desc, i), value());
  }
  return tensor;
}

spec::Tensor FillInteger(const spec::TensorDesc& desc, RandomSource& random,
                         const std::function<int64_t()>& value) {
  spec::Tensor tensor = RandomBytes(desc, random);
  const int64_t count = spec::ElementCount(desc).value();
  for (int64_t i = 0; i < count; ++i) {
    spec::WriteInteger(tensor, spec::StorageOffset(desc, i), value());
  }
  return tensor;
}

spec::Tensor RandomQuantized(const spec::TensorDesc& desc, int64_t center,
                             RandomSource& random) {
  const int64_t low = Lowest(desc.type);
  const int64_t high = Highest(desc.type);
  const int64_t style = random.Between(0, 3);
  return FillInteger(desc, random, [&]() -> int64_t {
    switch (style) {
      case 0:  // the ends and their neighbours
        return random.Pick({low, low + 1, high - 1, high});
      case 1:  // small differences, so that results stay inside the limits
        return std::clamp(center + random.Between(-3, 3), low, high);
      default:
        return random.Between(low, high);
    }
  });
}

int64_t RandomZeroPoint(DataType type, RandomSource& random) {
  const int64_t low = Lowest(type);
  const int64_t high = Highest(type);
  return random.OneIn(3)
             ? random.Between(low, high)
             : random.Pick({low, low + 1, high - 1, high, (low + high) / 2,
                            (low + high) / 2 + 1, int64_t{0}, int64_t{3}});
}

std::vector<int64_t> RandomStrides(const std::vector<int64_t>& sizes,
                                   bool is_output, RandomSource& random) {
  std::vector<size_t> order(sizes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  if (random.OneIn(2)) {
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<size_t>(random.Between(
                                  0, static_cast<int64_t>(i) - 1))]);
    }
  }
  std::vector<int64_t> strides(sizes.size());
  int64_t reach = random.OneIn(3) ? random.Between(0, 2) : 0;
  for (const size_t axis : order) {
    // The tightest legal stride is one more than what the axes below reach; it
    // is less than the packed one once there are gaps.
    const int64_t padding = random.OneIn(3) ? random.Between(1, 5) : 0;
    const int64_t stride = reach + 1 + padding;
    // The stride of an axis of one element reaches nothing.
    strides[axis] = sizes[axis] > 1 ? stride : random.Between(0, 9);
    if (sizes[axis] > 1) reach += (sizes[axis] - 1) * stride;
  }
  if (!is_output && random.OneIn(3)) {
    for (int64_t& stride : strides) {
      if (random.OneIn(2)) stride = random.OneIn(3) ? random.Between(1, 4) : 0;
    }
  }
  return strides;
}

ScaleStyle RandomScaleStyle(RandomSource& random) {
  const int64_t style = random.Between(0, 7);
  if (style < 4) return ScaleStyle::kPowerOfTwo;
  return style < 7 ? ScaleStyle::kOrdinary : ScaleStyle::kAwkward;
}

double RandomScale(ScaleStyle style, double magnitude, RandomSource& random) {
  const double sign = random.OneIn(8) ? -1 : 1;
  switch (style) {
    case ScaleStyle::kPowerOfTwo: {
      int exponent;
      std::frexp(magnitude, &exponent);
      return ToScale(
          sign *
          std::ldexp(1.0, exponent + static_cast<int>(random.Between(-2, 1))));
    }
    case ScaleStyle::kOrdinary:
      return ToScale(
          sign * magnitude *
          std::ldexp(static_cast<double>(random.Between(1 << 23, 1 << 25)),
                     -24));
    case ScaleStyle::kAwkward:
      break;
  }
  return ToScale(
      sign * random.Pick({0x1p-149, 0x1.8p-147, 0x1.fffffcp-127, 0x1p-126,
                          0x1p120, 0x1.fffffep127, 0x1.000002p0, 0x1.fffffep-1,
                          0x1p24, std::fabs(RandomFiniteFloat32(random))}));
}

double RandomFiniteFloat32(RandomSource& random) {
  const auto bits = static_cast<uint32_t>(random.Next());
  // An exponent of all ones is no number: take one bit off it.
  const bool finite = (bits & 0x7f800000) != 0x7f800000;
  return std::bit_cast<float>(finite ? bits : bits & ~0x00800000u);
}

double RandomFiniteFloat16(RandomSource& random) {
  const auto bits = static_cast<uint16_t>(random.Next());
  const bool finite = (bits & 0x7c00) != 0x7c00;
  return spec::Float16ToDouble(finite ? bits
                                      : static_cast<uint16_t>(bits & ~0x0400));
}

}  // namespace qconform::harness
