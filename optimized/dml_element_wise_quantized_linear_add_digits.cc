// The search for digits, and their proof.

#include "optimized/dml_element_wise_quantized_linear_add_digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace qconform::optimized::linear_add {
namespace {

constexpr int kPairs = 65536;

// How a kernel cuts its integers.
struct Form {
  DigitKernel kernel;
  int digits;
  int tie_digit;  // -1: no rule for ties
  std::array<int, 3> shifts;
};

constexpr Form kOneTies = {DigitKernel::kOneTies, 1, 0, {}};
constexpr Form kThreeTies = {DigitKernel::kThreeTies, 3, 2, {7, 7}};
constexpr Form kThreeTiesInFirst = {
    DigitKernel::kThreeTiesInFirst, 3, 0, {7, 7}};
constexpr Form kFour = {DigitKernel::kFour, 4, -1, {7, 7, 7}};
constexpr Form kFourTies = {DigitKernel::kFourTies, 4, 3, {7, 7, 7}};
// Eight bits a digit where they fit: the finer, the more often there is an
// answer.
constexpr Form kThree[] = {{DigitKernel::kThree, 3, -1, {8, 8}},
                           {DigitKernel::kThree, 3, -1, {7, 8}},
                           {DigitKernel::kThree, 3, -1, {8, 7}},
                           {DigitKernel::kThree, 3, -1, {7, 7}}};

// The real value is |a_ratio| * (a + a_offset) + |b_ratio| * (b + b_offset) +
// zero_point, for the signed bytes a and b that the flips make, as a signed
// byte.
struct Problem {
  double a_ratio;
  double b_ratio;
  int a_offset;
  int b_offset;
  int zero_point;
  uint8_t a_flip;
  uint8_t b_flip;
  uint8_t output_flip;
  int first_bits;  // fraction bits of the highest digit

