#include "base/promotion.h"

#include <algorithm>

namespace pykc {
namespace {

ScalarType promote_integers(ScalarType a, ScalarType b) {
  if (is_signed_integer(a) == is_signed_integer(b)) return std::max(a, b);
  const ScalarType with_sign = is_signed_integer(a) ? a : b, without = is_signed_integer(a) ? b : a;
  if (size_in_bytes(with_sign) > size_in_bytes(without)) return with_sign;
  switch (size_in_bytes(without)) {
    case 1:
      return ScalarType::I16;
    case 2:
      return ScalarType::I32;
    case 4:
      return ScalarType::I64;
    default:
      return ScalarType::F64;  // no integer holds both i64 and u64
  }
}

ScalarType promote_integer_to_float(ScalarType integer, ScalarType real) {
  const bool is_half = real == ScalarType::F16 || real == ScalarType::BF16;
  switch (size_in_bytes(integer)) {
    case 1:
      return real;
    case 2:
      return is_half ? ScalarType::F32 : real;
    default:
      return ScalarType::F64;
  }
}

}  // namespace

ScalarType promote(ScalarType a, ScalarType b) {
  if (a == b || b == ScalarType::Bool) return a;
  if (a == ScalarType::Bool) return b;
  if (is_float8(a)) return promote(ScalarType::F16, b);
  if (is_float8(b)) return promote(a, ScalarType::F16);
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  if (is_integer(a)) return promote_integer_to_float(a, b);
  if (is_integer(b)) return promote_integer_to_float(b, a);
  if (size_in_bytes(a) == 2 && size_in_bytes(b) == 2) return ScalarType::F32;  // f16 and bf16
  return std::max(a, b);
}

ScalarType float_type_for(ScalarType type) {
  if (is_float(type)) return type;
  switch (size_in_bytes(type)) {
    case 1:
      return ScalarType::F16;
    case 2:
      return ScalarType::F32;
    default:
      return ScalarType::F64;
  }
}

}  // namespace pykc
