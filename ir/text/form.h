// What the printer and the parser of the text form share: the words for things, and which fields an opcode shows.
//
//   module "blur"
//   constant weights: f32 = "0000803f"              bytes in hexadecimal
//   fault "assert failed: n > 0" "blur.pyk" 12 5
//   kernel @blur(%x: ptr<f32, global> no_alias, %x.shape0: i64 non_negative) {
//     argument x: f32[?] row_major                   KernelInfo, options, locals, arrays, formats, slots
//     local $sum: f32
//     %0 = builtin threadIdx.x : i64
//     %1 = add no_wrap %0, i64 1
//     loop L0 {
//       break L0
//     }
//     return
//   }
//
// Constants and parameters are written where they are used, every other value has a number. `: type` stands where the
// opcode and its operands do not decide the type. An instruction's operands end with its line.
#pragma once

#include <string_view>

#include "ir/module.h"

namespace pykc::ir {

/// What an instruction shows between its name and its operands.
enum class Detail : std::uint8_t { None, Builtin, Atomic, Callee, Local, Target, Label, Index, Exchange, Order, Hint };

constexpr Detail detail_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::Builtin:
      return Detail::Builtin;
    case Opcode::AtomicRmw:
      return Detail::Atomic;
    case Opcode::AtomicCas:
    case Opcode::AtomicLoad:
    case Opcode::AtomicStore:
      return Detail::Order;
    case Opcode::HintedLoad:
    case Opcode::HintedStore:
      return Detail::Hint;
    case Opcode::Call:
      return Detail::Callee;
    case Opcode::LocalLoad:
    case Opcode::LocalStore:
      return Detail::Local;
    case Opcode::Break:
    case Opcode::Continue:
      return Detail::Target;
    case Opcode::Loop:
    case Opcode::Scope:
      return Detail::Label;
    case Opcode::LocalArray:
    case Opcode::SharedArray:
    case Opcode::ConstantArray:
    case Opcode::TensorMap:
    case Opcode::FieldPointer:
    case Opcode::Extract:
    case Opcode::Fault:
    case Opcode::Print:
    case Opcode::IsAligned:
    case Opcode::Prefetch:
    case Opcode::CopyAsync:
    case Opcode::Foreign:
    case Opcode::Observe:
    case Opcode::ObserveMeeting:
    case Opcode::SlotLoad:
    case Opcode::SlotStore:
    case Opcode::SlotAny:
    case Opcode::SlotMany:
      return Detail::Index;
    case Opcode::WarpExchange:
      return Detail::Exchange;
    default:
      return Detail::None;
  }
}

/// How many blocks an instruction of this opcode owns.
constexpr std::size_t block_count(Opcode opcode) {
  switch (opcode) {
    case Opcode::If:
    case Opcode::Loop:
      return 2;
    case Opcode::Scope:
    case Opcode::ThreadLoop:
      return 1;
    default:
      return 0;
  }
}

/// The word before the second block.
constexpr std::string_view second_block_word(Opcode opcode) { return opcode == Opcode::If ? "else" : "continuing"; }

/// Parameters and constants have no line of their own.
constexpr bool is_written_in_place(Opcode opcode) { return opcode == Opcode::Parameter || opcode == Opcode::Constant; }

/// In the order of LaunchExpression::Op, from BlockDimX.
inline constexpr std::string_view kLaunchWords[] = {"blockDim.x", "blockDim.y", "blockDim.z", "gridDim.x", "gridDim.y",
                                                    "gridDim.z",  "add",        "sub",        "mul",       "floordiv",
                                                    "mod",        "min",        "max"};

/// In the order of MemoryOrder, MemoryScope and CacheHint; the language has the same words.
inline constexpr std::string_view kOrderWords[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
inline constexpr std::string_view kScopeWords[] = {"block", "device", "system"};
inline constexpr std::string_view kHintWords[] = {"ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt"};

/// In the order of Layout.
inline constexpr std::string_view kLayoutWords[] = {"row_major", "column_major", "strided"};

/// In the order of RecordType::Kind.
inline constexpr std::string_view kRecordWords[] = {"struct", "complex", "vector", "enum"};

constexpr bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool continues_name(char c) { return starts_name(c) || (c >= '0' && c <= '9') || c == '.'; }

}  // namespace pykc::ir
