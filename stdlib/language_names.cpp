#include "stdlib/language_names.h"

#include <cstddef>
#include <limits>
#include <numbers>

#include "stdlib/reductions.h"
#include "stdlib/type_names.h"

namespace pykc {
namespace {

constexpr LanguageFunctionRow kLanguageFunctions[] = {
#define LANGUAGE_FUNCTION(id, name, kind, signature, doc, reach) \
  {LanguageFunction::id, name, LanguageFunctionKind::kind, signature, doc, Reach::reach},
#include "stdlib/language_functions.def"
};

constexpr UfuncName kUfuncs[] = {
#define UFUNC(name, inputs, kind, function, doc, reach) {name, inputs, doc, Reach::reach},
#include "stdlib/ufuncs.def"
};

constexpr Reduction kReductions[] = {
#define REDUCTION(name, takes, form, numbers, doc, reach) \
  {name, Reduction::Takes::takes, Reduction::Form::form, Reduction::Numbers::numbers, doc, Reach::reach},
#include "stdlib/reductions.def"
};

constexpr LanguageConstant kConstants[] = {
#define CONSTANT(name, value, doc) {name, value, doc},
#include "stdlib/constants.def"
};

constexpr TypeName kTypeNames[] = {
#define TYPE_NAME(family, name, type) {TypeFamily::family, name, type},
#include "stdlib/type_names.def"
};

constexpr Alias kAliases[] = {
#define ALIAS(name, row) {name, row},
#include "stdlib/aliases.def"
};

constexpr LibdeviceName kLibdeviceNames[] = {
#define LIBDEVICE(name, row, type) {"libdevice." name, row, type},
#include "stdlib/libdevice_names.def"
};

}  // namespace

std::span<const LanguageFunctionRow> all_language_functions() { return kLanguageFunctions; }

const LanguageFunctionRow& info(LanguageFunction id) { return kLanguageFunctions[static_cast<std::size_t>(id)]; }

bool is_function(LanguageFunction id) {
  switch (info(id).kind) {
    case LanguageFunctionKind::Function:
    case LanguageFunctionKind::ModuleFunction:
    case LanguageFunctionKind::Form:
      return true;
    case LanguageFunctionKind::Decorator:
    case LanguageFunctionKind::NumbaDecorator:
    case LanguageFunctionKind::Class:
    case LanguageFunctionKind::Argument:
      return false;
  }
  return false;
}

std::span<const UfuncName> all_ufunc_names() { return kUfuncs; }

std::span<const Reduction> all_reductions() { return kReductions; }

std::span<const LanguageConstant> all_constants() { return kConstants; }

std::span<const TypeName> all_type_names() { return kTypeNames; }

std::span<const Alias> all_aliases() { return kAliases; }

std::span<const LibdeviceName> all_libdevice_names() { return kLibdeviceNames; }

}  // namespace pykc
