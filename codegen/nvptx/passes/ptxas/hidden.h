#pragma once

#include <llvm/IR/IRBuilder.h>

namespace pykc::codegen {

/// Gives an integer of at most 64 bits back in a way that ptxas cannot see through, by a byte permutation that changes
/// nothing. It keeps ptxas from what it gets wrong where it knows how the integer was made. Wider integers are several
/// numbers to ptxas, and come back as they are.
llvm::Value* hidden(llvm::Value* value, llvm::IRBuilder<>& builder);

/// Hides the number that an instruction gives from all that use it.
void hide(llvm::Instruction& instruction);

}  // namespace pykc::codegen
