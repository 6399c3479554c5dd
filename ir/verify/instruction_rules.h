// The verifier's rules for one instruction alone: its type, its operands' types, the tables that it points into.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace pykc::ir {

/// What is wrong with the instruction, or "". Its operands are there and as many as the table says; `module` is null
/// where a function is looked at alone.
std::string check_instruction(const Instruction& instruction, const Function& function, const Module* module);

/// What is wrong with a call of that builtin, or "". Without a result type, nobody uses the result.
std::string check_builtin(BuiltinId builtin, const std::vector<Type>& arguments, std::optional<Type> result);

/// The conversions of a print's format, one for each operand: "%lld", "%-s".
std::vector<std::string_view> conversions_of(std::string_view format);

/// Whether the postfix expression leaves exactly one value (or has no terms).
bool is_well_formed(const LaunchExpression& expression);

}  // namespace pykc::ir
