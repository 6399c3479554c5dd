// CUDA's names of vectors: `float4`, made by `make_float4` or by its own name.
#pragma once

#include <string_view>

#include "pykc/types.h"

namespace pykc {

struct CudaScalar {
  std::string_view name;  // what stands before the number of components
  ScalarType type;
};

inline constexpr CudaScalar kCudaScalars[] = {
    {"char", ScalarType::I8},    {"uchar", ScalarType::U8},      {"short", ScalarType::I16},
    {"ushort", ScalarType::U16}, {"int", ScalarType::I32},       {"uint", ScalarType::U32},
    {"long", ScalarType::I64},   {"ulong", ScalarType::U64},     {"longlong", ScalarType::I64},
    {"float", ScalarType::F32},  {"ulonglong", ScalarType::U64}, {"double", ScalarType::F64},
};

}  // namespace pykc
