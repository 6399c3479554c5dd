// Whole numbers that literals alone make, computed as Python does it: what stands in between may be wider than a number
// of a kernel, `2**64 - 1`.
#pragma once

#include <optional>

#include "frontend/check/function_checker.h"
#include "frontend/syntax/ast.h"

namespace pykc::checker {

/// The value, where a part of the expression does not fit 64 bits and the whole does; else nothing.
std::optional<Int128> number_of_wide_parts(const ast::Binary& node);

}  // namespace pykc::checker
