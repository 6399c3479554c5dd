// Names with a meaning that no row of the builtin table can hold, as data; and the other names that rows go by.
//
// special_names.def and aliases.def are THE lists. The checker finds names in them, `pykc builtins` and
// docs/builtins.md all that they say.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "stdlib/builtins.h"

namespace pykc {

/// What the checker itself knows how to treat.
enum class Special : std::uint8_t {
#define SPECIAL(id, name, kind, signature, doc) id,
#include "stdlib/special_names.def"
};

enum class SpecialKind : std::uint8_t {
  Function,        // of kernels; it may be handed on as a value
  ModuleFunction,  // the same, but kernels cannot call it
  Form,            // stands in places of its own
  Decorator,
  NumbaDecorator,  // its signatures are spelled as Numba spells them
  Class,           // a decorator or a base of classes
  Argument,        // stands in the brackets of a decorator
};

struct SpecialName {
  Special id;
  std::string_view name;  // "numpy.zeros": the module path as the language spells it; prelude names have none
  SpecialKind kind;
  std::string_view signature;  // Python's; empty for what is not called
  std::string_view doc;
};

std::span<const SpecialName> all_special_names();
const SpecialName& info(Special id);
/// Functions and forms: what a local variable of that name hides.
bool is_function(Special id);

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
