#include "stdlib/builtins.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace pykc {
namespace {

constexpr Lowering Intrinsic(std::string_view name) { return {Lowering::Kind::Intrinsic, name}; }
constexpr Lowering Nvvm(std::string_view name) { return {Lowering::Kind::Nvvm, name}; }
constexpr Lowering Math(std::string_view name) { return {Lowering::Kind::Math, name}; }
constexpr Lowering Rounded(std::string_view name, Lowering::Rounding rounding) {
  return {Lowering::Kind::Rounded, name, 0, rounding};
}
constexpr Lowering Bitcast() { return {Lowering::Kind::Bitcast, {}}; }
constexpr Lowering ByHand(int chip = 0) { return {Lowering::Kind::ByHand, {}, chip}; }
constexpr Lowering Missing(std::string_view what) { return {Lowering::Kind::Missing, what}; }
constexpr Lowering Library(std::string_view function) { return {Lowering::Kind::Library, function}; }

using enum Lowering::Rounding;

constexpr Builtin kBuiltins[] = {
#define BUILTIN(id, name, signature, effect, doc, nvptx, cpu, reach) \
  {BuiltinId::id, name, signature, Effect::effect, doc, nvptx, cpu, Reach::reach},
#define VALUE(id, name, type, effect, doc, nvptx, cpu, reach) \
  {BuiltinId::id, name, "() -> " type, Effect::effect, doc, nvptx, cpu, Reach::reach, true},
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

std::optional<LaunchCoordinate> launch_coordinate(BuiltinId id) {
  using enum LaunchCoordinate::Of;
  constexpr std::pair<std::string_view, LaunchCoordinate::Of> kPlaces[] = {
      {"threadIdx.", ThreadIdx}, {"blockIdx.", BlockIdx}, {"blockDim.", BlockDim}, {"gridDim.", GridDim}};
  const std::string_view name = info(id).name;
  for (const auto& [place, of] : kPlaces)
    if (name.starts_with(place)) return LaunchCoordinate{of, name.back() - 'x'};
  return std::nullopt;
}

BuiltinId builtin_of(LaunchCoordinate coordinate) {
  return std::ranges::find(kBuiltins, coordinate, [](const Builtin& row) { return launch_coordinate(row.id); })->id;
}

}  // namespace pykc
