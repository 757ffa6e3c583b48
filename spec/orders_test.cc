#include "spec/orders.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/operator_spec.h"

namespace qconform::spec {
namespace {

using ::testing::HasSubstr;

TEST(OrdersTest, EveryOperatorHasAFamilyThatBeginsWithExact) {
  ASSERT_EQ(AllOrderFamilies().size(), AllOperators().size());
  for (size_t i = 0; i < AllOperators().size(); ++i) {
    const OrderFamily& family = AllOrderFamilies()[i];
    EXPECT_EQ(family.operator_name, AllOperators()[i].name);
    EXPECT_EQ(FindOrderFamily(family.operator_name), &family);
    ASSERT_FALSE(family.orders.empty());
    EXPECT_EQ(family.orders[0].name, "exact");
    EXPECT_TRUE(family.orders[0].choices.empty());
    EXPECT_GT(family.orders.size(), 20u);
  }
  EXPECT_EQ(FindOrderFamily("no_such_operator"), nullptr);
}

TEST(OrdersTest, OrdersOfMeasuredRuntimesAreThere) {
  const auto* matmul = FindOrderFamily("dml_quantized_linear_matrix_multiply");
  for (const char* name :
       {"written", "written_ba", "pair_then_div", "one_multiplier",
        "one_multiplier_recip", "recips_then_divide", "pair_then_recip",
        "written_recip", "a_times_b_over_y", "b_times_a_over_y",
        "mul_a_then_b_over_y", "mul_b_then_a_over_y",
        "multiplier_double_to_f32", "multiplier_double", "written_double"}) {
    EXPECT_NE(matmul->FindOrder(name), nullptr) << name;
  }
  EXPECT_EQ(matmul->FindOrder("one_multiplier_recip")->choices.at("division"),
            "reciprocal");
  const auto* add = FindOrderFamily("dml_element_wise_quantized_linear_add");
  for (const char* name :
       {"written", "written_fma_a", "written_fma_b", "written_recip",
        "recip_fma_a", "recip_fma_b", "two_multipliers",
        "two_multipliers_fma_a", "two_multipliers_fma_b", "two_mult_recip",
        "divide_each", "double", "dq_premul_fma_recip", "dq_premul_fma_div"}) {
    EXPECT_NE(add->FindOrder(name), nullptr) << name;
  }
  const NamedDeviation* folded = add->FindNamedDeviation("folded_cfa_bf_af");
  ASSERT_NE(folded, nullptr);
  EXPECT_EQ(folded->modifier, "zero_point_before_rounding");
  EXPECT_NE(add->FindFormula("fixed_xnnpack_add"), nullptr);
}

TEST(OrdersTest, DivisionsAreNotContracted) {
  for (const Order& order :
       FindOrderFamily("dml_quantized_linear_matrix_multiply")->orders) {
    if (order.choices.count("last_product") == 0) continue;
    const std::string& form = order.choices.at("form");
    EXPECT_FALSE(order.choices.count("division") == 1 &&
                 order.choices.at("division") == "division" &&
                 (form == "written" || form == "written_ba" || form == "pair"))
        << order.name;
  }
}

// A clause that a deviation is said to break is one of its operator's.
TEST(OrdersTest, DeviationsNameClauses) {
  for (const OrderFamily& family : AllOrderFamilies()) {
    const OperatorSpec* spec = FindOperator(family.operator_name);
    for (const Modifier& modifier : family.modifiers) {
      for (const std::string& clause : modifier.clauses) {
        EXPECT_NE(spec->FindClause(clause), nullptr) << modifier.name;
      }
    }
    for (const Formula& formula : family.formulas) {
      for (const std::string& clause : formula.clauses) {
        EXPECT_NE(spec->FindClause(clause), nullptr) << formula.name;
      }
    }
  }
  // The page of TensorFlow names the rounding, those of DirectML do not.
  EXPECT_TRUE(FindOrderFamily("tf_quantize_and_dequantize_v2")
                  ->FindModifier("half_away")
                  ->breaks_document);
  EXPECT_FALSE(FindOrderFamily("dml_element_wise_quantized_linear_add")
                   ->FindModifier("half_away")
                   ->breaks_document);
}

// A file of one operator with these.
std::string Orders(const std::string& choices, const std::string& names = "",
                   const std::string& same = "") {
  return R"({"schema": "orders/1", "families": [{"operator": "op",
    "notation": "x", "choices": [)" +
         choices + R"(], "names": [)" + names + R"(], "same": [)" + same +
         "]}]}";
}

std::string Deviations(const std::string& modifiers,
                       const std::string& formulas = "",
                       const std::string& named = "") {
  return R"({"schema": "deviations/1", "modifiers": [)" + modifiers +
         R"(], "formulas": [)" + formulas + R"(], "named_deviations": [)" +
         named + "]}";
}

constexpr char kTwoChoices[] = R"(
  {"name": "form", "text": "t", "values": [
    {"name": "one", "word": "one", "text": "1"},
    {"name": "two", "word": "two", "text": "2"}]},
  {"name": "last", "text": "t", "only_if": [{"form": ["two"]}], "values": [
    {"name": "rounded", "word": "", "text": "r"},
    {"name": "contracted", "word": "contracted", "text": "c"}]})";

TEST(OrdersTest, AFamilyIsTheProductOfItsChoices) {
  const auto families = ParseOrders(
      Orders(kTwoChoices, R"({"name": "own", "choices": {"form": "one"}})",
             R"(["two", "two_contracted"])"),
      Deviations(""));
  ASSERT_TRUE(families.ok()) << families.status();
  std::vector<std::string> names;
  for (const Order& order : (*families)[0].orders) names.push_back(order.name);
  EXPECT_EQ(names, (std::vector<std::string>{"exact", "own", "two"}));
  const Order* two = (*families)[0].FindOrder("two_contracted");
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(two->name, "two");
  EXPECT_EQ(two->text, "form: 2; last: r");
}

TEST(OrdersTest, NamesWhatIsWrong) {
  const std::string two = kTwoChoices;
  const std::string good = Orders(two);
  const std::string none = Deviations("");
  const struct {
    std::string orders;
    std::string deviations;
    const char* message;
  } kCases[] = {
      {"{", none, "orders: "},
      {good, "{", "deviations: "},
      {R"({"schema": "orders/2"})", none, "orders/1"},
      {good, good, "deviations/1"},
      {Orders(R"({"name": "form", "text": "t", "values": [], "x": 1})"), none,
       "unknown member \"x\""},
      {Orders(R"({"name": "form", "text": "t", "only_if": [{"b": ["c"]}],
                  "values": []})"),
       none, "choice \"b\""},
      {Orders(R"({"name": "form", "text": "t", "only_if": [3],
                  "values": []})"),
       none, "an object is expected"},
      {Orders(two + R"(, {"name": "z", "text": "t",
                          "only_if": [{"form": ["three"]}], "values": []})"),
       none, "\"form\" has no value \"three\""},
      {Orders(two + R"(, {"name": "z", "text": "t", "values": [{"name": 1}]})"),
       none, "\"name\" must be a string"},
      {Orders(two, R"({"name": "own", "choices": {"form": "three"}})"), none,
       "no order has the choices of \"own\""},
      {Orders(two, R"({"name": "own", "choices": 3})"), none,
       "must be an object"},
      {Orders(two, R"({"name": "own"})"), none, "\"choices\" is missing"},
      {Orders(two, "", R"(["one", "seven"])"), none,
       "\"same\" names no order: \"seven\""},
      {Orders(two, "", R"(["seven", "one"])"), none,
       "\"same\" names no order: \"seven\""},
      {Orders(two, "", R"(["one"])"), none, "two names or more"},
      {Orders(two, R"({"name": "two", "choices": {"form": "one"}})"), none,
       "\"two\" stands twice"},
      {good, Deviations(R"({"name": "m", "kind": "k", "text": "t",
           "clauses": [], "operators": ["none"], "breaks_document_of": [],
           "outside_domain": false, "seen": []})"),
       "operator \"none\" has no family"},
      {good, Deviations("", R"({"name": "f", "operator": "op", "text": "t",
           "clauses": [], "breaks_document": false,
           "seen": [{"project": "p"}]})"),
       "\"version\" is missing"},
      {good, Deviations("", "", R"({"name": "n", "operator": "op",
           "order": "seven", "modifier": "m", "seen": []})"),
       "no order \"seven\""},
      {good, Deviations("", "", R"({"name": "n", "operator": "op",
           "order": "one", "modifier": "m", "seen": []})"),
       "no modifier \"m\""},
  };
  for (const auto& test : kCases) {
    const auto families = ParseOrders(test.orders, test.deviations);
    ASSERT_FALSE(families.ok()) << test.orders << test.deviations;
    EXPECT_EQ(families.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(families.status().message()),
                HasSubstr(test.message));
  }
}

}  // namespace
}  // namespace qconform::spec
