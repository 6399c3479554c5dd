#include "frontend/check/symbols.h"

#include <algorithm>

namespace pykc::checker {
namespace {

constexpr std::string_view kReservedSymbols[] = {"fma",    "fmaf",       "memcpy",     "memset",          "memmove",
                                                 "memcmp", "pykc_print", "pykc_fault", "pykc_nanoseconds"};

/// A name as a symbol of PTX and ELF: what is no letter, digit or underscore becomes its code.
std::string to_symbol(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string symbol;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_plain) symbol += c;
    if (!is_plain) symbol += {'_', 'u', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return symbol;
}

std::string symbol_part(checked::Type type) {
  if (type.is_tuple() || type.is_static()) {
    std::string text = type.is_static() ? "s" + std::to_string(type->entity) : "t";
    for (const checked::Type element : type->elements) text += "_" + symbol_part(element);
    return text;
  }
  if (type.is_record()) return to_symbol(type->record->name);
  if (!type.is_array()) return std::string(to_string(type->scalar));
  return to_symbol(to_string(type->array.element)) + "x" + std::to_string(type->array.rank());
}

std::string unique_symbol_of(ModuleChecker& module, std::string symbol) {
  const int taken = module.symbols[symbol]++;
  if (taken == 0) return symbol;
  std::string numbered = symbol + "_" + std::to_string(taken);
  while (module.symbols.contains(numbered)) numbered += "_";
  module.symbols[numbered] = 1;
  return numbered;
}

}  // namespace

std::string unique_symbol(ModuleChecker& module, const FunctionDecl& function, const Specialization& specialization) {
  std::string symbol = to_symbol(function.def->name);
  if (function.kind != FunctionDecl::Kind::Kernel || module.symbols.contains(symbol)) {
    symbol += "_";
    for (const InferredType& argument : specialization.arguments) symbol += "_" + symbol_part(argument.type);
  }
  return unique_symbol_of(module, std::move(symbol));
}

void reserve_symbols_of_code(ModuleChecker& module) {
  for (const std::string_view name : kReservedSymbols) module.symbols.emplace(name, 1);
}

void reserve_symbol(ModuleChecker& module, const std::string& name) { module.symbols.emplace(name, 1); }

bool is_reserved_symbol(std::string_view name) {
  return name.starts_with("pykc_") || name.starts_with("__pykc_") ||
         std::ranges::find(kReservedSymbols, name) != std::end(kReservedSymbols);
}

std::string unique_symbol(ModuleChecker& module, std::string_view name) {
  return unique_symbol_of(module, to_symbol(name));
}

}  // namespace pykc::checker
