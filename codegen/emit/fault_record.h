// Filling the record by which a kernel reports its first fault (include/pykc/kernel_abi.h): the same for both targets.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>

#include "pykc/kernel_abi.h"

namespace pykc::codegen {

struct FaultReport {
  llvm::Value* record = nullptr;  // address of an abi::FaultRecord
  llvm::SyncScope::ID scope = llvm::SyncScope::System;
  llvm::Value* kernel = nullptr;                         // i32
  llvm::Value* site = nullptr;                           // i32
  std::array<llvm::Value*, 3> block{};                   // i64
  std::array<llvm::Value*, 3> thread{};                  // i64
  std::array<llvm::Value*, abi::kFaultValues> values{};  // i64; null for a value that the site has not
};

/// Calls a function (made once a module, kept out of line) that claims the record and fills it, if nobody came before.
void emit_fault_report(llvm::IRBuilder<>& builder, const FaultReport& report);

}  // namespace pykc::codegen
