// Hard cases of the quantized matrix multiply. With scales P*2^e, Q*2^f and
// Y*2^(e+f+r+1) and a sum 2^r*I a result before rounding is P*Q*I / (2*Y):
// factors of the sum that an odd w lacks go into Y, those of w that the sum
// lacks into P, and it is the tie w/2.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "harness/cases/hard_cases_parts.h"
#include "harness/cases/random_values.h"
#include "harness/cases/value_text.h"

namespace qconform::harness::hard {
namespace {

using spec::DataType;

// A matrix with a scale and a zero point for each row or column.
struct Quantized {
  DataType type = DataType::kUint8;
  int64_t low = 0;
  int64_t high = 255;
  std::vector<int64_t> zero_points;
  std::vector<double> scales;
  std::vector<int64_t> data;
};

struct MatmulCall {
  int64_t m = 1;
  int64_t k = 1;
  int64_t n = 1;
  Quantized a;  // m*k, per row
  Quantized b;  // k*n, per column
  Quantized output;

  int64_t& A(int64_t row, int64_t i) {
    return a.data[static_cast<size_t>(row * k + i)];
  }
  int64_t& B(int64_t i, int64_t column) {
    return b.data[static_cast<size_t>(i * n + column)];
  }
  int64_t& ZeroPointOfA(int64_t row) {
    return a.zero_points[static_cast<size_t>(row)];
  }
  int64_t& ZeroPointOfB(int64_t column) {
    return b.zero_points[static_cast<size_t>(column)];
  }
  int64_t Sum(int64_t row, int64_t column) {
    int64_t sum = 0;
    for (int64_t i = 0; i < k; ++i) {
      sum += (A(row, i) - ZeroPointOfA(row)) *
             (B(i, column) - ZeroPointOfB(column));
    }
    return sum;
  }
};

Quantized RandomMatrix(int64_t vectors, int64_t count, RandomSource& random) {
  Quantized matrix;
  matrix.type = random.Pick({DataType::kUint8, DataType::kInt8});
  matrix.low = MinimumOf(matrix.type);
  matrix.high = MaximumOf(matrix.type);
  const bool uniform = random.OneIn(2);
  for (int64_t i = 0; i < vectors; ++i) {
    matrix.zero_points.push_back(uniform && i > 0
                                     ? matrix.zero_points.front()
                                     : RandomZeroPoint(matrix.type, random));
  }
  matrix.scales.assign(static_cast<size_t>(vectors), 1.0);
  const bool small = random.OneIn(2);
  for (int64_t i = 0; i < count; ++i) {
    matrix.data.push_back(
        small ? std::clamp(matrix.zero_points.front() + random.Between(-9, 9),
                           matrix.low, matrix.high)
              : random.Between(matrix.low, matrix.high));
  }
  return matrix;
}

MatmulCall StartMatmul(int64_t m, int64_t k, int64_t n, RandomSource& random) {
  MatmulCall call;
  call.m = m;
  call.k = k;
  call.n = n;
  call.a = RandomMatrix(m, m * k, random);
  call.b = RandomMatrix(n, k * n, random);
  call.output = RandomMatrix(m, 0, random);
  return call;
}

MatmulCall StartMatmul(RandomSource& random) {
  const int64_t m = random.Between(1, 4);
  const int64_t k = VectorSize(random);
  return StartMatmul(m, k, VectorSize(random), random);
}

template <typename Item>
bool AllEqual(const std::vector<Item>& items) {
  return std::all_of(items.begin(), items.end(),
                     [&](const Item& item) { return item == items.front(); });
}

// Writes the tensors of a call in shapes that QM-02 and QM-03 allow.
class Finisher {
 public:
  explicit Finisher(RandomSource& random) : random_(random) {}

  spec::Arguments Finish(const MatmulCall& call) {
    arguments_.operator_name = "dml_quantized_linear_matrix_multiply";
    const bool old_level = random_.OneIn(6);
    if (old_level) arguments_.options.feature_level = "2_1";
    strided_ = random_.OneIn(5);
    rank_ = static_cast<size_t>(old_level ? 4 : random_.Between(2, 4));
    scale_rank_ = static_cast<size_t>(old_level ? 4 : random_.Between(2, 4));
    if (!old_level && random_.OneIn(4) && MayBePerTensor(call.a) &&
        MayBePerTensor(call.output)) {
      scale_rank_ = 1;
    }
    // Copies of the matrices that only a stride of 0 makes.
    batches_ = rank_ > 2 && random_.OneIn(3) ? random_.Between(2, 3) : 1;
    Operand("ATensor", call.a, call.m, call.k);
    Operand("BTensor", call.b, call.k, call.n);
    spec::TensorDesc& output = arguments_.outputs["OutputTensor"];
    output.type = call.output.type;
    output.sizes = Sizes(call.m, call.n);
    if (strided_) output.strides = RandomStrides(output.sizes, true, random_);
    Quantization("A", call.a, /*per_row=*/true);
    Quantization("B", call.b, /*per_row=*/false);
    Quantization("Output", call.output, /*per_row=*/true);
    return std::move(arguments_);
  }

