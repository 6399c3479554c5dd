// The prototypes of a `@vectorize` function, "float32(float32, float32)", and which of them a call takes: as a ufunc of
// NumPy does, the first to whose types all arguments convert safely.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "script/arithmetic/promote.h"
#include "script/values/outcome.h"
#include "script/values/prototype.h"
#include "script/values/value.h"

namespace pykc::script {

/// How an argument enters: a number or the elements of an array, real or complex.
struct Operand {
  ElementType type;
  OperandType::Weakness weakness = OperandType::Weakness::Strong;
};
std::optional<Operand> operand_of(const Value& value);

/// Fails with what is wrong with the text.
Outcome<Prototype> parse_prototype(const std::string& text);
/// A prototype of `@guvectorize`: "void(float32[:], float32, float32[:])", also without the result or the name of it.
Outcome<Prototype> parse_array_prototype(const std::string& text);
/// Where a decorator lets the function run: it is the program's device in any case.
Status check_target(const Value& value);
/// The function as the decorator leaves it.
Outcome<Value> decorate(const DecoratorValue& decorator, const Value& function);
/// Null where there are none; an error where none fits.
Outcome<const Prototype*> choose_prototype(const std::vector<Prototype>& prototypes,
                                           const std::vector<Operand>& operands, const std::string& function);
/// Whether every value of `from` is one of `to`.
bool converts_safely(const Operand& from, const ElementType& to);
/// Whether NumPy stores results of `from` into an array of `to`: the kind does not get smaller.
bool is_same_kind(const ElementType& from, const ElementType& to);

}  // namespace pykc::script
