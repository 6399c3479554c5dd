// The names that NumPy and Numba have for types of numbers beyond those of `info(type).numpy`.
#pragma once

#include <string_view>

#include "pykc/types.h"

namespace pykc {

struct TypeName {
  std::string_view name;
  ScalarType type;
};

/// Of both.
inline constexpr TypeName kTypeAliases[] = {
    {"bool", ScalarType::Bool},  {"boolean", ScalarType::Bool}, {"bool_", ScalarType::Bool},
    {"intc", ScalarType::I32},   {"uintc", ScalarType::U32},    {"intp", ScalarType::I64},
    {"uintp", ScalarType::U64},  {"byte", ScalarType::I8},      {"ubyte", ScalarType::U8},
    {"short", ScalarType::I16},  {"ushort", ScalarType::U16},   {"int_", ScalarType::I64},
    {"uint", ScalarType::U64},   {"half", ScalarType::F16},     {"single", ScalarType::F32},
    {"double", ScalarType::F64}, {"longlong", ScalarType::I64}, {"ulonglong", ScalarType::U64},
};

/// Of Numba alone. Its codes count bytes, where pykc's names count bits: there `i8` is an i64.
inline constexpr TypeName kNumbaTypes[] = {
    {"b1", ScalarType::Bool},    {"i1", ScalarType::I8},       {"i2", ScalarType::I16},     {"i4", ScalarType::I32},
    {"i8", ScalarType::I64},     {"u1", ScalarType::U8},       {"u2", ScalarType::U16},     {"u4", ScalarType::U32},
    {"u8", ScalarType::U64},     {"f2", ScalarType::F16},      {"f4", ScalarType::F32},     {"f8", ScalarType::F64},
    {"char", ScalarType::I8},    {"uchar", ScalarType::U8},    {"long_", ScalarType::I64},  {"ulong", ScalarType::U64},
    {"float_", ScalarType::F32}, {"ssize_t", ScalarType::I64}, {"size_t", ScalarType::U64},
};

/// NumPy's codes of one letter.
inline constexpr TypeName kNumpyLetters[] = {
    {"?", ScalarType::Bool}, {"b", ScalarType::I8},  {"B", ScalarType::U8},  {"h", ScalarType::I16},
    {"H", ScalarType::U16},  {"i", ScalarType::I32}, {"I", ScalarType::U32}, {"l", ScalarType::I64},
    {"L", ScalarType::U64},  {"q", ScalarType::I64}, {"Q", ScalarType::U64}, {"e", ScalarType::F16},
    {"f", ScalarType::F32},  {"d", ScalarType::F64},
};

/// NumPy's codes of complex numbers, by the type of a part.
inline constexpr TypeName kComplexCodes[] = {{"c8", ScalarType::F32}, {"c16", ScalarType::F64}};

}  // namespace pykc
