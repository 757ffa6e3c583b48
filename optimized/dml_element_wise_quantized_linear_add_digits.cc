// The search for digits, and their proof.

#include "optimized/dml_element_wise_quantized_linear_add_digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

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

// How far W can be from the value plus one half, in units of 2^-F. The +1 is
// for the errors of double, far smaller.
double Reach(const Problem& problem, int bits, int64_t a, int64_t b,
             int64_t c) {
  const auto error = [bits](double exact, int64_t rounded) {
    return std::abs(std::ldexp(exact, bits) - static_cast<double>(rounded));
  };
  return 128 * (error(problem.a_ratio, a) + error(problem.b_ratio, b)) +
         error(problem.Start(), c) + 1;
}

// Four digits, if their errors cannot carry any W over a multiple of 2^F.
bool FarDigits(const Problem& problem, const DigitTable& table,
               Digits& digits) {
  const int bits = problem.FractionBits(kFour);
  const int64_t a = Scaled(problem.a_ratio, bits);
  const int64_t b = Scaled(problem.b_ratio, bits);
  const int64_t c = Scaled(problem.Start(), bits);
  if (!Assemble(problem, kFour, a, b, c, digits)) return false;
  const double reach = Reach(problem, bits, a, b, c);
  const int up = 32 - bits;
  const AllSums sums = {static_cast<uint32_t>(a) << up,
                        static_cast<uint32_t>(b) << up,
                        static_cast<uint32_t>(c) << up};
  const auto limit = static_cast<uint32_t>(std::ceil(reach)) << up;
  return table.find_near_zero(sums, limit, 0, nullptr) == 0;
}

class Search {
 public:
  // `tries_pairs`: may take milliseconds, and try all pairs where nothing
  // quicker proves digits.
  Search(const Problem& problem, const Parameters& parameters,
         const DigitTable& table, Row truth, bool tries_pairs)
      : problem_(problem),
        parameters_(parameters),
        table_(table),
        truth_(truth),
        trials_left_(tries_pairs ? kMaxTrials : 0),
        max_critical_(tries_pairs ? kPairs / 2 : 512),
        critical_(max_critical_),
        critical_truth_(max_critical_) {}

