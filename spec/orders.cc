#include "spec/orders.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/embedded_json.h"
#include "spec/object_reader.h"

namespace qconform::spec {
namespace {

using Choices = std::map<std::string, std::string>;

// Choices that must hold, each with the values that satisfy it.
using Condition = std::map<std::string, std::vector<std::string>>;

// Holds if any of its conditions does; empty: always.
using Conditions = std::vector<Condition>;

struct Value {
  std::string name;
  std::string word;  // in the names of orders; may be empty
  std::string text;
  Conditions only_if;
};

struct Choice {
  std::string name;
  std::string text;
  Conditions only_if;
  std::vector<Value> values;
};

bool Holds(const Conditions& conditions, const Choices& made) {
  if (conditions.empty()) return true;
  return std::any_of(
      conditions.begin(), conditions.end(), [&](const Condition& condition) {
        return std::all_of(
            condition.begin(), condition.end(), [&](const auto& term) {
              const auto found = made.find(term.first);
              return found != made.end() &&
                     std::count(term.second.begin(), term.second.end(),
                                found->second) > 0;
            });
      });
}

std::string Names(const std::vector<Choice>& choices) {
  std::string names;
  for (const Choice& choice : choices) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", choice.name);
  }
  return names;
}

// Fails unless the choice and its value stand among `choices`.
void CheckChoice(ObjectReader& reader, const std::vector<Choice>& choices,
                 const std::string& name, const std::string& value) {
  for (const Choice& choice : choices) {
    if (choice.name != name) continue;
    for (const Value& allowed : choice.values) {
      if (allowed.name == value) return;
    }
    reader.Fail(
        absl::StrCat("choice \"", name, "\" has no value \"", value, "\""));
    return;
  }
  reader.Fail(absl::StrCat("choice \"", name, "\"; allowed: ", Names(choices)));
}

// `made` are the choices that stand before, the only ones a condition may name.
Conditions ParseConditions(ObjectReader& reader,
                           const std::vector<Choice>& made) {
  Conditions conditions;
  if (!reader.Has("only_if")) return conditions;
  for (const Json& json : reader.Array("only_if")) {
    Condition& condition = conditions.emplace_back();
    ObjectReader terms(json, "only_if");
    if (json.is_object()) {
      for (const auto& [name, values] : json.items()) {
        condition[name] = terms.Strings(name.c_str());
        for (const std::string& value : condition[name]) {
          CheckChoice(terms, made, name, value);
        }
      }
    }
    const absl::Status status = terms.Finish();
    if (!status.ok()) reader.Fail(std::string(status.message()));
  }
  return conditions;
}

absl::StatusOr<Value> ParseValue(const Json& json, std::string place,
                                 const std::vector<Choice>& made) {
  ObjectReader reader(json, std::move(place));
  Value value;
  value.name = reader.String("name");
  value.word = reader.String("word");
  value.text = reader.String("text");
  value.only_if = ParseConditions(reader, made);
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return value;
}

absl::StatusOr<Choice> ParseChoice(const Json& json, std::string place,
                                   const std::vector<Choice>& made) {
  ObjectReader reader(json, std::move(place));
  Choice choice;
  choice.name = reader.String("name");
  choice.text = reader.String("text");
  choice.only_if = ParseConditions(reader, made);
  ParseItems(
      reader, "values",
      [&made](const Json& value, std::string value_place) {
        return ParseValue(value, std::move(value_place), made);
      },
      choice.values);
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return choice;
}

// Every combination of the choices from `next` on that may stand after `order`.
void Expand(const std::vector<Choice>& choices, size_t next, const Order& order,
            std::vector<Order>& orders) {
  if (next == choices.size()) {
    orders.push_back(order);
    return;
  }
  const Choice& choice = choices[next];
  if (!Holds(choice.only_if, order.choices)) {
    Expand(choices, next + 1, order, orders);
    return;
  }
  for (const Value& value : choice.values) {
    if (!Holds(value.only_if, order.choices)) continue;
    Order longer = order;
    longer.choices[choice.name] = value.name;
    if (!value.word.empty()) {
      absl::StrAppend(&longer.name, longer.name.empty() ? "" : "_", value.word);
    }
    absl::StrAppend(&longer.text, longer.text.empty() ? "" : "; ", choice.name,
                    ": ", value.text);
    Expand(choices, next + 1, longer, orders);
  }
}

// Gives the order with exactly these choices a name of its own.
absl::StatusOr<bool> ParseName(const Json& json, std::string place,
                               std::vector<Order>& orders) {
  ObjectReader reader(json, std::move(place));
  const std::string name = reader.String("name");
  Choices choices;
  for (const auto& [choice, value] : reader.Object("choices").items()) {
    if (value.is_string()) choices[choice] = value.get<std::string>();
  }
  const auto found = std::find_if(
      orders.begin(), orders.end(),
      [&](const Order& order) { return order.choices == choices; });
  if (found == orders.end()) {
    reader.Fail(absl::StrCat("no order has the choices of \"", name, "\""));
  } else {
    found->name = name;
  }
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return true;
}

// Makes the orders of one group aliases of its first.
void JoinAliases(ObjectReader& reader, const Json& group,
                 std::vector<Order>& orders) {
  const auto find = [&](const Json& name) {
    const auto found =
        std::find_if(orders.begin(), orders.end(), [&](const Order& order) {
          return name.is_string() && order.name == name.get<std::string>();
        });
    if (found == orders.end()) {
      reader.Fail(absl::StrCat("\"same\" names no order: ", name.dump()));
    }
    return found;
  };
  if (!group.is_array() || group.size() < 2) {
    reader.Fail("\"same\" must hold arrays of two names or more");
    return;
  }
  for (size_t i = 1; i < group.size(); ++i) {
    const auto alias = find(group[i]);
    if (alias == orders.end()) return;
    const std::string name = alias->name;
    orders.erase(alias);
    const auto kept = find(group[0]);
    if (kept == orders.end()) return;
    kept->aliases.push_back(name);
  }
}

absl::StatusOr<OrderFamily> ParseFamily(const Json& json, std::string place) {
  ObjectReader reader(json, std::move(place));
  OrderFamily family;
  family.operator_name = reader.String("operator");
  family.notation = reader.String("notation");
  std::vector<Choice> choices;
  const Json& choices_json = reader.Array("choices");
  for (size_t i = 0; i < choices_json.size(); ++i) {
    absl::StatusOr<Choice> choice =
        ParseChoice(choices_json[i], absl::StrCat("choices[", i, "]"), choices);
    if (!choice.ok()) return choice.status();
    choices.push_back(*std::move(choice));
  }
  Expand(choices, 0, Order(), family.orders);
  std::vector<bool> named;
  ParseItems(
      reader, "names",
      [&family](const Json& name, std::string name_place) {
        return ParseName(name, std::move(name_place), family.orders);
      },
      named);
  Order exact;
  exact.name = "exact";
  exact.text = "the exact value, rounded once";
  family.orders.insert(family.orders.begin(), exact);
  for (const Json& group : reader.Array("same")) {
    JoinAliases(reader, group, family.orders);
  }
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return family;
}

absl::StatusOr<Sighting> ParseSighting(const Json& json, std::string place) {
  ObjectReader reader(json, std::move(place));
  Sighting sighting;
  sighting.project = reader.String("project");
  sighting.version = reader.String("version");
  sighting.place = reader.String("place");
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return sighting;
}

OrderFamily* FindFamily(ObjectReader& reader, const std::string& operator_name,
                        std::vector<OrderFamily>& families) {
  for (OrderFamily& family : families) {
    if (family.operator_name == operator_name) return &family;
  }
  reader.Fail(absl::StrCat("operator \"", operator_name, "\" has no family"));
  return nullptr;
}

absl::StatusOr<bool> ParseModifier(const Json& json, std::string place,
                                   std::vector<OrderFamily>& families) {
  ObjectReader reader(json, std::move(place));
  Modifier modifier;
  modifier.name = reader.String("name");
  modifier.kind = reader.String("kind");
  modifier.text = reader.String("text");
  modifier.clauses = reader.Strings("clauses");
  modifier.outside_domain = reader.Bool("outside_domain");
  ParseItems(reader, "seen", ParseSighting, modifier.seen);
  const std::vector<std::string> breaks = reader.Strings("breaks_document_of");
  for (const std::string& name : reader.Strings("operators")) {
    OrderFamily* family = FindFamily(reader, name, families);
    if (family == nullptr) break;
    family->modifiers.push_back(modifier);
    family->modifiers.back().breaks_document =
        std::count(breaks.begin(), breaks.end(), name) > 0;
  }
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return true;
}

absl::StatusOr<bool> ParseFormula(const Json& json, std::string place,
                                  std::vector<OrderFamily>& families) {
  ObjectReader reader(json, std::move(place));
  Formula formula;
  formula.name = reader.String("name");
  formula.text = reader.String("text");
  formula.clauses = reader.Strings("clauses");
  formula.breaks_document = reader.Bool("breaks_document");
  ParseItems(reader, "seen", ParseSighting, formula.seen);
  OrderFamily* family = FindFamily(reader, reader.String("operator"), families);
  if (family != nullptr) family->formulas.push_back(formula);
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return true;
}

absl::StatusOr<bool> ParseNamedDeviation(const Json& json, std::string place,
                                         std::vector<OrderFamily>& families) {
  ObjectReader reader(json, std::move(place));
  NamedDeviation deviation;
  deviation.name = reader.String("name");
  deviation.order = reader.String("order");
  deviation.modifier = reader.String("modifier");
  ParseItems(reader, "seen", ParseSighting, deviation.seen);
  OrderFamily* family = FindFamily(reader, reader.String("operator"), families);
  if (family != nullptr) {
    if (family->FindOrder(deviation.order) == nullptr) {
      reader.Fail(absl::StrCat("no order \"", deviation.order, "\""));
    }
    if (family->FindModifier(deviation.modifier) == nullptr) {
      reader.Fail(absl::StrCat("no modifier \"", deviation.modifier, "\""));
    }
    family->named_deviations.push_back(deviation);
  }
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return true;
}

// Everything that has a name can be asked for by it.
absl::Status CheckNames(const OrderFamily& family) {
  std::set<std::string> names;
  std::optional<std::string> twice;
  const auto add = [&](const std::string& name) {
    if (!names.insert(name).second) twice = name;
  };
  for (const Order& order : family.orders) {
    add(order.name);
    for (const std::string& alias : order.aliases) add(alias);
  }
  for (const Modifier& modifier : family.modifiers) add(modifier.name);
  for (const Formula& formula : family.formulas) add(formula.name);
  for (const NamedDeviation& named : family.named_deviations) add(named.name);
  if (!twice) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(family.operator_name, ": \"", *twice, "\" stands twice"));
}

