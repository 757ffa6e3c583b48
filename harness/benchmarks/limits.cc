#include <chrono>
#include <memory>
#include <vector>

#include "harness/benchmarks/clock.h"
#include "harness/benchmarks/implementation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "harness/benchmarks/limits.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::harness {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains hide the latency of a multiply-add on every core in use.
constexpr int kChains = 12;

// Keeps the compiler from moving a load, and what follows from it, out of the
// loop.
HWY_INLINE void ForgetMemory() { asm volatile("" ::: "memory"); }

// Keeps the compiler from merging chains that compute the same.
template <class V>
HWY_INLINE void ForgetValue(V& v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
  asm volatile("" : "+v"(v.raw));
#else
  (void)v;
  ForgetMemory();
#endif
}

// Returns the number of multiply-adds done.
double Int16Registers(int64_t rounds) {
  const hn::ScalableTag<int32_t> di32;
  const hn::Repartition<int16_t, decltype(di32)> di16;
  HWY_ALIGN int16_t memory[hn::MaxLanes(di16)] = {};
  auto unused = hn::Zero(di32);
  hn::Vec<decltype(di32)> c[kChains];
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) {
    c[j] = hn::Set(di32, j);
    ForgetValue(c[j]);
  }
  for (int64_t i = 0; i < rounds; ++i) {
    auto operand = hn::Load(di16, memory);
#pragma GCC unroll 12
    for (int j = 0; j < kChains; ++j) {
      ForgetValue(operand);  // else the product would be computed once
      c[j] =
          hn::ReorderWidenMulAccumulate(di32, operand, operand, c[j], unused);
      ForgetValue(c[j]);
    }
  }
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) unused = hn::Add(unused, c[j]);
  memory[0] = static_cast<int16_t>(hn::GetLane(unused));
  ForgetMemory();
  return static_cast<double>(rounds) * kChains *
         static_cast<double>(hn::Lanes(di16));
}

// 0 where there is no such instruction.
double Int8Registers(int64_t rounds) {
#if HWY_TARGET == HWY_AVX3_DL
  alignas(64) uint8_t memory[64] = {};
  __m512i c[kChains];
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) c[j] = _mm512_setzero_si512();
  for (int64_t i = 0; i < rounds; ++i) {
    const __m512i operand = _mm512_load_si512(memory);
    ForgetMemory();
#pragma GCC unroll 12
    for (int j = 0; j < kChains; ++j) {
      // Highway 1.0.3 does not enable avx512vnni for this target.
      asm volatile("vpdpbusd %1, %1, %0" : "+v"(c[j]) : "v"(operand));
    }
  }
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) _mm512_store_si512(memory, c[j]);
  ForgetMemory();
  return static_cast<double>(rounds) * kChains * 64;
#else
  (void)rounds;
  return 0;
#endif
}

// Reads every input and writes the output past the caches.
void Stream(const uint8_t* a, const uint8_t* b, uint8_t* out, size_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  if (b == nullptr) {
    for (size_t i = 0; i + lanes <= bytes; i += lanes) {
      hn::Stream(hn::LoadU(d, a + i), d, out + i);
    }
  } else {
    for (size_t i = 0; i + lanes <= bytes; i += lanes) {
      hn::Stream(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
    }
  }
  hwy::FlushStream();
}

// Reads whole groups of eight vectors.
void Read(const uint8_t* from, size_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  constexpr size_t kAhead = 2048;
  const size_t group = 8 * hn::Lanes(d);
  for (size_t i = 0; i + group <= bytes; i += group) {
#pragma GCC unroll 8
    for (size_t j = 0; j < 8; ++j) {
      const size_t at = i + j * hn::Lanes(d);
      hwy::Prefetch(from + at + kAhead);
      auto read = hn::LoadU(d, from + at);
      ForgetValue(read);
    }
  }
}

}  // namespace

using RegisterLoop = double(int64_t rounds);
using StreamLoop = void(const uint8_t* a, const uint8_t* b, uint8_t* out,
                        size_t bytes);
using ReadLoop = void(const uint8_t* from, size_t bytes);

RegisterLoop* ChooseInt16() { return &Int16Registers; }
RegisterLoop* ChooseInt8() { return &Int8Registers; }
StreamLoop* ChooseStream() { return &Stream; }
ReadLoop* ChooseRead() { return &Read; }

}  // namespace HWY_NAMESPACE
}  // namespace qconform::harness
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "harness/candidates/scoped_target.h"
#include "hwy/aligned_allocator.h"

