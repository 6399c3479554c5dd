// What C++ and host code share of generalised ufuncs: their signatures, and the kernel that calls the function for each
// place of the outer axes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pykc/error.h"

namespace pykc::jit {

/// The names of the inner axes of an argument.
using AxisNames = std::vector<std::string>;
struct AxesSignature {
  std::vector<AxisNames> inputs, outputs;
};
/// Reads "(m,n),(n,p)->(m,p)".
Result<AxesSignature> parse_axes(std::string_view text);

struct GeneralizedKernel {
  std::string name;      // of the kernel, which takes the number of places, the outputs, then the inputs
  std::string function;  // takes the inputs, then the outputs
  std::size_t outputs;
  std::vector<bool> is_array;  // outputs, then inputs
  int rank;                    // of the outer axes; at least 1
  bool is_wide;                // more places than 32 bits count
};
/// Its source text.
std::string generalized_kernel(const GeneralizedKernel& kernel);

}  // namespace pykc::jit
