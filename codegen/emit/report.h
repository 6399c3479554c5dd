// What a kernel tells the host, the same for both targets: its first fault, in a record (include/pykc/kernel_abi.h),
// and lines of text.
#pragma once

#include <array>

#include "codegen/emit/emitter.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {

struct FaultReport {
  Value* record = nullptr;  // address of an abi::FaultRecord
  llvm::SyncScope::ID scope = llvm::SyncScope::System;
  Value* kernel = nullptr;                         // i32
  Value* site = nullptr;                           // i32
  std::array<Value*, 3> block{};                   // i64
  std::array<Value*, 3> thread{};                  // i64
  std::array<Value*, abi::kFaultValues> values{};  // i64; null for a value that the site has not
  bool host_stops = false;                         // the host may have asked the launch to stop
  bool signals = false;                            // the record may name a word that the host looks at
};

/// Calls a function (made once a module, kept out of line) that claims the record and fills it, if nobody came before.
void emit_fault_report(Builder& builder, const FaultReport& report);
/// Whether a thread of the launch has faulted.
Value* any_fault(Emitter& emitter);

/// Operand `n` of a Print as C's printf takes it: bools become "True" or "False".
Value* print_argument(Emitter& emitter, const Instruction& i, std::size_t n);

}  // namespace pykc::codegen
