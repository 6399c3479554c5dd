// `x ** y`.
#pragma once

#include <optional>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Value power(FunctionChecker& checker, const Value& base, const Value& exponent, SourceRange range);
std::optional<int> count_of_factors(FunctionChecker& checker, const Value& exponent);

}  // namespace pykc::checker