  // No rule for ties: finds integers near the ratios with which every value
  // near a tie falls on its side, if there are.
  bool WithoutTies(const Form& form, Digits& digits) {
    const int bits = problem_.FractionBits(form);
    if (!FindCritical(bits)) return false;
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
  static constexpr int kMaxTrials = 40;
  // Of the numbers that tell which pairs are critical: sums of three, each
  // rounded to 2^-32, two of them times up to 128.
  static constexpr double kMaxError = 0x1p-24;

  uint8_t AByte(size_t a) const {
    return static_cast<uint8_t>((a ^ 0x80) ^ problem_.a_flip);
  }
  uint8_t BByte(size_t b) const {
    return static_cast<uint8_t>((b ^ 0x80) ^ problem_.b_flip);
  }

  // Pairs that near a tie, and the truth of them; false if there are too many
  // to go by.
  bool FindCritical(int bits) {
    // W with integers a few units beside the ratios, and c between what the
    // critical pairs ask for, errs by less than 2^11 units: those nearer than
    // that are all that can be wrong, and the fewer the quicker. With coarse
    // units that would be too many.
    const double distance = std::ldexp(1, std::min(11 - bits, -10));
    if (distance >= crowded_distance_) return false;
    if (distance == critical_distance_) return true;
    critical_distance_ = distance;
    const AllSums sums = {static_cast<uint32_t>(Scaled(problem_.a_ratio, 32)),
                          static_cast<uint32_t>(Scaled(problem_.b_ratio, 32)),
                          static_cast<uint32_t>(Scaled(problem_.Start(), 32))};
    critical_count_ = table_.find_near_zero(
        sums, static_cast<uint32_t>(std::ldexp(distance, 32)), max_critical_,
        critical_.data());
    if (critical_count_ > max_critical_) {
      crowded_distance_ = distance;
      return false;
    }
    std::vector<uint8_t> a(critical_count_), b(critical_count_);
    for (size_t i = 0; i < critical_count_; ++i) {
      a[i] = AByte(critical_[i] / 256);
      b[i] = BByte(critical_[i] % 256);
    }
    truth_(parameters_, a.data(), b.data(), critical_count_,
           critical_truth_.data());
    return true;
  }

  bool Try(const Form& form, int bits, int64_t a, int64_t b, Digits& digits) {
    int64_t low = std::numeric_limits<int64_t>::min();
    int64_t high = std::numeric_limits<int64_t>::max();
    for (size_t i = 0; i < critical_count_; ++i) {
      const int pair = critical_[i];
      const int64_t value =
          static_cast<int8_t>(critical_truth_[i] ^ problem_.output_flip);
      const int64_t sum = a * (pair / 256 - 128) + b * (pair % 256 - 128);
      const int64_t least = value * (int64_t{1} << bits) - sum;
      if (value > -128) low = std::max(low, least);
      if (value < 127) high = std::min(high, least + (int64_t{1} << bits) - 1);
      if (low > high) return false;
    }
    int64_t c = Middle(problem_, bits, a, b);
    if (c < low || c > high) {
      // Then an end is finite, and the other one is, or serves as well.
      constexpr int64_t kInfinite = int64_t{1} << 60;
      c = low < -kInfinite   ? high
          : high > kInfinite ? low
                             : low + (high - low) / 2;
    }
    if (!Assemble(problem_, form, a, b, c, digits)) return false;
    // `c` puts every critical pair on its side, and W of no other pair comes as
    // far as a multiple of 2^F.
    return std::ldexp(Reach(problem_, bits, a, b, c), -bits) + kMaxError <
               critical_distance_ ||
           IsProven(digits);
  }

  // Tries all pairs.
  bool IsProven(const Digits& digits) {
    if (trials_left_ == 0) return false;
    --trials_left_;
    std::array<uint8_t, 256> a, b, output;
    for (size_t i = 0; i < 256; ++i) b[i] = BByte(i);
    if (all_truth_.empty()) {
      all_truth_.resize(kPairs);
      for (size_t i = 0; i < 256; ++i) {
        a.fill(AByte(i));
        truth_(parameters_, a.data(), b.data(), 256, &all_truth_[256 * i]);
      }
    }
    const DigitRow row = table_.rows[static_cast<size_t>(digits.kernel)];
    for (size_t i = 0; i < 256; ++i) {
      a.fill(AByte(i));
      row(digits, a.data(), b.data(), 256, output.data());
      if (!std::equal(output.begin(), output.end(), &all_truth_[256 * i])) {
        return false;
      }
    }
    return true;
  }

  const Problem& problem_;
  const Parameters& parameters_;
  const DigitTable& table_;
  const Row truth_;
  int trials_left_;
  double critical_distance_ = 0;
  double crowded_distance_ = 1;
  // Scales like 0.3 and 0.2 bring half of all pairs beside a tie. Going by so
  // many takes a millisecond or two.
  const size_t max_critical_;
  size_t critical_count_ = 0;
  std::vector<uint16_t> critical_;
  std::vector<uint8_t> critical_truth_;
  std::vector<uint8_t> all_truth_;  // empty until it is needed
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
                                   const DigitTable& table, Row truth,
                                   bool tries_pairs) {
  Problem problem;
  if (!MakeProblem(parameters, problem)) return std::nullopt;
  Digits digits;
  if (ExactDigits(problem, parameters, digits)) return digits;
  Search search(problem, parameters, table, truth, tries_pairs);
  for (const Form& form : kThree) {
    if (search.WithoutTies(form, digits)) return digits;
  }
  if (FarDigits(problem, table, digits) || search.WithoutTies(kFour, digits)) {
    return digits;
  }
  // Where ties are, only trying can tell.
  if (tries_pairs && (search.WithTies(kThreeTiesInFirst, digits) ||
                      search.WithTies(kThreeTies, digits) ||
                      search.WithTies(kFourTies, digits))) {
    return digits;
  }
  return std::nullopt;
}

}  // namespace qconform::optimized::linear_add
