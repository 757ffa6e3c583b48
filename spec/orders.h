// The evaluation orders of clause AR-02 as data: orders.json and
// deviations.json beside this header, compiled into the program. An order is
// one way in which an honest float implementation may compute what a document
// writes; a family is a product of choices. reference/orders/ computes what
// they give.

#ifndef QCONFORM_SPEC_ORDERS_H_
#define QCONFORM_SPEC_ORDERS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace qconform::spec {

struct Order {
  std::string name;                  // "one_multiplier_recip"
  std::vector<std::string> aliases;  // names of orders that give the same
  std::map<std::string, std::string> choices;  // empty: `exact`
  std::string text;                            // the choices in words
};

// Where a deviation was observed.
struct Sighting {
  std::string project;
  std::string version;
  std::string place;
};

// A change of any order that no document and no clause permits.
struct Modifier {
  std::string name;  // "half_away"
  std::string kind;  // one of a kind can be in force: "rounding", "sum", ...
  std::string text;
  std::vector<std::string> clauses;  // that it breaks
  // True if a document says otherwise, false if only a decision does.
  bool breaks_document = false;
  // True if it is a matter of range: then it has a value outside the order's
  // domain too.
  bool outside_domain = false;
  std::vector<Sighting> seen;
};

// A whole computation that is no order at all; it counts as one modifier.
struct Formula {
  std::string name;  // "fixed_xnnpack_add"
  std::string text;
  std::vector<std::string> clauses;
  bool breaks_document = false;
  std::vector<Sighting> seen;
};

// An order with a modifier that has a name of its own.
struct NamedDeviation {
  std::string name;      // "folded_cfa_bf_af"
  std::string order;     // of the family
  std::string modifier;  // of the family
  std::vector<Sighting> seen;
};

struct OrderFamily {
  std::string operator_name;
  std::string notation;       // what the symbols in the texts mean
  std::vector<Order> orders;  // `exact` first; all permitted
  std::vector<Modifier> modifiers;
  std::vector<Formula> formulas;
  std::vector<NamedDeviation> named_deviations;

  // By name or alias; null if there is none.
  const Order* FindOrder(const std::string& name) const;
  const Modifier* FindModifier(const std::string& name) const;
  const Formula* FindFormula(const std::string& name) const;
  const NamedDeviation* FindNamedDeviation(const std::string& name) const;
};

// One family for each operator, in the order of their names.
const std::vector<OrderFamily>& AllOrderFamilies();

// Null if there is no such operator.
const OrderFamily* FindOrderFamily(const std::string& operator_name);

// Reads the files; for tests and for AllOrderFamilies. kInvalidArgument names
// the place and what is wrong there: an unknown member, name, choice or value,
// or a name that stands twice.
absl::StatusOr<std::vector<OrderFamily>> ParseOrders(
    const std::string& orders_json, const std::string& deviations_json);

}  // namespace qconform::spec

#endif  // QCONFORM_SPEC_ORDERS_H_
