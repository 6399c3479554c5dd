// Functions of one or two numbers that stand for an operator or for more than a row of the builtin table: NumPy's
// ufuncs, which work element by element on arrays too, and those of the module `operator`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "frontend/syntax/ast.h"
#include "stdlib/builtins.h"

namespace pykc::checker {

/// What no operator and no builtin says. FromLibrary: what the module kUfuncsModule has under the ufunc's name.
enum class NumpyFunction : std::uint8_t {
  Absolute,
  Invert,
  Square,
  Minimum,
  Maximum,
  LogicalAnd,
  LogicalOr,
  LogicalXor,
  FromLibrary
};

struct Ufunc {
  std::string_view path;  // "numpy.sin", "operator.add"
  int inputs;
  std::variant<BuiltinId, ast::UnaryOp, ast::BinaryOp, ast::CompareOp, NumpyFunction> function;

  bool takes_arrays() const { return path.starts_with("numpy."); }
  std::string_view name() const { return path.substr(path.find('.') + 1); }
  bool is_from_library() const {
    const auto* numpys = std::get_if<NumpyFunction>(&function);
    return numpys && *numpys == NumpyFunction::FromLibrary;
  }
  /// Whether the library may have a function of its name for complex numbers; operators serve them by themselves.
  bool has_complex_form() const {
    return takes_arrays() && !std::holds_alternative<ast::UnaryOp>(function) &&
           !std::holds_alternative<ast::BinaryOp>(function);
  }
};

/// The table; its rows stay where they are.
std::span<const Ufunc> all_ufuncs();

}  // namespace pykc::checker
