// The types that NumPy 2 gives to what is computed from numbers of two types: constants of a module and host code
// follow it, kernels have rules of their own.
#pragma once

#include "pykc/types.h"

namespace pykc {

/// The type that both fit: `promote(I32, F32)` is F64. A float of 8 bits fits f16.
ScalarType promote(ScalarType a, ScalarType b);
/// The float type of functions such as sqrt: floats as they are, integers by their size.
ScalarType float_type_for(ScalarType type);

}  // namespace pykc
