// Steps over elements as the text of one device function.
#pragma once

#include <string>
#include <vector>

#include "pykc/elementwise.h"

namespace pykc::jit {

/// The function `operation(inputs…)`, which returns the outputs, and the functions that it calls.
struct Fusion {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string text;
};
Result<Fusion> fuse(const std::vector<ElementwiseStep>& steps, const std::string& preamble);

}  // namespace pykc::jit
