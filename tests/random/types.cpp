#include "tests/random/types.h"

#include <algorithm>
#include <array>

namespace pykc::random_test {

using enum ScalarType;

std::string spelling(const ValueType& type) {
  const std::string scalar(to_string(type.scalar));
  switch (type.kind) {
    case ValueType::Kind::Scalar:
      return scalar;
    case ValueType::Kind::Complex:
      return type.scalar == F32 ? "c64" : "c128";
    case ValueType::Kind::Vector:
      return scalar + "x" + std::to_string(type.count);
    case ValueType::Kind::Record:
      return "Record" + std::to_string(type.index);
    case ValueType::Kind::Enum:
      return "Enum" + std::to_string(type.index);
    case ValueType::Kind::NamedTuple:
      return "Tuple" + std::to_string(type.index);
  }
  return {};
}

bool is_narrow(ScalarType type) { return !is_float(type) && size_in_bytes(type) < 4; }

bool have_common_type(ScalarType a, ScalarType b) {
  const auto clash = [](ScalarType one, ScalarType other) { return one == U64 && is_signed_integer(other); };
  return !clash(a, b) && !clash(b, a);
}

ScalarType joined(ScalarType a, ScalarType b) {
  if (is_float(a) && is_float(b)) {
    if (a == b) return a;
    if (size_in_bytes(a) == size_in_bytes(b)) return F32;  // f16 and bf16
    return size_in_bytes(a) > size_in_bytes(b) ? a : b;
  }
  if (is_float(a) || is_float(b)) return is_float(a) ? a : b;
  if (is_narrow(a) && is_narrow(b)) return I32;
  if (a == Bool) return b;
  if (b == Bool) return a;
  if (is_signed_integer(a) == is_signed_integer(b)) return size_in_bytes(a) > size_in_bytes(b) ? a : b;
  const ScalarType with_sign = is_signed_integer(a) ? a : b, without = is_signed_integer(a) ? b : a;
  if (size_in_bytes(with_sign) > size_in_bytes(without)) return with_sign;
  return I64;  // u32 and a signed type
}

Expression converted(const Expression& value, ScalarType type) {
  return {spelling(type) + "(" + value.text + ")", type};
}

Expression literal(Random& random, ScalarType type) {
  static constexpr const char* kReals[] = {"0.0",      "-0.0",   "1.5",   "-2.75",      "0.1",      "1e-3",
                                           "65504.0",  "3e38",   "1e-40", "16777217.0", "math.inf", "-math.inf",
                                           "math.nan", "4096.5", "1.0",   "-1.0"};
  if (type == Bool) return {random.chance(50) ? "True" : "False", type};
  if (is_float(type)) return converted({random.pick(kReals), type}, type);
  const int bits = size_in_bits(type) - (is_signed_integer(type) ? 1 : 0);
  const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t edges[] = {0, 1, 2, 3, 7, most, most - 1, most / 2 + 1, most / 2, 100};
  std::string text = std::to_string(std::min(most, random.pick(edges)));
  if (is_signed_integer(type) && random.chance(30))
    text = random.chance(20) ? "-" + std::to_string(most + 1) : "-" + text;
  return converted({text, type}, type);
}

}  // namespace pykc::random_test
