#pragma once

#include <llvm/CodeGen/MachineFunctionPass.h>

namespace pykc::codegen {

/// Gives the values that are in rbp to another of the registers that calls preserve, and takes those of that one, where
/// less is then read from addresses in rbp. A Xeon (Sapphire Rapids) does not bring such reads forward over others: the
/// next block's row was read when the last sum of a block reduction was made, not meanwhile, and the reduction took 1.3
/// to 1.5 times as long.
class SwapFrameRegister : public llvm::MachineFunctionPass {
 public:
  static char ID;
  SwapFrameRegister() : MachineFunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "Swap frame register"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override;
  bool runOnMachineFunction(llvm::MachineFunction& function) override;
};

}  // namespace pykc::codegen
