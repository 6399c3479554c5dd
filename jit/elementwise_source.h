// The kernels of Elementwise as text.
#pragma once

#include <string>
#include <vector>

#include "jit/fusion.h"

namespace pykc::jit {

inline constexpr int kElementsPerGpuThread = 4;

/// What a kernel for an operation is generated for.
struct ElementwiseVariant {
  int rank = 1;
  std::vector<bool> is_array;  // of the inputs
  bool by_rows = true;         // a block works within one row of the last axis, or else on any elements
  bool is_wide = false;
  bool is_cpu = false;
  std::string name() const {
    std::string text = std::to_string(rank) + (by_rows ? "r" : is_wide ? "w" : "n");
    for (const bool array : is_array) text += array ? 'a' : 's';
    return text;
  }
};

/// The kernel `elementwise(outputs…, inputs…)`. A block of it works on blockDim.x elements on the CPU device, and on
/// four times as many on a GPU: of a row, which blockIdx.y and blockIdx.z choose, or of all elements.
Source source_of(const Fusion& fusion, const ElementwiseVariant& variant);

}  // namespace pykc::jit
