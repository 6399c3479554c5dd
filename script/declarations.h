// What a function of a file is, by its decorators: `@kernel`, `@cuda.jit`, `@device`, `@test`, `@vectorize`.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "frontend/frontend.h"
#include "script/value.h"

namespace pykc::script {

struct Declaration {
  FunctionValue::Kind kind = FunctionValue::Kind::Host;
  bool is_test = false;
  /// The first Numba signature of the decorator: "float32(float32, float32)"; empty without one.
  std::string signature;
};
Declaration declaration_of(const ast::FunctionDef& function);

/// Every name that the function assigns, its parameters included: its variables.
std::set<std::string, std::less<>> variables_of(const ast::FunctionDef& function);

}  // namespace pykc::script
