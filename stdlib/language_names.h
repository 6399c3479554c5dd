// Names with a meaning beside those of the builtin table, as data: language functions, which no signature can describe;
// ufuncs; constants; and the other names that rows go by.
//
// The .def files are THE lists. The checker finds names in them, `pykc builtins` and docs/builtins.md all that they
// say.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "stdlib/builtins.h"

namespace pykc {

/// What the checker itself knows how to treat.
enum class LanguageFunction : std::uint8_t {
#define LANGUAGE_FUNCTION(id, name, kind, signature, doc, reach) id,
#include "stdlib/language_functions.def"
};

enum class LanguageFunctionKind : std::uint8_t {
  Function,        // of kernels; it may be handed on as a value
  ModuleFunction,  // the same, but kernels cannot call it
  Form,            // stands in places of its own
  Decorator,
  NumbaDecorator,  // its signatures are spelled as Numba spells them
  Class,           // a decorator or a base of classes
  Argument,        // stands in the brackets of a decorator
};

struct LanguageFunctionRow {
  LanguageFunction id;
  std::string_view name;  // "numpy.zeros": the module path as the language spells it; prelude names have none
  LanguageFunctionKind kind;
  std::string_view signature;  // Python's; empty for what is not called
  std::string_view doc;
  Reach reach;
};

std::span<const LanguageFunctionRow> all_language_functions();
const LanguageFunctionRow& info(LanguageFunction id);
/// Functions and forms: what a local variable of that name hides.
bool is_function(LanguageFunction id);

/// A function of one or two numbers that stands for an operator or a row of the builtin table. What it computes is the
/// checker's business: frontend/check/calls/ufuncs.h.
struct UfuncName {
  std::string_view name;  // "numpy.sin", "operator.add"
  int inputs;
  std::string_view doc;
  Reach reach;
};
std::span<const UfuncName> all_ufunc_names();

struct LanguageConstant {
  std::string_view name;  // "math.pi"
  double value;
  std::string_view doc;
};
std::span<const LanguageConstant> all_constants();

/// Another name of a row, by the row's own.
struct Alias {
  std::string_view name;
  std::string_view row;
};
std::span<const Alias> all_aliases();

/// A name of Numba's libdevice: a builtin for one type.
struct LibdeviceName {
  std::string_view name;
  std::string_view row;
  std::string_view type;  // as the language spells it
};
std::span<const LibdeviceName> all_libdevice_names();

}  // namespace pykc
