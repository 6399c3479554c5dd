#include "stdlib/builtins.h"

#include <array>
#include <cstddef>

namespace pykc {
namespace {

constexpr Lowering Intrinsic(std::string_view name) { return {Lowering::Kind::Intrinsic, name}; }
constexpr Lowering Nvvm(std::string_view name) { return {Lowering::Kind::Nvvm, name}; }
constexpr Lowering Math(std::string_view name) { return {Lowering::Kind::Math, name}; }
constexpr Lowering Bitcast() { return {Lowering::Kind::Bitcast, {}}; }
constexpr Lowering ByHand(int chip = 0) { return {Lowering::Kind::ByHand, {}, chip}; }
constexpr Lowering Missing(std::string_view what) { return {Lowering::Kind::Missing, what}; }
constexpr Lowering Library(std::string_view function) { return {Lowering::Kind::Library, function}; }

constexpr Builtin kBuiltins[] = {
#define BUILTIN(id, name, signature, effect, doc, nvptx, cpu) \
  {BuiltinId::id, name, signature, Effect::effect, doc, nvptx, cpu},
#include "stdlib/builtins.def"
};

}  // namespace

std::span<const Builtin> all_builtins() { return kBuiltins; }

const Builtin& info(BuiltinId id) { return kBuiltins[static_cast<std::size_t>(id)]; }

const Builtin* find_builtin(std::string_view name) {
  for (const Builtin& builtin : kBuiltins)
    if (builtin.name == name) return &builtin;
  return nullptr;
}

}  // namespace pykc
