#include "codegen/cpu/passes/stream_stores.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <cstddef>
#include <vector>

#include "codegen/cpu/passes/loop_analyses.h"
#include "codegen/cpu/passes/loop_versions.h"
#include "codegen/cpu/passes/stop_polls.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {
namespace {

using llvm::BasicBlock;
using llvm::Value;

constexpr std::uint64_t kSmallestVector = 32;  // bytes; smaller ones are what is left over of a row

/// A loop of one block, and where its stores begin.
struct Streaming {
  BasicBlock* block;
  BasicBlock* before;
  std::vector<llvm::StoreInst*> stores;
  std::vector<Value*> starts;
};

/// Of a kernel or a part of it; null of other functions.
llvm::Argument* launch_of(llvm::Function& function) {
  const auto found = llvm::find_if(function.args(), [](const auto& a) { return a.hasAttribute(kLaunchParameter); });
  return found == function.arg_end() ? nullptr : &*found;
}

/// Whether other blocks may wait for what this one has stored: nothing would keep that and a flag in order.
bool has_flags(llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& i) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
    return llvm::isa<llvm::FenceInst>(i) || (store != nullptr && (store->isAtomic() || store->isVolatile()));
  });
}

std::uint64_t bytes_of(const llvm::StoreInst& store) {
  return store.getDataLayout().getTypeStoreSize(store.getValueOperand()->getType()).getFixedValue();
}

/// The first element of a vector of indices, all of which grow by the same number from turn to turn; else null.
const llvm::SCEV* first_of(Value* indices, const llvm::Loop& loop, llvm::ScalarEvolution& scalars) {
  const auto added_to = [](Value* value) -> std::pair<Value*, Value*> {  // a vector, and what all of it is raised by
    auto* add = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (add == nullptr || add->getOpcode() != llvm::Instruction::Add) return {};
    return {add->getOperand(0), llvm::getSplatValue(add->getOperand(1))};
  };
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(indices)) {
    if (phi->getParent() != loop.getHeader()) return nullptr;
    auto* start = llvm::dyn_cast<llvm::Constant>(phi->getIncomingValueForBlock(loop.getLoopPreheader()));
    const auto [before, step] = added_to(phi->getIncomingValueForBlock(loop.getLoopLatch()));
    if (start == nullptr || before != phi || step == nullptr || !loop.isLoopInvariant(step)) return nullptr;
    return scalars.getAddRecExpr(scalars.getSCEV(start->getAggregateElement(0u)), scalars.getSCEV(step), &loop,
                                 llvm::SCEV::FlagAnyWrap);
  }
  const auto [before, raise] = added_to(indices);
  const llvm::SCEV* first = raise == nullptr ? nullptr : first_of(before, loop, scalars);
  return first == nullptr ? nullptr : scalars.getAddExpr(first, scalars.getSCEV(raise));
}

/// How an address goes from turn to turn; of one element of a vector of indices, too, which LLVM does not follow.
const llvm::SCEV* way_of(Value* pointer, const llvm::Loop& loop, llvm::ScalarEvolution& scalars) {
  auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
  auto* index = element == nullptr || element->getNumIndices() != 1
                    ? nullptr
                    : llvm::dyn_cast<llvm::ExtractElementInst>(element->getOperand(1));
  if (index == nullptr || !llvm::PatternMatch::match(index->getIndexOperand(), llvm::PatternMatch::m_Zero()))
    return scalars.getSCEV(pointer);
  const llvm::SCEV* first = first_of(index->getVectorOperand(), loop, scalars);
  if (first == nullptr || !first->getType()->isIntegerTy(64)) return scalars.getSCEV(pointer);
  const llvm::SCEV* size = scalars.getSizeOfExpr(first->getType(), element->getSourceElementType());
  return scalars.getAddExpr(scalars.getSCEV(element->getPointerOperand()), scalars.getMulExpr(first, size));
}

/// Where a store begins that writes one vector behind the other, into an array of the launch; else null.
const llvm::SCEV* start_of(const llvm::StoreInst& store, const llvm::Loop& loop, llvm::ScalarEvolution& scalars) {
  if (!store.getValueOperand()->getType()->isVectorTy() || bytes_of(store) < kSmallestVector) return nullptr;
  if (!llvm::isa<llvm::LoadInst>(llvm::getUnderlyingObject(store.getPointerOperand()))) return nullptr;
  const auto* way =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(way_of(const_cast<Value*>(store.getPointerOperand()), loop, scalars));
  if (way == nullptr || way->getLoop() != &loop || !way->isAffine()) return nullptr;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(way->getStepRecurrence(scalars));
  return step != nullptr && step->getAPInt() == bytes_of(store) ? way->getStart() : nullptr;
}

