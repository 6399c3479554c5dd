#pragma once

#include <llvm/IR/IRBuilder.h>

namespace pykc::codegen {

/// Gives an integer of 8, 16, 32 or 64 bits back in a way that ptxas cannot see through, by a byte permutation that
/// changes nothing. It keeps ptxas from what it gets wrong where it knows how the integer was made.
llvm::Value* hidden(llvm::Value* value, llvm::IRBuilder<>& builder);

/// Hides the number that an instruction gives from all that use it.
void hide(llvm::Instruction& instruction);

}  // namespace pykc::codegen
