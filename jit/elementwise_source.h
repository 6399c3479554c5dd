// The kernels of Elementwise as text.
#pragma once

#include <string>
#include <vector>

#include "jit/fusion.h"
#include "jit/variant_cache.h"
#include "pykc/source.h"

namespace pykc::jit {

inline constexpr int kElementsPerGpuThread = 4;

/// What a kernel for an operation is generated for.
struct ElementwiseVariant {
  int rank = 1;
  ArrayFlags is_array;  // of the inputs
  bool by_rows = true;  // a block works within one row of the last axis, or else on any elements
  bool is_wide = false;
  bool is_cpu = false;
  std::size_t hash() const {
    return hash_of({static_cast<std::uint64_t>(rank), is_array.hash(), by_rows, is_wide, is_cpu});
  }
  friend bool operator==(const ElementwiseVariant&, const ElementwiseVariant&) = default;
};

/// The kernel `elementwise(outputs…, inputs…)`. A block of it works on blockDim.x elements on the CPU device, and on
/// four times as many on a GPU: of a row, which blockIdx.y and blockIdx.z choose, or of all elements.
Source source_of(const Fusion& fusion, const ElementwiseVariant& variant);

}  // namespace pykc::jit