template <class Item>
const Item* FindByName(const std::vector<Item>& items,
                       const std::string& name) {
  for (const Item& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

}  // namespace

const Order* OrderFamily::FindOrder(const std::string& name) const {
  for (const Order& order : orders) {
    if (order.name == name ||
        std::count(order.aliases.begin(), order.aliases.end(), name) > 0) {
      return &order;
    }
  }
  return nullptr;
}

const Modifier* OrderFamily::FindModifier(const std::string& name) const {
  return FindByName(modifiers, name);
}

const Formula* OrderFamily::FindFormula(const std::string& name) const {
  return FindByName(formulas, name);
}

const NamedDeviation* OrderFamily::FindNamedDeviation(
    const std::string& name) const {
  return FindByName(named_deviations, name);
}

absl::StatusOr<std::vector<OrderFamily>> ParseOrders(
    const std::string& orders_json, const std::string& deviations_json) {
  const absl::StatusOr<Json> orders = ParseJson(orders_json, "orders");
  if (!orders.ok()) return orders.status();
  const absl::StatusOr<Json> deviations =
      ParseJson(deviations_json, "deviations");
  if (!deviations.ok()) return deviations.status();
  ObjectReader orders_reader(*orders, "orders");
  CheckSchema(orders_reader, "orders/1");
  std::vector<OrderFamily> families;
  ParseItems(orders_reader, "families", ParseFamily, families);
  absl::Status status = orders_reader.Finish();
  if (!status.ok()) return status;

  ObjectReader reader(*deviations, "deviations");
  CheckSchema(reader, "deviations/1");
  const auto parse_into_families = [&](const char* key, auto parse) {
    std::vector<bool> parsed_items;
    ParseItems(
        reader, key,
        [&](const Json& item, std::string place) {
          return parse(item, std::move(place), families);
        },
        parsed_items);
  };
  parse_into_families("modifiers", ParseModifier);
  parse_into_families("formulas", ParseFormula);
  parse_into_families("named_deviations", ParseNamedDeviation);
  status = reader.Finish();
  for (const OrderFamily& family : families) {
    if (status.ok()) status = CheckNames(family);
  }
  if (!status.ok()) return status;
  return families;
}

const std::vector<OrderFamily>& AllOrderFamilies() {
  // The files are part of the program and tested with it, so value() cannot
  // fail.
  static const auto* const kFamilies = new std::vector<OrderFamily>(
      ParseOrders(EmbeddedOrders()[0].json, EmbeddedOrders()[1].json).value());
  return *kFamilies;
}

const OrderFamily* FindOrderFamily(const std::string& operator_name) {
  for (const OrderFamily& family : AllOrderFamilies()) {
    if (family.operator_name == operator_name) return &family;
  }
  return nullptr;
}

}  // namespace qconform::spec
