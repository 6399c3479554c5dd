// Which loops have to look whether the launch is to stop (stop_polls.h), and how.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pykc::codegen {

/// The test that ends a loop which counts: it goes on while `counter` compares so with `bound`.
struct Counting {
  llvm::ICmpInst* test;
  llvm::CmpInst::Predicate goes_on;
  llvm::Value* counter;
  llvm::Value* bound;
  llvm::PHINode* phi;  // `counter`, or what is one step behind it
  std::int64_t step;
};

/// A loop that has to look.
struct Watched {
  llvm::BasicBlock* header;
  llvm::BasicBlock* latch;
  std::string place;
  std::optional<Counting> counting;  // it runs in strips
  std::uint64_t turns = 0;           // of a strip
  // All of it, where a version that runs without strips is worth while.
  std::vector<llvm::BasicBlock*> blocks;
};

/// The loops of a function that have to look, the inner ones first. Loops have the form of LoopSimplify and LCSSA.
std::vector<Watched> watched_loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace pykc::codegen