  int FractionBits(const Form& form) const {
    int bits = first_bits;
    for (int i = 0; i + 1 < form.digits; ++i) bits += form.shifts[i];
    return bits;
  }
  // The value of a = b = 0, and one half.
  double Start() const {
    return a_ratio * a_offset + b_ratio * b_offset + zero_point + 0.5;
  }
};

// A ratio's sign goes into the byte: 127 - u is as easy to have as u - 128.
void TakeInput(double ratio, int zero_point, uint8_t flip, int& offset,
               uint8_t& problem_flip) {
  const bool is_negative = ratio < 0;
  problem_flip = static_cast<uint8_t>((is_negative ? 0x7F : 0x80) ^ flip);
  offset = is_negative ? zero_point - 127 : 128 - zero_point;
}

// False if the highest digit could not hold the ratios.
bool MakeProblem(const Parameters& p, Problem& problem) {
  const double a_ratio = p.a_scale / p.output_scale;
  const double b_ratio = p.b_scale / p.output_scale;
  problem.a_ratio = std::abs(a_ratio);
  problem.b_ratio = std::abs(b_ratio);
  TakeInput(a_ratio, p.a_zero_point, p.a_flip, problem.a_offset,
            problem.a_flip);
  TakeInput(b_ratio, p.b_zero_point, p.b_flip, problem.b_offset,
            problem.b_flip);
  problem.zero_point = p.output_zero_point - 128;
  problem.output_flip = static_cast<uint8_t>(0x80 ^ p.output_flip);
  // With 8 bits int16 saturates just where the output clamps; a shift by less
  // than 2 is no product with an int16.
  for (int bits = 8; bits >= 2; --bits) {
    const double unit = std::ldexp(1, bits);
    if ((problem.a_ratio + problem.b_ratio) * unit < 254 &&
        std::abs(problem.Start()) * unit < 32000) {
      problem.first_bits = bits;
      return true;
    }
  }
  return false;
}

// Cuts the integers into digits. False if a sum could leave int16.
bool Assemble(const Problem& problem, const Form& form, int64_t a, int64_t b,
              int64_t c, Digits& digits) {
  if (a < 0 || b < 0) return false;
  digits = Digits();
  digits.kernel = form.kernel;
  digits.a_flip = problem.a_flip;
  digits.b_flip = problem.b_flip;
  digits.output_flip = problem.output_flip;
  digits.output_zero_point_is_odd = problem.zero_point % 2 != 0;
  digits.last = static_cast<int16_t>(1 << (16 - problem.first_bits));
  int64_t low = 0, high = 0;  // what comes up from the digit below
  for (int i = form.digits - 1; i > 0; --i) {
    const int shift = form.shifts[static_cast<size_t>(i - 1)];
    const int64_t mask = (int64_t{1} << shift) - 1;
    const int64_t sum = (a & mask) + (b & mask);
    low += -128 * sum + (c & mask);
    high += 127 * sum + (c & mask) + (form.tie_digit == i ? 1 : 0);
    if (sum > 255 || low < INT16_MIN || high > INT16_MAX) return false;
    digits.a[i] = static_cast<uint8_t>(a & mask);
    digits.b[i] = static_cast<uint8_t>(b & mask);
    digits.c[i] = static_cast<int16_t>(c & mask);
    digits.join[i - 1] = static_cast<int16_t>(1 << (16 - shift));
    for (int64_t* value : {&a, &b, &c, &low, &high}) *value >>= shift;
  }
  if (a + b > 255 || c + low < INT16_MIN || c + high > INT16_MAX) return false;
  digits.a[0] = static_cast<uint8_t>(a);
  digits.b[0] = static_cast<uint8_t>(b);
  digits.c[0] = static_cast<int16_t>(c);
  return true;
}

// c for which W / 2^F is the value plus one half.
int64_t Middle(const Problem& problem, int bits, int64_t a, int64_t b) {
  return a * problem.a_offset + b * problem.b_offset +
         problem.zero_point * (int64_t{1} << bits) + (int64_t{1} << (bits - 1));
}

int64_t Scaled(double value, int bits) {
  return std::llround(std::ldexp(value, bits));
}

// `ratio` is numerator / denominator exactly, and an integer of 2^-bits.
bool IsExact(double numerator, double denominator, int bits) {
  const double ratio = std::abs(numerator / denominator);
  const double scaled = std::ldexp(ratio, bits);
  return scaled == std::floor(scaled) &&
         std::fma(ratio, denominator, -std::abs(numerator)) == 0;
}

// Ratios that F bits hold: W is exact, and so is the rule for ties.
bool ExactDigits(const Problem& problem, const Parameters& p, Digits& digits) {
  for (const Form& form : {kOneTies, kThreeTies}) {
    const int bits = problem.FractionBits(form);
    if (!IsExact(p.a_scale, p.output_scale, bits) ||
        !IsExact(p.b_scale, p.output_scale, bits)) {
      continue;
    }
    const int64_t a = Scaled(problem.a_ratio, bits);
    const int64_t b = Scaled(problem.b_ratio, bits);
    if (Assemble(problem, form, a, b, Middle(problem, bits, a, b) - 1,
                 digits)) {
      return true;
    }
  }
  return false;
}

// Four digits, if their errors cannot carry any W over a multiple of 2^F. The
// +1 is for the errors of double, far smaller.
bool FarDigits(const Problem& problem, const DigitTable& table,
               Digits& digits) {
  const int bits = problem.FractionBits(kFour);
  const int64_t a = Scaled(problem.a_ratio, bits);
  const int64_t b = Scaled(problem.b_ratio, bits);
  const int64_t c = Scaled(problem.Start(), bits);
  if (!Assemble(problem, kFour, a, b, c, digits)) return false;
  const auto error = [bits](double exact, int64_t rounded) {
    return std::abs(std::ldexp(exact, bits) - static_cast<double>(rounded));
  };
  const double reach =
      128 * (error(problem.a_ratio, a) + error(problem.b_ratio, b)) +
      error(problem.Start(), c) + 1;
  const int up = 32 - bits;
  const AllSums sums = {static_cast<uint32_t>(a) << up,
                        static_cast<uint32_t>(b) << up,
                        static_cast<uint32_t>(c) << up};
  const auto limit = static_cast<uint32_t>(std::ceil(reach)) << up;
  return table.find_near_zero(sums, limit, 0, nullptr) == 0;
}

class Search {
 public:
  Search(const Problem& problem, const Parameters& parameters,
         const DigitTable& table, Row truth)
      : problem_(problem), table_(table) {
    for (int i = 0; i < 256; ++i) {
      const uint8_t byte = static_cast<uint8_t>(i - 128);
      a_bytes_[i] = byte ^ problem.a_flip;
      b_bytes_[i] = byte ^ problem.b_flip;
    }
    std::array<uint8_t, 256> a;
    for (size_t i = 0; i < 256; ++i) {
      a.fill(a_bytes_[i]);
      truth(parameters, a.data(), b_bytes_.data(), 256, &truth_[256 * i]);
    }
  }

  // No rule for ties: finds integers near the ratios with which every value
  // near a tie falls on its side, if there are.
  bool WithoutTies(const Form& form, Digits& digits) {
    if (!FindCritical()) return false;
    const int bits = problem_.FractionBits(form);
    constexpr int kWindow = 3;
    for (int away = 0; away <= 2 * kWindow; ++away) {
      for (int da = -kWindow; da <= kWindow; ++da) {
        const int db = away - std::abs(da);
        if (db < 0 || db > kWindow) continue;
        const int64_t a = Scaled(problem_.a_ratio, bits) + da;
        const int64_t b = Scaled(problem_.b_ratio, bits);
        if (Try(form, bits, a, b + db, digits) ||
            (db != 0 && Try(form, bits, a, b - db, digits))) {
          return true;
        }
      }
    }
    return false;
  }