 private:
  static bool MayBePerTensor(const Quantized& matrix) {
    return AllEqual(matrix.scales) && AllEqual(matrix.zero_points);
  }

  std::vector<int64_t> Sizes(int64_t rows, int64_t columns) const {
    std::vector<int64_t> sizes(rank_, 1);
    if (rank_ > 2) sizes[rank_ - 3] = batches_;
    sizes[rank_ - 2] = rows;
    sizes[rank_ - 1] = columns;
    return sizes;
  }

  void Operand(const char* name, const Quantized& matrix, int64_t rows,
               int64_t columns) {
    std::vector<double> values(matrix.data.begin(), matrix.data.end());
    const std::vector<int64_t> sizes = Sizes(rows, columns);
    if (batches_ > 1) {
      std::vector<int64_t> one = sizes;
      one[rank_ - 3] = 1;
      spec::Tensor tensor = PackedTensor(matrix.type, one, values);
      tensor.desc.strides = spec::EffectiveStrides(tensor.desc);
      (*tensor.desc.strides)[rank_ - 3] = 0;
      tensor.desc.sizes = sizes;
      arguments_.inputs[name] = tensor;
      return;
    }
    Give(name, matrix.type, sizes, values);
  }

  void Give(const std::string& name, DataType type,
            const std::vector<int64_t>& sizes,
            const std::vector<double>& values) {
    spec::Tensor tensor = PackedTensor(type, sizes, values);
    if (strided_ && random_.OneIn(2)) Restride(tensor, random_);
    arguments_.inputs[name] = tensor;
  }

  template <typename Item>
  void Parameter(const std::string& name, DataType type,
                 const std::vector<Item>& items, bool per_row) {
    std::vector<int64_t> sizes(scale_rank_, 1);
    std::vector<double> values(items.begin(), items.end());
    if (AllEqual(items) && (scale_rank_ == 1 || random_.OneIn(2))) {
      values.resize(1);
    } else {
      const size_t axis = per_row ? scale_rank_ - 2 : scale_rank_ - 1;
      sizes[axis] = static_cast<int64_t>(values.size());
    }
    Give(name, type, sizes, values);
  }

  void Quantization(const std::string& prefix, const Quantized& matrix,
                    bool per_row) {
    Parameter(prefix + "ScaleTensor", DataType::kFloat32, matrix.scales,
              per_row);
    const bool absent = AllEqual(matrix.zero_points) &&
                        matrix.zero_points.front() == 0 && random_.OneIn(2);
    if (!absent) {
      Parameter(prefix + "ZeroPointTensor", matrix.type, matrix.zero_points,
                per_row);
    }
  }

