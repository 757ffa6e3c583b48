#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/validate_rules.h"

namespace qconform::spec {
namespace {

// What the symbols stand for in one call: a name for one size, a name with
// "..." for a list of sizes.
using Bindings = std::map<std::string, std::vector<int64_t>>;

bool IsNumber(const std::string& symbol) {
  return std::all_of(symbol.begin(), symbol.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// True if `sizes` is what `symbol` stands for; a symbol met for the first time
// then stands for them.
bool Bind(const std::string& symbol, const std::vector<int64_t>& sizes,
          Bindings& bindings) {
  return bindings.emplace(symbol, sizes).first->second == sizes;
}

bool Matches(const std::vector<std::string>& shape,
             const std::vector<int64_t>& sizes, Bindings& bindings) {
  if (shape.size() == 1 && absl::EndsWith(shape[0], "...")) {
    if (shape[0] != "1...") return Bind(shape[0], sizes, bindings);
    return std::all_of(sizes.begin(), sizes.end(),
                       [](int64_t size) { return size == 1; });
  }
  if (shape.size() != sizes.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (IsNumber(shape[i]) ? absl::StrCat(sizes[i]) != shape[i]
                           : !Bind(shape[i], {sizes[i]}, bindings)) {
      return false;
    }
  }
  return true;
}

std::string ShapeText(const std::vector<std::string>& shape,
                      const Bindings& bindings) {
  return absl::StrCat(
      "{",
      absl::StrJoin(shape, ", ",
                    [&bindings](std::string* out, const std::string& symbol) {
                      const auto bound = bindings.find(symbol);
                      out->append(bound == bindings.end()
                                      ? symbol
                                      : absl::StrJoin(bound->second, ", "));
                    }),
      "}");
}

}  // namespace

absl::Status CheckShapes(const OperatorSpec& spec, const Arguments& arguments,
                         size_t padded_rank) {
  Bindings bindings;
  for (const TensorSpec& tensor : spec.tensors) {
    const TensorDesc* desc = FindDesc(arguments, tensor.name);
    if (desc == nullptr) continue;
    std::vector<int64_t> sizes = desc->sizes;
    if (sizes.size() < padded_rank) {
      sizes.insert(sizes.begin(), padded_rank - sizes.size(), 1);
    }
    const bool matched =
        std::any_of(tensor.shapes.begin(), tensor.shapes.end(),
                    [&](const std::vector<std::string>& shape) {
                      Bindings tried = bindings;
                      if (!Matches(shape, sizes, tried)) return false;
                      bindings = std::move(tried);
                      return true;
                    });
    if (matched) continue;
    return Reject(
        tensor.name, absl::StrCat("has sizes ", SizesText(desc->sizes)),
        absl::StrCat(absl::StrJoin(tensor.shapes, " or ",
                                   [&](std::string* out,
                                       const std::vector<std::string>& shape) {
                                     out->append(ShapeText(shape, bindings));
                                   }),
                     desc->sizes.size() < padded_rank
                         ? absl::StrCat(", where leading 1s up to rank ",
                                        padded_rank, " may be left out")
                         : ""));
  }
  return absl::OkStatus();
}

}  // namespace qconform::spec
