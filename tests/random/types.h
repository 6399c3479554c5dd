// Types and the values of them as text: what the reference says of literals, joins and spelling.
#pragma once

#include <string>

#include "pykc/types.h"
#include "tests/random/random.h"

namespace pykc::random_test {

inline constexpr ScalarType kIntegers[] = {ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64,
                                           ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64};
inline constexpr ScalarType kFloats[] = {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64};
inline constexpr ScalarType kWideIntegers[] = {ScalarType::I32, ScalarType::I64, ScalarType::U32, ScalarType::U64};
inline constexpr ScalarType kWideTypes[] = {ScalarType::I32, ScalarType::I64, ScalarType::U32,
                                            ScalarType::U64, ScalarType::F32, ScalarType::F64};

/// A type that a variable may have.
struct ValueType {
  enum class Kind : unsigned char { Scalar, Complex, Vector, Record, Enum, NamedTuple };
  Kind kind = Kind::Scalar;
  ScalarType scalar = ScalarType::I32;  // of a scalar, the parts of a complex number, the components of a vector
  int count = 1;                        // components of a vector
  int index = 0;                        // which of the program's records, enums or named tuples
  ValueType() = default;
  ValueType(ScalarType type) : scalar(type) {}
  static ValueType complex(ScalarType part) { return make(Kind::Complex, part, 2, 0); }
  static ValueType vector(ScalarType component, int count) { return make(Kind::Vector, component, count, 0); }
  static ValueType of(Kind kind, int index) { return make(kind, ScalarType::I32, 1, index); }
  bool is_scalar() const { return kind == Kind::Scalar; }
  friend bool operator==(const ValueType&, const ValueType&) = default;

 private:
  static ValueType make(Kind kind, ScalarType scalar, int count, int index) {
    ValueType type(scalar);
    type.kind = kind;
    type.count = count;
    type.index = index;
    return type;
  }
};

/// "f32", "c64", "f32x4", "Record0".
std::string spelling(const ValueType& type);

/// A number, as text, of a known type.
struct Expression {
  std::string text;
  ScalarType type;
};

bool is_narrow(ScalarType type);  // an integer below 32 bits, or a bool
bool have_common_type(ScalarType a, ScalarType b);
/// Rule 2.6 of the reference, for two types that have one in common.
ScalarType joined(ScalarType a, ScalarType b);
Expression converted(const Expression& value, ScalarType type);
/// Often one from where the type ends.
Expression literal(Random& random, ScalarType type);

}  // namespace pykc::random_test
