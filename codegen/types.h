// LLVM's types and address spaces for the types of the IR.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Type.h>

#include <span>

#include "ir/type.h"

namespace pykc::codegen {

/// The target's numbers for the IR's address spaces. On the CPU all are 0.
struct AddressSpaces {
  unsigned global = 0;
  unsigned shared = 0;
  unsigned local = 0;
  unsigned constant = 0;
  unsigned parameter = 0;
  unsigned of(ir::AddressSpace space) const;
};

/// The type of a value in a register; bool is i1.
llvm::Type* value_type(llvm::LLVMContext& context, ScalarType type);
llvm::Type* value_type(llvm::LLVMContext& context, ir::Type type, const AddressSpaces& spaces);
/// The type of an element in memory; bool is i8, 0 or 1.
llvm::Type* memory_type(llvm::LLVMContext& context, ScalarType type);

/// void, the one type, or a struct of them.
llvm::Type* result_type(llvm::LLVMContext& context, std::span<const ir::Type> results, const AddressSpaces& spaces);

}  // namespace pykc::codegen