  RandomSource& random_;
  spec::Arguments arguments_;
  bool strided_ = false;
  size_t rank_ = 2;
  size_t scale_rank_ = 2;
  int64_t batches_ = 1;
};

spec::Arguments FinishMatmul(const MatmulCall& call, RandomSource& random) {
  return Finisher(random).Finish(call);
}

// Changes B's column so that its sum with A's row becomes `target`; needs an A
// that differs from its zero point by 1 somewhere. False if it cannot be
// reached.
bool ReachSum(MatmulCall& call, int64_t row, int64_t column, int64_t target,
              RandomSource& random) {
  int64_t rest = target - call.Sum(row, column);
  const int64_t start = random.Between(0, call.k - 1);
  // Large steps first, then the small ones that finish.
  for (const bool coarse : {true, false}) {
    for (int64_t i = 0; i < call.k && rest != 0; ++i) {
      const int64_t place = (start + i) % call.k;
      const int64_t factor = call.A(row, place) - call.ZeroPointOfA(row);
      if (factor == 0 || (coarse && std::abs(factor) == 1)) continue;
      int64_t& b = call.B(place, column);
      const int64_t changed =
          std::clamp(b + rest / factor, call.b.low, call.b.high);
      rest -= (changed - b) * factor;
      b = changed;
    }
  }
  return rest == 0;
}

// A place in the row where A differs from its zero point by 1.
void GiveUnit(MatmulCall& call, int64_t row, RandomSource& random) {
  const int64_t zero_point = call.ZeroPointOfA(row);
  for (int64_t count = std::min<int64_t>(call.k, 3); count > 0; --count) {
    call.A(row, random.Between(0, call.k - 1)) =
        zero_point < call.a.high ? zero_point + 1 : zero_point - 1;
  }
}

// Chooses the row's scales so that the sum with this column gives a tie; the
// scale of B is Q*2^f for all columns. False if the mantissas would be too
// long.
bool SolveTie(MatmulCall& call, int64_t row, int64_t sum, int64_t q, int f,
              RandomSource& random) {
  if (sum == 0) return false;
  const auto at = static_cast<size_t>(row);
  const int r = std::countr_zero(static_cast<uint64_t>(sum));
  const int64_t odd_sum = sum >> r;
  const int64_t below = random.Between(call.output.low, call.output.high - 1) -
                        call.output.zero_points[at];
  const int64_t w = 2 * below + 1;
  const int64_t common = std::gcd(odd_sum, w);
  const int64_t needed = q * (odd_sum / common);
  constexpr int64_t kLimit = int64_t{1} << 24;
  if (std::abs(needed) >= kLimit) return false;
  const int64_t room =
      std::min(kLimit / std::abs(needed), kLimit / std::abs(w / common));
  const int64_t shared = random.Between(0, (room - 1) / 2) * 2 + 1;
  if (shared >= room) return false;
  const int e = static_cast<int>(random.Between(-40, 10));
  call.a.scales[at] = Scale(shared * (w / common), e);
  call.output.scales[at] = Scale(shared * needed, e + f + r + 1);
  return true;
}

// Solves each row for the sum with one column, and copies that column into
// other lanes.
void MakeTies(MatmulCall& call, RandomSource& random) {
  const int64_t q =
      random.Pick({int64_t{1}, int64_t{3}, RandomOdd(6, false, random),
                   RandomOdd(12, false, random)});
  const int f = static_cast<int>(random.Between(-40, 10));
  call.b.scales.assign(static_cast<size_t>(call.n),
                       Scale(random.OneIn(6) ? -q : q, f));
  const int64_t column = random.Between(0, call.n - 1);
  for (int64_t lane = 0; lane < call.n; ++lane) {
    if (!random.OneIn(3) && lane + 1 != call.n) continue;
    call.ZeroPointOfB(lane) = call.ZeroPointOfB(column);
    for (int64_t i = 0; i < call.k; ++i) call.B(i, lane) = call.B(i, column);
  }
  for (int64_t row = 0; row < call.m; ++row) {
    const double sign = call.b.scales.front() < 0 ? -1 : 1;
    for (int attempt = 0; attempt < 4; ++attempt) {
      if (SolveTie(call, row, call.Sum(row, column), q, f, random)) break;
    }
    call.a.scales[static_cast<size_t>(row)] *= sign;
  }
}

spec::Arguments Ties(RandomSource& random) {
  MatmulCall call = StartMatmul(random);
  MakeTies(call, random);
  return FinishMatmul(call, random);
}

spec::Arguments TieNeighbours(RandomSource& random) {
  MatmulCall call = StartMatmul(random);
  MakeTies(call, random);
  std::vector<double>& scales =
      *random.Pick({&call.a.scales, &call.b.scales, &call.output.scales});
  for (double& scale : scales) {
    if (random.OneIn(2)) scale = StepFloat(scale, random.Pick({-1, 1}));
  }
  return FinishMatmul(call, random);
}

// Values in halves around both limits.
spec::Arguments Clamps(RandomSource& random) {
  const int64_t k = VectorSize(random);
  MatmulCall call = StartMatmul(1, k, VectorSize(random), random);
  GiveUnit(call, 0, random);
  const int e = static_cast<int>(random.Between(-40, 40));
  call.a.scales[0] = Scale(1, e);
  call.b.scales.assign(static_cast<size_t>(call.n), Scale(1, -e));
  call.output.scales[0] = 2;
  for (int64_t column = 0; column < call.n; ++column) {
    const int64_t limit = random.Pick({call.output.low, call.output.high}) -
                          call.output.zero_points[0];
    ReachSum(call, 0, column, 2 * limit + random.Between(-4, 4), random);
  }
  return FinishMatmul(call, random);
}

// Sums `middle` - 1, `middle` and `middle` + 1 with scales that make the one in
// the middle a tie.
spec::Arguments AroundSum(int64_t middle, int64_t k, RandomSource& random) {
  MatmulCall call = StartMatmul(1, k, random.Between(1, 4), random);
  const bool negative = random.OneIn(2);
  call.ZeroPointOfA(0) = call.a.low;
  for (int64_t& value : call.a.data) value = call.a.high;
  GiveUnit(call, 0, random);
  for (int64_t column = 0; column < call.n; ++column) {
    call.ZeroPointOfB(column) = negative ? call.b.high : call.b.low;
    ReachSum(call, 0, column,
             (negative ? -middle : middle) + random.Between(-1, 1), random);
  }
  // A power of two is what the odd part of the sum must be for short scales.
  SolveTie(call, 0, negative ? -middle : middle, 1, 0, random);
  return FinishMatmul(call, random);
}

spec::Arguments AccumulatorNear2To24(RandomSource& random) {
  const int64_t middle = random.Pick({int64_t{1} << 24, (int64_t{1} << 24) + 2,
                                      (int64_t{1} << 25), (int64_t{3} << 23)});
  return AroundSum(middle, random.Between(560, 640), random);
}

spec::Arguments AccumulatorNear2To31(RandomSource& random) {
  // Longer than 33025, so that int32 is too short for the sum (AR-09).
  return AroundSum(int64_t{1} << 31, random.Between(33050, 33200), random);
}

spec::Arguments ZeroPointEnds(RandomSource& random) {
  MatmulCall call = StartMatmul(random);
  for (Quantized* matrix : {&call.a, &call.b, &call.output}) {
    for (int64_t& zero_point : matrix->zero_points) {
      zero_point = random.Pick({matrix->low, matrix->high});
    }
    const bool all = random.OneIn(2);
    for (int64_t& value : matrix->data) {
      if (all || !random.OneIn(4)) {
        value = random.Pick({matrix->low, matrix->high});
      }
    }
  }
  // Most sums then stay within the limits.
  const int size =
      static_cast<int>(std::bit_width(static_cast<uint64_t>(call.k))) + 8;
  for (double& scale : call.output.scales) {
    const int64_t mantissa = RandomOdd(3, true, random);
    scale = Scale(mantissa, size - static_cast<int>(random.Between(0, 3)));
  }
  return FinishMatmul(call, random);
}

// Only the last k and few others count, and every lane differs from the next:
// what a kernel drops or reads too far is seen.
spec::Arguments Remainders(RandomSource& random) {
  MatmulCall call = StartMatmul(random);
  for (int64_t row = 0; row < call.m; ++row) {
    for (int64_t i = 0; i + 1 < call.k; ++i) {
      if (!random.OneIn(8)) call.A(row, i) = call.ZeroPointOfA(row);
    }
  }
  for (int64_t column = 0; column < call.n; ++column) {
    for (int64_t i = 0; i < call.k; ++i) {
      call.B(i, column) =
          std::clamp(call.ZeroPointOfB(column) + (column * 3 + i) % 7 - 3,
                     call.b.low, call.b.high);
    }
  }
  for (double& scale : call.output.scales) scale = random.Pick({1, 2, 4, 8});
  return FinishMatmul(call, random);
}

// Products of two scales below or above all floats, brought back by the third.
spec::Arguments ExtremeScales(RandomSource& random) {
  MatmulCall call = StartMatmul(random);
  const int total = random.Pick({-147, -126, 100, 126});
  const int e = static_cast<int>(
      random.Between(std::max(-149, total - 123), std::min(123, total + 149)));
  for (double& scale : call.a.scales) {
    scale = Scale(random.OneIn(2) ? 1 : RandomOdd(4, true, random), e);
  }
  for (double& scale : call.b.scales) {
    scale = Scale(random.OneIn(2) ? 1 : RandomOdd(4, true, random), total - e);
  }
  for (double& scale : call.output.scales) {
    const int size = static_cast<int>(random.Between(-1, 12));
    scale = Scale(1, std::clamp(total + size, -149, 127));
    if (random.OneIn(8)) scale = StepFloat(scale, 1);
  }
  return FinishMatmul(call, random);
}

}  // namespace

std::vector<Kind> MatrixMultiplyKinds() {
  return {{"ties", 12, Ties},
          {"tie-neighbours", 12, TieNeighbours},
          {"clamps", 8, Clamps},
          {"accumulator-near-2-to-24", 6, AccumulatorNear2To24},
          {"accumulator-near-2-to-31", 1, AccumulatorNear2To31},
          {"zero-point-ends", 8, ZeroPointEnds},
          {"remainders", 8, Remainders},
          {"extreme-scales", 6, ExtremeScales}};
}

}  // namespace qconform::harness::hard
