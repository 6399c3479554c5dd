// LLVM's types and address spaces for the types of the IR.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Type.h>

#include <span>

#include "ir/type.h"

namespace pykc::codegen {

/// What a target has for the IR's types: its numbers for the address spaces (on the CPU all are 0), and bf16. A CPU's
/// bf16 is the integer of its bits: LLVM carries a float of that type as an f32, and converts it by instructions that
/// make zeros of subnormal numbers.
struct TargetTypes {
  bool bf16_is_integer = false;
  unsigned global = 0;
  unsigned shared = 0;
  unsigned local = 0;
  unsigned constant = 0;
  unsigned parameter = 0;
  unsigned cluster = 0;
  unsigned of(ir::AddressSpace space) const;
};

/// The type of a value in a register; bool is i1.
llvm::Type* value_type(llvm::LLVMContext& context, ScalarType type, const TargetTypes& types);
llvm::Type* value_type(llvm::LLVMContext& context, ir::Type type, const TargetTypes& types);
/// The type of an element in memory; bool is i8, 0 or 1.
llvm::Type* memory_type(llvm::LLVMContext& context, ScalarType type, const TargetTypes& types);

/// void, the one type, or a struct of them.
llvm::Type* result_type(llvm::LLVMContext& context, std::span<const ir::Type> results, const TargetTypes& types);

}  // namespace pykc::codegen
