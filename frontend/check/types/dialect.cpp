#include "frontend/check/types/dialect.h"

#include <iterator>

namespace pykc::checker {

bool is_narrow(ScalarType type) { return type == ScalarType::Bool || (is_integer(type) && size_in_bytes(type) < 4); }

bool is_integer_or_bool(ScalarType type) { return is_integer(type) || type == ScalarType::Bool; }

ScalarType machine_type(ScalarType type) { return is_narrow(type) ? ScalarType::I32 : type; }

namespace {

using Common = std::optional<ScalarType>;

ScalarType signed_of_width(int bits) {
  return bits == 8 ? ScalarType::I8 : bits == 16 ? ScalarType::I16 : bits == 32 ? ScalarType::I32 : ScalarType::I64;
}

ScalarType common_float(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (size_in_bits(a) == size_in_bits(b)) return ScalarType::F32;  // f16 and bf16
  return size_in_bits(a) > size_in_bits(b) ? a : b;
}

/// The narrowest integer that holds both. A bool is the narrowest of all.
Common common_integer(ScalarType a, ScalarType b) {
  if (a == b || b == ScalarType::Bool) return a;
  if (a == ScalarType::Bool) return b;
  if (is_signed_integer(a) == is_signed_integer(b)) return size_in_bits(a) > size_in_bits(b) ? a : b;
  const ScalarType with_sign = is_signed_integer(a) ? a : b, without = is_signed_integer(a) ? b : a;
  if (size_in_bits(with_sign) > size_in_bits(without)) return with_sign;
  if (without == ScalarType::U64) return std::nullopt;
  return signed_of_width(2 * size_in_bits(without));
}

// ---- native ----

Common native_join(ScalarType a, ScalarType b) {
  if (is_float(a) && is_float(b)) return common_float(a, b);
  if (is_float(a)) return a;
  if (is_float(b)) return b;
  return common_integer(a, b);
}

Common native_arithmetic(ScalarType a, ScalarType b) {
  if (is_narrow(a) && is_narrow(b)) return ScalarType::I32;
  return native_join(a, b);
}

Common native_shift(ScalarType value, ScalarType) { return machine_type(value); }

ScalarType i64(ScalarType) { return ScalarType::I64; }
ScalarType f64(ScalarType) { return ScalarType::F64; }

// ---- Numba ----

/// The float, widened until it holds every integer of so many bits.
ScalarType float_holding(ScalarType type, int bits) {
  if (bits <= 8) return type;
  return common_float(type, bits <= 16 ? ScalarType::F32 : ScalarType::F64);
}

/// An unsigned integer counts as the signed one that holds it, where arithmetic is done.
int width_in_arithmetic(ScalarType integer) {
  return is_unsigned_integer(integer) ? 2 * size_in_bits(integer) : size_in_bits(integer);
}

int width_in_join(ScalarType integer) { return integer == ScalarType::Bool ? 0 : size_in_bits(integer); }

Common join_with_float(ScalarType a, ScalarType b, int (*width)(ScalarType)) {
  if (!is_float(a)) return float_holding(b, width(a));
  if (!is_float(b)) return float_holding(a, width(b));
  return common_float(a, b);
}

Common numba_join(ScalarType a, ScalarType b) {
  if (is_float(a) || is_float(b)) return join_with_float(a, b, width_in_join);
  return common_integer(a, b).value_or(ScalarType::F64);
}

ScalarType numba_integer(ScalarType type) { return is_unsigned_integer(type) ? ScalarType::U64 : ScalarType::I64; }

Common numba_arithmetic(ScalarType a, ScalarType b) {
  if (is_float(a) || is_float(b)) return join_with_float(a, b, width_in_arithmetic);
  return is_unsigned_integer(a) ? numba_integer(b) : ScalarType::I64;
}

Common numba_remainder(ScalarType a, ScalarType b) {
  const ScalarType type = *numba_arithmetic(a, b);
  return is_float(type) ? common_float(type, ScalarType::F32) : type;
}

/// A float to the power of an integer stays what it is.
Common numba_power(ScalarType base, ScalarType exponent) {
  const bool keeps_base = is_float(base) && !is_float(exponent);
  return keeps_base ? common_float(base, ScalarType::F32) : *numba_remainder(base, exponent);
}

Common numba_shift(ScalarType value, ScalarType) { return numba_integer(value); }

Common numba_comparison(ScalarType a, ScalarType b) {
  return is_float(a) || is_float(b) ? numba_arithmetic(a, b) : common_integer(a, b);
}

ScalarType numba_promoted(ScalarType type) { return is_float(type) ? type : numba_integer(type); }

/// An unsigned integer is negated as what it is: `-a` of the u8 1 is the u64 255.
ScalarType numba_negated(ScalarType type) { return type == ScalarType::Bool ? ScalarType::I64 : type; }

ScalarType numba_magnitude(ScalarType type) { return type == ScalarType::Bool ? ScalarType::I8 : type; }

ScalarType numba_int(ScalarType type) { return is_integer(type) ? type : ScalarType::I64; }

ScalarType numba_float(ScalarType type) { return is_float(type) ? type : ScalarType::F64; }

// ---- NumPy's functions, as Numba calls them ----

/// An integer takes the type of the float beside it; there are no loops for halves.
Common ufunc_meet(ScalarType a, ScalarType b) {
  if (is_float(a) && is_float(b)) return common_float(common_float(a, b), ScalarType::F32);
  if (is_float(a)) return common_float(a, ScalarType::F32);
  if (is_float(b)) return common_float(b, ScalarType::F32);
  return common_integer(a, b).value_or(ScalarType::F64);
}

/// Of bools, whole numbers have the narrowest type.
Common ufunc_of_numbers(ScalarType a, ScalarType b) {
  const ScalarType type = *ufunc_meet(a, b);
  return type == ScalarType::Bool ? ScalarType::I8 : type;
}

ScalarType same(ScalarType type) { return type; }

ScalarType ufunc_real(ScalarType type) { return size_in_bits(type) <= 16 ? ScalarType::F32 : ScalarType::F64; }

constexpr TypingRules kRules[] = {
    {.has_weak_literals = true,
     .join = native_join,
     .arithmetic = native_arithmetic,
     .remainder = native_arithmetic,
     .power = native_arithmetic,
     .shift = native_shift,
     .comparison = native_join,
     .promoted = machine_type,
     .negated = machine_type,
     .magnitude = machine_type,
     .real = f64,
     .to_int = i64,
     .to_float = f64},
    {.has_weak_literals = false,
     .join = numba_join,
     .arithmetic = numba_arithmetic,
     .remainder = numba_remainder,
     .power = numba_power,
     .shift = numba_shift,
     .comparison = numba_comparison,
     .promoted = numba_promoted,
     .negated = numba_negated,
     .magnitude = numba_magnitude,
     .real = f64,
     .to_int = numba_int,
     .to_float = numba_float},
    {.has_weak_literals = false,
     .join = ufunc_meet,
     .arithmetic = ufunc_meet,
     .remainder = ufunc_of_numbers,
     .power = ufunc_of_numbers,
     .shift = ufunc_meet,
     .comparison = numba_comparison,
     .promoted = same,
     .negated = same,
     .magnitude = same,
     .real = ufunc_real,
     .to_int = numba_int,
     .to_float = numba_float},
};
static_assert(std::size(kRules) == static_cast<std::size_t>(Dialect::Ufunc) + 1);

}  // namespace

const TypingRules& rules_of(Dialect dialect) { return kRules[static_cast<std::size_t>(dialect)]; }

}  // namespace pykc::checker
