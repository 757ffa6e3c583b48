// Properties of the reader and writer of vector files over random cases and
// damaged files.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"
#include "harness/cases/example_vectors.h"
#include "harness/cases/vector_file.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

// Random cases of every operator, valid as vectors though not as calls.
class RandomCases {
 public:
  explicit RandomCases(uint64_t seed) : random_(seed) {}

  VectorFile File() {
    const std::vector<spec::OperatorSpec>& all = spec::AllOperators();
    const spec::OperatorSpec& chosen = all[Below(all.size())];
    VectorFile file;
    file.path = "random.json";
    file.operator_name = chosen.name;
    const size_t count = Below(4);
    for (size_t i = 0; i < count; ++i) {
      file.cases.push_back(Case(chosen, absl::StrCat("case-", i)));
    }
    return file;
  }
  uint64_t Below(uint64_t end) { return random_() % end; }

 private:
  TestCase Case(const spec::OperatorSpec& chosen, const std::string& id) {
    TestCase test_case;
    test_case.id = id;
    test_case.file = "random.json";
    test_case.title = Below(2) ? "\xc3\xa9\n\"\\" : "title";
    if (Below(2)) test_case.source = "source";
    if (Below(2)) test_case.clauses = {"AR-01", "QM-02"};
    test_case.arguments.operator_name = chosen.name;
    for (const spec::AttributeSpec& attribute : chosen.attributes) {
      if (Below(2)) continue;
      spec::Attribute& value = test_case.arguments.attributes[attribute.name];
      if (attribute.type == "bool") value = Below(2) == 1;
      if (attribute.type == "int") value = static_cast<int64_t>(random_());
      if (attribute.type == "string") value = "HALF_UP";
    }
    for (const std::string& option : chosen.options) {
      if (Below(2)) continue;
      if (option == "arithmetic") {
        test_case.arguments.options.arithmetic = "tensorflow";
      } else if (option == "feature_level") {
        test_case.arguments.options.feature_level = "2_1";
      } else {
        test_case.arguments.options.allow_transpose_weight_false = true;
      }
    }
    if (Below(3) == 0) {
      test_case.error = ExpectedError();
      test_case.error->status = "invalid_argument";
    }
    for (const spec::TensorSpec& tensor : chosen.tensors) {
      if (Below(4) == 0) continue;
      ExpectedOutput data = Data(tensor.is_output);
      if (!tensor.is_output) {
        test_case.arguments.inputs[tensor.name] = data.tensor;
      } else {
        test_case.arguments.outputs[tensor.name] = data.tensor.desc;
        if (!test_case.error.has_value() && Below(2)) {
          test_case.expected[tensor.name] = data;
        }
      }
    }
    return test_case;
  }

  ExpectedOutput Data(bool is_output) {
    ExpectedOutput data;
    spec::TensorDesc& desc = data.tensor.desc;
    desc.type = static_cast<spec::DataType>(Below(8));
    if (Below(4) == 0) desc.format = spec::TensorFormat::kFractalNz;
    const size_t rank = Below(4);
    for (size_t d = 0; d < rank; ++d) {
      desc.sizes.push_back(static_cast<int64_t>(Below(Below(8) ? 4 : 1)));
    }
    if (Below(2)) {
      desc.strides.emplace();
      for (size_t d = 0; d < rank; ++d) {
        desc.strides->push_back(static_cast<int64_t>(Below(7)));
      }
    }
    const int64_t count = *spec::StorageElementCount(desc);
    data.tensor.storage.resize(count * spec::ByteSize(desc.type));
    std::vector<bool> padding(count, true);
    const int64_t elements = *spec::ElementCount(desc);
    for (int64_t i = 0; i < elements; ++i) {
      padding[spec::StorageOffset(desc, i)] = false;
    }
    for (int64_t i = 0; i < count; ++i) {
      const bool null = padding[i] || (is_output && Below(4) == 0);
      data.must_stay.push_back(null);
      if (null) continue;
      if (desc.type == spec::DataType::kInt64) {
        spec::WriteInteger(data.tensor, i, static_cast<int64_t>(random_()));
      } else if (spec::IsFloat(desc.type)) {
        const double specials[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL};
        spec::WriteReal(
            data.tensor, i,
            Below(4) == 0
                ? specials[Below(4)]
                : std::ldexp(static_cast<double>(Below(1u << 24)) - (1 << 23),
                             static_cast<int>(Below(60)) - 45));
      } else {
        spec::WriteInteger(data.tensor, i, static_cast<int64_t>(Below(100)));
      }
    }
    return data;
  }

  std::mt19937_64 random_;
};

TEST(VectorFile, ParsingWhatWasWrittenGivesTheSameCases) {
  RandomCases random(20230615);
  for (int i = 0; i < 2000; ++i) {
    const VectorFile file = random.File();
    const std::string text = FormatVectorFile(file);
    const absl::StatusOr<VectorFile> read =
        ParseVectorFile("random.json", text);
    ASSERT_TRUE(read.ok()) << read.status() << text;
    ASSERT_EQ(read->operator_name, file.operator_name);
    ASSERT_TRUE(read->cases == file.cases) << text;
    ASSERT_EQ(FormatVectorFile(*read), text);
  }
}

// Whatever happens to a file, the answer is a vector file or an error.
TEST(VectorFile, DamageIsNeverACrash) {
  RandomCases random(7);
  int rejected = 0;
  for (const std::string& good :
       {std::string(kAdd), std::string(kGrouped), std::string(kDequantize)}) {
    for (size_t end = 0; end + 2 < good.size(); ++end) {
      const absl::StatusOr<VectorFile> file =
          ParseVectorFile("a.json", good.substr(0, end));
      ASSERT_FALSE(file.ok()) << end;
      ASSERT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
    }
    for (int i = 0; i < 20000; ++i) {
      std::string damaged = good;
      const uint64_t flips = 1 + random.Below(3);
      for (uint64_t flip = 0; flip < flips; ++flip) {
        const size_t at = random.Below(damaged.size());
        const char digits[] = "0123456789-.e[]{},:\"";
        damaged[at] = random.Below(2) ? digits[random.Below(sizeof(digits) - 1)]
                                      : static_cast<char>(random.Below(256));
      }
      const absl::StatusOr<VectorFile> file =
          ParseVectorFile("a.json", damaged);
      if (file.ok()) {
        const std::string text = FormatVectorFile(*file);
        const absl::StatusOr<VectorFile> again =
            ParseVectorFile("a.json", text);
        ASSERT_TRUE(again.ok()) << again.status();
        ASSERT_EQ(FormatVectorFile(*again), text);
      } else {
        ++rejected;
        ASSERT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
      }
    }
  }
  EXPECT_GT(rejected, 30000);
}

}  // namespace
}  // namespace qconform::harness
