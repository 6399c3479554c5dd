#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace pykc::codegen {

/// Puts a copy of a loop beside it, which runs in its place where `takes_copy` holds: a condition in `before`, where
/// the loop is entered from. What stands behind the loop must use its values by phis alone (LCSSA). `copies` tells what
/// each block and value has become, `weights` how often which of the two runs.
void add_version(llvm::ArrayRef<llvm::BasicBlock*> loop, llvm::BasicBlock* before, llvm::Value* takes_copy,
                 llvm::StringRef suffix, llvm::ValueToValueMapTy& copies, llvm::MDNode* weights = nullptr);

}  // namespace pykc::codegen