/// What is read where it is written has its line in the cache.
bool reads(const BasicBlock& block, const Value* array) {
  return llvm::any_of(block, [&](const llvm::Instruction& i) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
    return load != nullptr && llvm::getUnderlyingObject(load->getPointerOperand()) == array;
  });
}

bool calls(const BasicBlock& block) {
  return llvm::any_of(block,
                      [](const llvm::Instruction& i) { return llvm::isa<llvm::CallBase>(i) && i.mayWriteToMemory(); });
}

std::vector<Streaming> find_loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& scalars = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  llvm::SCEVExpander expander(scalars, "stream");
  std::vector<Streaming> found;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    BasicBlock* block = loop->getHeader();
    if (loop->getNumBlocks() != 1 || !loop->isLoopSimplifyForm() || calls(*block)) continue;
    Streaming streaming{block, loop->getLoopPreheader(), {}, {}};
    std::vector<const llvm::SCEV*> starts;
    for (llvm::Instruction& instruction : *block) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store == nullptr || reads(*block, llvm::getUnderlyingObject(store->getPointerOperand()))) continue;
      const llvm::SCEV* start = start_of(*store, *loop, scalars);
      if (start == nullptr || !expander.isSafeToExpandAt(start, streaming.before->getTerminator())) continue;
      streaming.stores.push_back(store);
      starts.push_back(start);
    }
    if (starts.empty()) continue;
    llvm::formLCSSA(*loop, dominators, &loops, &scalars);
    for (const llvm::SCEV* start : starts)
      streaming.starts.push_back(expander.expandCodeFor(start, llvm::PointerType::get(function.getContext(), 0),
                                                        streaming.before->getTerminator()));
    found.push_back(std::move(streaming));
  }
  return found;
}

Value* lies_on_boundaries(llvm::IRBuilder<>& builder, const Streaming& loop) {
  Value* off = builder.getInt64(0);
  for (std::size_t i = 0; i < loop.stores.size(); ++i)
    off = builder.CreateOr(off, builder.CreateAnd(builder.CreatePtrToInt(loop.starts[i], builder.getInt64Ty()),
                                                  builder.getInt64(bytes_of(*loop.stores[i]) - 1)));
  return builder.CreateIsNull(off);
}

void add_streaming(const Streaming& loop, Value* streams) {
  llvm::IRBuilder<> builder(loop.before->getTerminator());
  llvm::ValueToValueMapTy copies;
  add_version(loop.block, loop.before, builder.CreateAnd(streams, lies_on_boundaries(builder, loop)), ".stream",
              copies);
  llvm::LLVMContext& context = loop.block->getContext();
  llvm::MDNode* one = llvm::MDNode::get(
      context, llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1)));
  for (const llvm::StoreInst* store : loop.stores) {
    auto* streamed = llvm::cast<llvm::StoreInst>(copies[store]);
    streamed->setMetadata(llvm::LLVMContext::MD_nontemporal, one);
    streamed->setAlignment(llvm::Align(bytes_of(*store)));
  }
}

Value* load_streams(llvm::Argument& launch) {
  BasicBlock& entry = launch.getParent()->getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  Value* field = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &launch, offsetof(abi::CpuLaunch, streams));
  return builder.CreateIsNotNull(builder.CreateAlignedLoad(builder.getInt64Ty(), field, llvm::Align(8)));
}

}  // namespace

void stream_stores(llvm::Module& module) {
  llvm::FunctionAnalysisManager analyses;
  register_loop_analyses(analyses);
  for (llvm::Function& function : module) {
    llvm::Argument* const launch = function.isDeclaration() ? nullptr : launch_of(function);
    if (launch == nullptr || has_flags(function)) continue;
    const llvm::PreservedAnalyses preserved = llvm::LoopSimplifyPass().run(function, analyses);
    analyses.invalidate(function, preserved);
    const std::vector<Streaming> loops = find_loops(function, analyses);
    analyses.clear(function, function.getName());
    if (loops.empty()) continue;
    Value* const streams = load_streams(*launch);
    for (const Streaming& loop : loops) add_streaming(loop, streams);
  }
}

}  // namespace pykc::codegen
