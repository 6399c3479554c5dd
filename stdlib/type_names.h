// The names that NumPy, Numba and CUDA have for types of numbers beyond the two that the language has for each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace pykc {

enum class TypeFamily : std::uint8_t {
  NumpyAndNumba,  // `numpy.intc`, `numba.intc`
  Numba,          // `numba.i8`, and in signatures of Numba
  NumpyLetter,    // the text of a dtype
  ComplexCode,    // `numba.c16`: a complex number of two such parts
  CudaVector,     // `float4` and `make_float4`: the name before the number of components
};

struct TypeName {
  TypeFamily family;
  std::string_view name;
  std::string_view type;  // as the language spells it
};

/// The rows of type_names.def; their order means nothing.
std::span<const TypeName> all_type_names();

}  // namespace pykc