namespace qconform::harness {
namespace {

HWY_EXPORT(ChooseInt16);
HWY_EXPORT(ChooseInt8);
HWY_EXPORT(ChooseStream);
HWY_EXPORT(ChooseRead);

using RegisterLoop = double(int64_t rounds);
using StreamLoop = void(const uint8_t* a, const uint8_t* b, uint8_t* out,
                        size_t bytes);
using ReadLoop = void(const uint8_t* from, size_t bytes);

// Time that the problem's multiply-adds take at the rate of a register loop.
class RegisterLimit final : public Implementation {
 public:
  RegisterLimit(double work, RegisterLoop* loop)
      : multiply_adds_(work / 2), loop_(loop) {}

  double Run(int iterations) override {
    // Long enough to be measured, short enough for small problems.
    constexpr int64_t kRounds = 100000;
    const auto start = std::chrono::steady_clock::now();
    const double done = loop_(kRounds);
    return NanosecondsSince(start) / done * multiply_adds_ * iterations;
  }

  std::vector<std::byte> Output() override { return {}; }

 private:
  double multiply_adds_;
  RegisterLoop* loop_;
};

class StreamLimit final : public Implementation {
 public:
  StreamLimit(size_t bytes, bool two_inputs)
      : loop_(HWY_DYNAMIC_DISPATCH(ChooseStream)()),
        bytes_(bytes),
        a_(hwy::AllocateAligned<uint8_t>(bytes)),
        b_(two_inputs ? hwy::AllocateAligned<uint8_t>(bytes) : nullptr),
        out_(hwy::AllocateAligned<uint8_t>(bytes)) {
    std::fill(a_.get(), a_.get() + bytes, uint8_t{1});
    if (two_inputs) std::fill(b_.get(), b_.get() + bytes, uint8_t{2});
    std::fill(out_.get(), out_.get() + bytes, uint8_t{3});
  }

  double Run(int iterations) override {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations; ++i) {
      loop_(a_.get(), b_.get(), out_.get(), bytes_);
    }
    return NanosecondsSince(start);
  }

  std::vector<std::byte> Output() override { return {}; }

 private:
  StreamLoop* loop_;
  size_t bytes_;
  hwy::AlignedFreeUniquePtr<uint8_t[]> a_, b_, out_;
};

class ReadLimit final : public Implementation {
 public:
  explicit ReadLimit(size_t bytes)
      : loop_(HWY_DYNAMIC_DISPATCH(ChooseRead)()),
        bytes_(bytes),
        memory_(hwy::AllocateAligned<uint8_t>(bytes)) {
    std::fill(memory_.get(), memory_.get() + bytes, uint8_t{1});
  }

  double Run(int iterations) override {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations; ++i) loop_(memory_.get(), bytes_);
    return NanosecondsSince(start);
  }

  std::vector<std::byte> Output() override { return {}; }

 private:
  ReadLoop* loop_;
  size_t bytes_;
  hwy::AlignedFreeUniquePtr<uint8_t[]> memory_;
};

// The bytes of B, of which a matrix multiply of one row uses each once; 0 for
// other problems.
size_t BytesReadOnce(const spec::Arguments& arguments) {
  if (arguments.operator_name != "dml_quantized_linear_matrix_multiply") {
    return 0;
  }
  const auto& sizes = arguments.inputs.at("ATensor").desc.sizes;
  return sizes[sizes.size() - 2] == 1
             ? arguments.inputs.at("BTensor").storage.size()
             : 0;
}

}  // namespace

ImplementationOr MakeLimit(const Problem& problem, Limit limit,
                           const std::string& target) {
  const ScopedTarget scope(target);
  if (!scope.status().ok()) return scope.status();
  const std::string& name = problem.arguments.operator_name;
  const bool is_add = name == "dml_element_wise_quantized_linear_add";
  const bool streams = is_add || name == "tf_quantize_and_dequantize_v2";
  const size_t read_once = BytesReadOnce(problem.arguments);
  if (streams != (limit == Limit::kStream) ||
      (limit == Limit::kReadB && read_once == 0)) {
    return absl::UnimplementedError("not what bounds this problem");
  }
  switch (limit) {
    case Limit::kStream:
      return std::make_unique<StreamLimit>(
          static_cast<size_t>(problem.work) * (is_add ? 1 : 4), is_add);
    case Limit::kReadB:
      return std::make_unique<ReadLimit>(read_once);
    case Limit::kInt8Registers:
      if (HWY_DYNAMIC_DISPATCH(ChooseInt8)()(1) == 0) {
        return absl::UnimplementedError("no byte quad multiply-add here");
      }
      return std::make_unique<RegisterLimit>(
          problem.work, HWY_DYNAMIC_DISPATCH(ChooseInt8)());
    case Limit::kInt16Registers:
      return std::make_unique<RegisterLimit>(
          problem.work, HWY_DYNAMIC_DISPATCH(ChooseInt16)());
  }
  return absl::InternalError("unknown limit");
}

}  // namespace qconform::harness

#endif  // HWY_ONCE
