#include "codegen/cpu/passes/prefetch_streams.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace pykc::codegen {
namespace {

using llvm::BasicBlock;
using llvm::Value;

constexpr std::int64_t kAhead = 1024;  // bytes
constexpr std::uint64_t kLine = 64;    // bytes
constexpr int kDepth = 4;              // operations between an index and the load that it comes from

bool is_loop(const BasicBlock& block) { return llvm::is_contained(llvm::successors(&block), &block); }

Value* without_casts(Value* value) {
  while (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
  return value;
}

/// How much it grows from turn to turn; 0 if nobody knows.
std::uint64_t step_of(Value* value, const BasicBlock& loop) {
  using namespace llvm::PatternMatch;
  auto* phi = llvm::dyn_cast<llvm::PHINode>(without_casts(value));
  std::uint64_t step = 0;
  const bool is_counter = phi != nullptr && phi->getParent() == &loop &&
                          match(phi->getIncomingValueForBlock(&loop), m_Add(m_Specific(phi), m_ConstantInt(step)));
  return is_counter ? step : 0;
}

/// The only index of a scalar load's address; else null.
Value* index_of(const llvm::LoadInst& load) {
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(load.getPointerOperand());
  if (load.getType()->isVectorTy() || address == nullptr || address->getNumIndices() != 1) return nullptr;
  return address->getOperand(1);
}

/// Whether it is computed from what the loop loads.
bool is_loaded(const Value* value, const BasicBlock& loop, int depth = kDepth) {
  const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  if (i == nullptr || i->getParent() != &loop || depth == 0) return false;
  if (llvm::isa<llvm::LoadInst>(i)) return true;
  if (!llvm::isa<llvm::CastInst, llvm::SelectInst, llvm::BinaryOperator>(i)) return false;
  return llvm::any_of(i->operands(), [&](const Value* of) { return is_loaded(of, loop, depth - 1); });
}

void prefetch_in(BasicBlock& loop) {
  bool is_indirect = false;
  llvm::SmallVector<llvm::LoadInst*> streams;
  for (llvm::Instruction& i : loop) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
    Value* const index = load != nullptr ? index_of(*load) : nullptr;
    if (index == nullptr) continue;
    const std::uint64_t bytes = load->getDataLayout().getTypeStoreSize(load->getType()).getFixedValue();
    const std::uint64_t step = step_of(index, loop);
    if (step > 0 && step <= kLine / bytes) streams.push_back(load);
    is_indirect |= is_loaded(index, loop);
  }
  if (!is_indirect) return;
  for (llvm::LoadInst* load : streams) {
    llvm::IRBuilder<> builder(load);
    Value* ahead = builder.CreateConstGEP1_64(builder.getInt8Ty(), load->getPointerOperand(), kAhead);
    builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {ahead->getType()},
                            {ahead, builder.getInt32(0), builder.getInt32(3), builder.getInt32(1)});
  }
}

}  // namespace

void prefetch_streams(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (BasicBlock& block : function)
      if (is_loop(block)) prefetch_in(block);
}

}  // namespace pykc::codegen
