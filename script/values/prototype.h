// What `@vectorize` and `@guvectorize` are told of a function's types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "script/values/scalar.h"

namespace pykc::script {

/// "float32(float32, float32)"
struct Prototype {
  std::optional<ElementType> result;  // none: what the function gives
  std::vector<ElementType> parameters;
  std::vector<bool> is_array = {};  // of the parameters, where arrays may stand
  std::string text;
};

}  // namespace pykc::script
