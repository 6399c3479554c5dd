// LLVM's steps from IR to code.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>

#include "codegen/codegen.h"

namespace pykc::codegen {

/// The names of LLVM's that are left out for the host.
llvm::ArrayRef<llvm::StringLiteral> left_out_for_host();

/// Leaves out those that do nothing for a module of pykc's, and those that take longer than they are worth.
class CodePasses : public llvm::legacy::PassManager {
 public:
  CodePasses(const llvm::Module& module, const Target& target);
  void add(llvm::Pass* pass) override;

 private:
  bool is_left_out(llvm::StringRef pass) const;

  const bool is_for_host_, is_costly_;
};

}  // namespace pykc::codegen
