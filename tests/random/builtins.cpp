#include "tests/random/builtins.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "stdlib/builtins.h"
#include "tests/random/expressions.h"

namespace pykc::random_test {
namespace {

/// The types that a row's signature names: "(x: F, n: i32) -> tuple[F, i32]".
struct Signature {
  std::vector<std::string> parameters, results;
  bool is_tuple = false;
};

bool is_scalar_word(std::string_view word) {
  constexpr std::string_view kClasses[] = {"F", "I", "N", "S", "W"};
  return find_scalar_type(word).has_value() || std::ranges::find(kClasses, word) != std::end(kClasses);
}

std::optional<Signature> read_signature(std::string_view text) {
  Signature signature;
  const std::size_t arrow = text.find(") -> ");
  for_each_part(text.substr(1, arrow - 1), ',', [&](std::string_view part) {
    if (const std::size_t colon = part.find(": "); colon != std::string_view::npos)
      signature.parameters.emplace_back(part.substr(colon + 2, part.find(' ', colon + 2) - colon - 2));
  });
  std::string_view result = text.substr(arrow + 5);
  signature.is_tuple = result.starts_with("tuple[");
  if (signature.is_tuple) result = result.substr(6, result.size() - 7);
  for_each_part(result, ',', [&](std::string_view part) { signature.results.emplace_back(trim(part)); });
  const bool is_known = std::ranges::all_of(signature.parameters, is_scalar_word) &&
                        std::ranges::all_of(signature.results, is_scalar_word);
  return is_known ? std::optional(signature) : std::nullopt;
}

/// What the library computes of floats may call its approximations, which the interpreter does not have.
bool is_approximate(const Builtin& builtin, const Signature& signature) {
  if (builtin.cpu.kind == Lowering::Kind::Math) return true;
  return builtin.cpu.kind == Lowering::Kind::Library &&
         std::ranges::find(signature.parameters, "F") != signature.parameters.end();
}

/// Whether devices may give other bits: approximations of a GPU, and what shows the bits of a NaN.
bool depends_on_device(const Builtin& builtin) {
  const bool approximates = builtin.name.starts_with("libdevice.fast_");
  constexpr BuiltinId kBitsOfFloats[] = {BuiltinId::FloatAsInt, BuiltinId::DoubleAsLonglong, BuiltinId::HalfAsShort};
  return approximates || std::ranges::find(kBitsOfFloats, builtin.id) != std::end(kBitsOfFloats);
}

struct BuiltinRow {
  const Builtin* builtin;
  Signature signature;
};

std::vector<BuiltinRow> rows_of(bool with_mathematics) {
  std::vector<BuiltinRow> rows;
  for (const Builtin& builtin : all_builtins()) {
    const bool is_mask = builtin.name.starts_with("lanemask_");
    if ((builtin.effect != Effect::Pure && !is_mask) || builtin.cpu.kind == Lowering::Kind::Missing) continue;
    if (builtin.is_value) continue;
    if (depends_on_device(builtin)) continue;
    const std::optional<Signature> signature = read_signature(builtin.signature);
    if (signature && (with_mathematics || !is_approximate(builtin, *signature))) rows.push_back({&builtin, *signature});
  }
  return rows;
}

/// One type for each letter of a signature.
class Letters {
 public:
  explicit Letters(Writer& w)
      : float_(w.any_of(kFloats)),
        integer_(w.any_of(kIntegers)),
        number_(w.chance(50) ? float_ : w.any_of(kWideIntegers)),
        scalar_(w.any_type()),
        word_(w.chance(50) ? ScalarType::I32 : ScalarType::U32) {}
  ScalarType of(const std::string& word) const {
    if (word == "F") return float_;
    if (word == "I") return integer_;
    if (word == "N") return number_;
    if (word == "S") return scalar_;
    if (word == "W") return word_;
    return *find_scalar_type(word);
  }

 private:
  ScalarType float_, integer_, number_, scalar_, word_;
};

}  // namespace

Expression builtin_call(Writer& w, int depth) {
  const BuiltinRow row = w.random.pick(rows_of(w.is_enabled(Feature::Mathematics)));
  const Letters letters(w);
  std::string arguments;
  for (const std::string& parameter : row.signature.parameters) {
    const Expression given = expression(w, letters.of(parameter), depth);
    // In Numba's dialect arithmetic has 64 bits, of which no word is made without a cast.
    std::string argument = parameter == "W" ? converted(given, given.type).text : given.text;
    // The sign of a NaN is nobody's promise.
    if (row.builtin->id == BuiltinId::Copysign && !arguments.empty()) argument = "max(" + argument + ", -2.0)";
    arguments += (arguments.empty() ? "" : ", ") + argument;
  }
  const int result = w.number(static_cast<int>(row.signature.results.size()));
  const ScalarType type = letters.of(row.signature.results[static_cast<std::size_t>(result)]);
  const std::string call = std::string(row.builtin->name) + "(" + arguments + ")";
  // Python's round gives an integer, and a power of narrow integers is wide: a cast makes the type the row's.
  if (!row.signature.is_tuple) return converted({call, type}, type);
  return {call + "[" + std::to_string(result) + "]", type};
}

}  // namespace pykc::random_test
