#include "codegen/nvptx/passes/unroll_loads.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/NVPTXAddrSpace.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <bit>

namespace pykc::codegen {
namespace {

constexpr unsigned kLoads = 16;             // on their way together: 8 leave half of the memory's speed unused (H200)
constexpr unsigned kLongestUnrolled = 256;  // instructions

struct Body {
  unsigned instructions = 0, loads = 0;
  bool is_suitable = true;
};

/// What one iteration does. Only a loop of one block is suitable that neither writes memory nor waits for other
/// threads.
Body body_of(const llvm::Loop& loop) {
  Body body{.is_suitable = loop.isInnermost() && loop.getNumBlocks() == 1};
  for (const llvm::Instruction& instruction : *loop.getHeader()) {
    ++body.instructions;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      body.loads += load->getPointerAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL ? 1 : 0;
      body.is_suitable &= load->isSimple();
    } else {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      body.is_suitable &= !instruction.mayWriteToMemory() && (call == nullptr || !call->isConvergent());
    }
  }
  return body;
}

/// Is the count known before the loop without a division? Inside another loop that would be paid each time.
bool is_count_cheap(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const llvm::SCEV* count = evolution.getBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(count)) return false;
  return !llvm::SCEVExprContains(count, [](const llvm::SCEV* part) {
    const auto* division = llvm::dyn_cast<llvm::SCEVUDivExpr>(part);
    return division != nullptr && !llvm::isa<llvm::SCEVConstant>(division->getRHS());
  });
}

}  // namespace

llvm::PreservedAnalyses UnrollLoads::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool any = false;
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    const Body body = body_of(*loop);
    if (!body.is_suitable || body.loads == 0 || evolution.getSmallConstantTripCount(loop) != 0) continue;
    if (loop->getLoopDepth() > 1 && !is_count_cheap(*loop, evolution)) continue;
    const unsigned times = std::bit_floor(std::min(kLoads / body.loads, kLongestUnrolled / body.instructions));
    if (times < 2) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", times);
    any = true;
  }
  const bool is_kernel = function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
  const bool has_bounds = llvm::any_of(llvm::ArrayRef({"nvvm.maxntid", "nvvm.minctasm", "nvvm.maxnreg"}),
                                       [&](const char* name) { return function.hasFnAttribute(name); });
  if (any && is_kernel && !has_bounds) {
    function.addFnAttr("nvvm.maxntid", "1024");
    function.addFnAttr("nvvm.minctasm", "1");
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace pykc::codegen
