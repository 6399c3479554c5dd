// Signatures as text: what stands in `--sig "saxpy(f32, f32[:])"` and in Numba's @cuda.jit('void(float32[:,:])').
//
// A type that is spelled as Numba spells it (`float32[:]`, `Array(float32, 1, "C")`, `f4[:]`) keeps Numba's meaning:
// `[:]` is any stride. Spelled as pykc does (`f32[:]`), it is contiguous, and `f32[::]` is any stride.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.h"
#include "pykc/types.h"
#include "stdlib/type_names.h"

namespace pykc {

struct SignatureText {
  std::string name;  // what stands before the parenthesis: a kernel's name, or the result's type
  std::vector<ArgumentType> parameters;
};

enum class SignatureDialect : std::uint8_t {
  Pykc,        // i8 has 8 bits
  Numba,       // i8 has 8 bytes in Numba and 8 bits here: refused
  NumbaCodes,  // i8 has 8 bytes: in what only Numba's sources have
};

/// None, and the reason in `error`, where the text is no signature.
std::optional<SignatureText> parse_signature_text(std::string_view text, SignatureDialect dialect, std::string& error);
/// A single type: "f32[:, :]".
std::optional<ArgumentType> parse_type_text(std::string_view text, SignatureDialect dialect, std::string& error);

/// The type of that name in a family.
std::optional<ScalarType> find_type(TypeFamily family, std::string_view name);
/// The two names of each type, `f32` and `float32`, for "did you mean".
std::vector<std::string_view> scalar_type_names();
/// The type that a string names as NumPy's `dtype` does: "float64", "f4", "<f8", "d". `i8` and `u8` need the `<`: they
/// would have 8 bytes there and have 8 bits here.
std::optional<ElementType> dtype_named(std::string_view text, std::string& error);

/// What stands in one dimension of `f32[…]`.
struct Dimension {
  enum class Kind : std::uint8_t { Colon, DoubleColon, UnitStride, Extent };  // `:`  `::`  `::1`  `16`
  Kind kind = Kind::Colon;
  std::int64_t extent = ArrayType::kDynamic;
};
/// The array type that the dimensions spell; `colon_is_strided` is Numba's meaning of `[:]`.
std::optional<ArrayType> array_type(const ElementType& element, const std::vector<Dimension>& dimensions,
                                    bool colon_is_strided, std::string& error);

inline constexpr int kMaximumRank = 8;

}  // namespace pykc