  bool WithTies(const Form& form, Digits& digits) {
    const int bits = problem_.FractionBits(form);
    // Where ties are all ones in the first digit only, they should stand in the
    // middle of what the others hold.
    const int64_t below = form.tie_digit == 0
                              ? int64_t{1} << (bits - problem_.first_bits - 1)
                              : 1;
    for (const int64_t da : {0, 1, -1}) {
      for (const int64_t db : {0, 1, -1}) {
        const int64_t a = Scaled(problem_.a_ratio, bits) + da;
        const int64_t b = Scaled(problem_.b_ratio, bits) + db;
        if (Assemble(problem_, form, a, b, Middle(problem_, bits, a, b) - below,
                     digits) &&
            IsProven(digits)) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  static constexpr size_t kMaxCritical = 1024;
  static constexpr int kMaxTrials = 40;

  // Pairs within 2^-10 of a tie; false if there are too many to go by.
  bool FindCritical() {
    if (critical_count_ > kMaxCritical) {
      const AllSums sums = {
          static_cast<uint32_t>(Scaled(problem_.a_ratio, 32)),
          static_cast<uint32_t>(Scaled(problem_.b_ratio, 32)),
          static_cast<uint32_t>(Scaled(problem_.Start(), 32))};
      critical_count_ = table_.find_near_zero(sums, uint32_t{1} << 22,
                                              kMaxCritical, critical_.data());
    }
    return critical_count_ <= kMaxCritical;
  }

  bool Try(const Form& form, int bits, int64_t a, int64_t b, Digits& digits) {
    int64_t low = std::numeric_limits<int64_t>::min();
    int64_t high = std::numeric_limits<int64_t>::max();
    for (size_t i = 0; i < critical_count_; ++i) {
      const int pair = critical_[i];
      const uint8_t output =
          truth_[static_cast<size_t>(pair)] ^ problem_.output_flip;
      const int64_t value = static_cast<int8_t>(output);
      const int64_t sum = a * (pair / 256 - 128) + b * (pair % 256 - 128);
      const int64_t least = value * (int64_t{1} << bits) - sum;
      if (value > -128) low = std::max(low, least);
      if (value < 127) high = std::min(high, least + (int64_t{1} << bits) - 1);
      if (low > high) return false;
    }
    int64_t c = Middle(problem_, bits, a, b);
    if (c < low || c > high) {
      // Then an end is finite, and the other one is, or serves as well.
      constexpr int64_t kFar = int64_t{1} << 60;
      c = low < -kFar ? high : high > kFar ? low : low + (high - low) / 2;
    }
    return Assemble(problem_, form, a, b, c, digits) && IsProven(digits);
  }

  // Tries all pairs.
  bool IsProven(const Digits& digits) {
    if (++trials_ > kMaxTrials) return false;
    const DigitRow row = table_.rows[static_cast<size_t>(digits.kernel)];
    std::array<uint8_t, 256> a, output;
    for (size_t i = 0; i < 256; ++i) {
      a.fill(a_bytes_[i]);
      row(digits, a.data(), b_bytes_.data(), 256, output.data());
      if (!std::equal(output.begin(), output.end(), &truth_[256 * i])) {
        return false;
      }
    }
    return true;
  }

  const Problem& problem_;
  const DigitTable& table_;
  std::array<uint8_t, 256> a_bytes_, b_bytes_;
  std::array<uint8_t, kPairs> truth_;
  std::array<uint16_t, kMaxCritical> critical_;
  size_t critical_count_ = kMaxCritical + 1;
  int trials_ = 0;
};

}  // namespace

std::optional<Digits> QuickDigits(const Parameters& parameters,
                                  const DigitTable& table) {
  Problem problem;
  Digits digits;
  if (MakeProblem(parameters, problem) &&
      (ExactDigits(problem, parameters, digits) ||
       FarDigits(problem, table, digits))) {
    return digits;
  }
  return std::nullopt;
}

std::optional<Digits> SearchDigits(const Parameters& parameters,
                                   const DigitTable& table, Row truth) {
  Problem problem;
  if (!MakeProblem(parameters, problem)) return std::nullopt;
  Digits digits;
  if (ExactDigits(problem, parameters, digits)) return digits;
  Search search(problem, parameters, table, truth);
  for (const Form& form : kThree) {
    if (search.WithoutTies(form, digits)) return digits;
  }
  if (FarDigits(problem, table, digits) || search.WithoutTies(kFour, digits) ||
      search.WithTies(kThreeTiesInFirst, digits) ||
      search.WithTies(kThreeTies, digits) ||
      search.WithTies(kFourTies, digits)) {
    return digits;
  }
  return std::nullopt;
}

}  // namespace qconform::optimized::linear_add
