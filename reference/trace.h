// What a golden text says about its steps while it is evaluated.

#ifndef QCONFORM_REFERENCE_TRACE_H_
#define QCONFORM_REFERENCE_TRACE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reference/arithmetic/binary32.h"
#include "reference/arithmetic/enclosure.h"
#include "reference/arithmetic/exact.h"

namespace qconform::reference {

// One step in one arithmetic.
struct TraceLine {
  std::string clause;
  std::string line;
  std::string value;
  int64_t term = -1;  // which of many like terms the step belongs to, or -1
};

// Collects the steps of an evaluation, or ignores them if made without a list.
class Trace {
 public:
  Trace() = default;
  explicit Trace(std::vector<TraceLine>* lines) : lines_(lines) {}

  bool active() const { return lines_ != nullptr; }

  template <class Value>
  void Step(const char* clause, const char* line, const Value& value) {
    if (active()) Note(clause, line, Describe(value));
  }
  void Note(const char* clause, std::string line, std::string value) {
    if (active()) {
      lines_->push_back({clause, std::move(line), std::move(value), term_});
    }
  }
  // The steps that follow belong to this term of a sum; -1: to no term.
  void SetTerm(int64_t term) { term_ = term; }

 private:
  std::vector<TraceLine>* lines_ = nullptr;
  int64_t term_ = -1;
};

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_TRACE_H_
