// The kernels of Elementwise as text.
#pragma once

#include <string>
#include <vector>

#include "jit/fusion.h"
#include "jit/variant_cache.h"
#include "pykc/source.h"

namespace pykc::jit {

/// What a kernel for an operation is generated for.
struct ElementwiseVariant {
  int rank = 1;
  ArrayFlags is_array;  // of the inputs
  int width = 1;        // elements that are moved at once: those of a vector, which is what all arrays then hold
  bool by_rows = true;  // a block works within one row of the last axis, or else on any elements
  bool is_wide = false;
  bool is_cpu = false;
  std::size_t hash() const {
    return hash_of({static_cast<std::uint64_t>(rank), is_array.hash(), static_cast<std::uint64_t>(width), by_rows,
                    is_wide, is_cpu});
  }
  friend bool operator==(const ElementwiseVariant&, const ElementwiseVariant&) = default;
};

/// Elements, or vectors, of a thread.
constexpr int count_of_thread(const ElementwiseVariant& variant) {
  if (variant.is_cpu) return 1;
  return variant.width > 1 ? 2 : 4;
}

/// The kernel `elementwise(outputs…, inputs…)`. A block of it works on blockDim.x elements or vectors for each that a
/// thread has: of a row, which blockIdx.y and blockIdx.z choose, or of all.
Source source_of(const Fusion& fusion, const ElementwiseVariant& variant);

}  // namespace pykc::jit
