#include "stdlib/special_names.h"

#include <cstddef>

namespace pykc {
namespace {

constexpr SpecialName kSpecialNames[] = {
#define SPECIAL(id, name, kind, signature, doc) {Special::id, name, SpecialKind::kind, signature, doc},
#include "stdlib/special_names.def"
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

std::span<const SpecialName> all_special_names() { return kSpecialNames; }

const SpecialName& info(Special id) { return kSpecialNames[static_cast<std::size_t>(id)]; }

bool is_function(Special id) {
  switch (info(id).kind) {
    case SpecialKind::Function:
    case SpecialKind::ModuleFunction:
    case SpecialKind::Form:
      return true;
    case SpecialKind::Decorator:
    case SpecialKind::NumbaDecorator:
    case SpecialKind::Class:
    case SpecialKind::Argument:
      return false;
  }
  return false;
}

std::span<const Alias> all_aliases() { return kAliases; }

std::span<const LibdeviceName> all_libdevice_names() { return kLibdeviceNames; }

}  // namespace pykc
