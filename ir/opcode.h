// What instructions of the IR do: the rows of opcodes.def.
#pragma once

#include <cstdint>
#include <string_view>

namespace pykc::ir {

enum class Opcode : std::uint8_t {
#define OPCODE(name, text, operands, result, effect, meaning) name,
#include "ir/opcodes.def"
};

enum class ResultKind : std::uint8_t { None, Operand, Bool, Own };
enum class OpcodeEffect : std::uint8_t { Pure, Read, Write, Control };

struct OpcodeInfo {
  std::string_view text;
  int operands;
  ResultKind result;
  OpcodeEffect effect;
  std::string_view meaning;
};
const OpcodeInfo& info(Opcode opcode);
/// The rows that make a bool of two operands.
inline bool is_comparison(Opcode opcode) {
  return info(opcode).result == ResultKind::Bool && info(opcode).operands == 2;
}

}  // namespace pykc::ir
