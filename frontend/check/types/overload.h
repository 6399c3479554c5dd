// Kernels with several signatures: which of them takes the arguments of a request.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// Whether a launch converts a number of the one type to the other: what has a fraction does not lose it.
bool launch_converts(const checked::Type& given, const checked::Type& stated);

}  // namespace pykc::checker
