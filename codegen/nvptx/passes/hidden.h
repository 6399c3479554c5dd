#pragma once

#include <llvm/IR/IRBuilder.h>

namespace pykc::codegen {

/// The same integer of 8, 16, 32 or 64 bits, of which ptxas does not know where it comes from: a byte permutation that
/// changes nothing. For what ptxas gets wrong where it sees through.
llvm::Value* hidden(llvm::Value* value, llvm::IRBuilder<>& builder);

}  // namespace pykc::codegen
