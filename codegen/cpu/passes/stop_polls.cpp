// Code that may run for long looks whether the launch is to stop. A look costs a load and a branch, which is nothing
// beside a long turn of a loop, and much beside a short one. So:
//
//   Loops that are known to end soon     are left alone: those of few turns, and those over a block's threads.
//   Loops with long turns                look in each turn.
//   Loops with short turns that count    run in strips, with a look between two of them. The strip's end takes the
//                                        place of the loop's in its test, so that a turn costs what it did. Where the
//                                        turns that are left are less than a strip's, as mostly in a loop that each
//                                        thread has for itself, the loop runs as it was.
//   Other loops with short turns         look in each turn.
//
//                                              strip:  s = phi [start], [next]
//                                                      end = s + min(n - s, turns of a strip)
//   loop:   i = phi [start], [next]            loop:   i = phi [s], [next]
//           …                             →            …
//           br next != n, loop, exit                   br next != end, loop, look
//                                              look:   br next != n, again, exit
//                                              again:  br any_stop, stop, strip
//
// Whoever sees that the launch is to stop returns from where it stands; nobody uses what it has computed. So every
// caller looks as well, behind calls of functions that may have stopped, and functions that call themselves where they
// begin.
#include "codegen/cpu/passes/stop_polls.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/cpu/passes/loop_analyses.h"
#include "codegen/cpu/passes/loop_versions.h"
#include "codegen/cpu/passes/watched_loops.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {
namespace {

using llvm::BasicBlock;
using llvm::CmpInst;
using llvm::Value;
using Builder = llvm::IRBuilder<>;

class PollAdder {
 public:
  PollAdder(llvm::Function& function, llvm::Argument& place_of_record) : function_(function), builder_(context()) {
    builder_.SetInsertPoint(&function.getEntryBlock(), function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    record_ = &place_of_record;
    if (!place_of_record.hasAttribute(kLaunchParameter)) return;
    record_ = field(&place_of_record, offsetof(abi::CpuLaunch, fault));
    llvm::LoadInst* load = builder_.CreateAlignedLoad(builder_.getPtrTy(), record_, llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context(), {}));
    record_ = load;
  }

  void watch(const Watched& loop) {
    const auto* branch =
        llvm::dyn_cast<llvm::BranchInst>(loop.latch == nullptr ? nullptr : loop.latch->getTerminator());
    const bool still_counts =
        loop.counting && branch != nullptr && branch->isConditional() && branch->getCondition() == loop.counting->test;
    if (still_counts) return take_in_strips(loop.blocks.empty() ? loop : version_for_long(loop));
    if (loop.latch != nullptr) return poll_before(loop.latch->getTerminator(), loop.place);
    poll_before(&*loop.header->getFirstNonPHIIt(), loop.place);
  }

  /// Behind what the entry block has to hold.
  void watch_entry() {
    auto* last = llvm::dyn_cast<llvm::Instruction>(record_);
    poll_before(last != nullptr ? last->getNextNode() : &*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca(),
                place());
  }
  void watch_call(llvm::CallInst* call) { poll_before(call->getNextNode(), place()); }

 private:
  llvm::LLVMContext& context() const { return function_.getContext(); }
  std::string place() const { return function_.getFnAttribute(kPlaceInSource).getValueAsString().str(); }
  Value* field(Value* base, std::size_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base, offset);
  }

  void poll_before(llvm::Instruction* instruction, const std::string& place) {
    BasicBlock* block = instruction->getParent();
    BasicBlock* rest = block->splitBasicBlock(instruction);
    block->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(block);
    poll(rest, place);
  }

  /// Ends the block where the builder stands: the launch stops, or goes on with `next`.
  void poll(BasicBlock* next, const std::string& place) {
    BasicBlock* block = builder_.GetInsertBlock();
    llvm::LoadInst* claimed = builder_.CreateAlignedLoad(
        builder_.getInt32Ty(), field(record_, offsetof(abi::FaultRecord, claimed)), llvm::Align(4));
    claimed->setAtomic(llvm::AtomicOrdering::Monotonic);
    builder_.CreateCondBr(builder_.CreateIsNotNull(claimed), stop(), next,
                          llvm::MDBuilder(context()).createUnlikelyBranchWeights());
    place_->addIncoming(text(place), block);
  }

  /// Where the function returns from, told where the launch has stopped.
  BasicBlock* stop() {
    if (place_ != nullptr) return place_->getParent();
    BasicBlock* stop = BasicBlock::Create(context(), "stop", &function_);
    const llvm::IRBuilderBase::InsertPointGuard goes_back(builder_);
    builder_.SetInsertPoint(stop);
    place_ = builder_.CreatePHI(builder_.getPtrTy(), 2);
    report(place_);
    if (function_.getReturnType()->isVoidTy())
      builder_.CreateRetVoid();
    else
      builder_.CreateRet(llvm::Constant::getNullValue(function_.getReturnType()));
    return stop;
  }

  /// Tells the host where the launch has stopped, if nobody came before. Here, not in a function: to compile one takes
  /// a thirtieth of a short kernel's time.
  void report(Value* place) {
    BasicBlock* first = BasicBlock::Create(context(), "first", &function_);
    BasicBlock* done = BasicBlock::Create(context(), "done", &function_);
    const auto in_record = [&](std::size_t offset) { return field(record_, offset); };
    Value* seen =
        builder_.CreateAtomicCmpXchg(in_record(offsetof(abi::FaultRecord, claimed)), builder_.getInt32(abi::kStopAsked),
                                     builder_.getInt32(abi::kStopSeen), llvm::MaybeAlign(),
                                     llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
    builder_.CreateCondBr(builder_.CreateExtractValue(seen, 1), first, done);
    builder_.SetInsertPoint(first);
    builder_.CreateStore(llvm::Constant::getAllOnesValue(builder_.getInt32Ty()),
                         in_record(offsetof(abi::FaultRecord, site)));
    builder_.CreateStore(builder_.CreatePtrToInt(place, builder_.getInt64Ty()),
                         in_record(offsetof(abi::FaultRecord, values)));
    llvm::StoreInst* ready =
        builder_.CreateAlignedStore(builder_.getInt32(1), in_record(offsetof(abi::FaultRecord, ready)), llvm::Align(4));
    ready->setAtomic(llvm::AtomicOrdering::Release);
    builder_.CreateBr(done);
    builder_.SetInsertPoint(done);
  }

  llvm::Constant* text(const std::string& place) {
    const std::string name = (llvm::Twine("place.") + place).str();
    if (llvm::GlobalVariable* known = function_.getParent()->getGlobalVariable(name, true)) return known;
    llvm::Constant* bytes = llvm::ConstantDataArray::getString(context(), place, true);
    return new llvm::GlobalVariable(*function_.getParent(), bytes->getType(), true, llvm::GlobalValue::InternalLinkage,
                                    bytes, name);
  }

  /// A copy of the loop, for where it has more turns than a strip.
  Watched version_for_long(const Watched& loop) {
    const Counting& counting = *loop.counting;
    BasicBlock* before = counting.phi->getIncomingBlock(counting.phi->getBasicBlockIndex(loop.latch) == 0 ? 1 : 0);
    builder_.SetInsertPoint(before->getTerminator());
    Value* is_long = has_more_turns(counting, counting.phi->getIncomingValueForBlock(before), loop.turns);
    llvm::ValueToValueMapTy copies;
    add_version(loop.blocks, before, is_long, ".long", copies,
                llvm::MDBuilder(context()).createUnlikelyBranchWeights());
    const auto copied = [&](auto* value) {
      Value* copy = copies.lookup(value);
      return copy == nullptr ? value : llvm::cast<std::remove_pointer_t<decltype(value)>>(copy);
    };
    Watched copy{copied(loop.header), copied(loop.latch), loop.place, counting, loop.turns, {}};
    copy.counting->test = copied(counting.test);
    copy.counting->counter = copied(counting.counter);
    copy.counting->phi = copied(counting.phi);
    return copy;
  }

  void take_in_strips(const Watched& loop) {
    const Counting& counting = *loop.counting;
    auto* branch = llvm::cast<llvm::BranchInst>(loop.latch->getTerminator());
    const unsigned leaves = branch->getSuccessor(0) == loop.header ? 1 : 0;
    BasicBlock* exit = branch->getSuccessor(leaves);
    BasicBlock* strip = BasicBlock::Create(context(), "strip", &function_, loop.header);
    BasicBlock* look = BasicBlock::Create(context(), "look", &function_, exit);
    BasicBlock* again = BasicBlock::Create(context(), "again", &function_, exit);

    // What goes from turn to turn goes from strip to strip.
    builder_.SetInsertPoint(strip);
    llvm::PHINode* counter = nullptr;
    for (llvm::PHINode& phi : loop.header->phis()) {
      llvm::PHINode* outer = builder_.CreatePHI(phi.getType(), 2);
      const int from_latch = phi.getBasicBlockIndex(loop.latch);
      const auto from_before = static_cast<unsigned>(1 - from_latch);
      outer->addIncoming(phi.getIncomingValue(from_before), phi.getIncomingBlock(from_before));
      outer->addIncoming(phi.getIncomingValue(static_cast<unsigned>(from_latch)), again);
      phi.setIncomingValue(from_before, outer);
      phi.setIncomingBlock(from_before, strip);
      if (&phi == counting.phi) counter = outer;
    }
    for (BasicBlock* before : llvm::to_vector(llvm::predecessors(loop.header)))
      if (before != loop.latch) before->getTerminator()->replaceSuccessorWith(loop.header, strip);
    Value* end = end_of_strip(counting, counter, loop.turns);
    builder_.CreateBr(loop.header);

    builder_.SetInsertPoint(look);
    llvm::Instruction* test = counting.test->clone();
    test->insertInto(look, look->end());
    llvm::BranchInst* leave = builder_.CreateCondBr(test, again, again);
    leave->setSuccessor(leaves, exit);
    exit->replacePhiUsesWith(loop.latch, look);

    builder_.SetInsertPoint(again);
    poll(strip, loop.place);

    builder_.SetInsertPoint(branch);
    branch->setCondition(builder_.CreateICmp(
        leaves == 1 ? counting.goes_on : CmpInst::getInversePredicate(counting.goes_on), counting.counter, end));
    branch->setSuccessor(leaves, look);
    if (counting.test->use_empty()) counting.test->eraseFromParent();
  }

  llvm::ConstantInt* number(const Counting& counting, std::int64_t value) const {
    return llvm::ConstantInt::getSigned(llvm::cast<llvm::IntegerType>(counting.counter->getType()), value);
  }

  /// What is compared at the end of a turn that begins where the phi is `phi`.
  Value* counter_at(const Counting& counting, Value* phi) {
    return counting.counter == counting.phi ? phi : builder_.CreateAdd(phi, number(counting, counting.step));
  }

  /// How far the counter has to go until the loop ends, of one that goes on while the two are not equal.
  Value* way_left(const Counting& counting, Value* counter) {
    return counting.step > 0 ? builder_.CreateSub(counting.bound, counter)
                             : builder_.CreateSub(counter, counting.bound);
  }

  static std::int64_t way_of_strip(const Counting& counting, std::uint64_t turns) {
    return counting.step * static_cast<std::int64_t>(turns);
  }

  /// Whether a loop that begins where the phi is `start` does not end within a strip.
  Value* has_more_turns(const Counting& counting, Value* start, std::uint64_t turns) {
    Value* counter = counter_at(counting, start);
    const std::int64_t way = way_of_strip(counting, turns);
    if (counting.goes_on == CmpInst::ICMP_NE)
      return builder_.CreateICmpUGT(way_left(counting, counter), number(counting, std::abs(way)));
    return builder_.CreateICmp(counting.goes_on, builder_.CreateAdd(counter, number(counting, way)), counting.bound);
  }

  /// What the counter is compared with in a strip that begins where the phi is `phi`. The loop never goes on with it
  /// where it would have ended without; where it ends too early, it goes on with the next strip.
  Value* end_of_strip(const Counting& counting, Value* phi, std::uint64_t turns) {
    using enum CmpInst::Predicate;
    Value* counter = counter_at(counting, phi);
    const std::int64_t way = way_of_strip(counting, turns);
    if (counting.goes_on == ICMP_NE) {
      Value* part = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, way_left(counting, counter),
                                                   number(counting, std::abs(way)));
      return counting.step > 0 ? builder_.CreateAdd(counter, part) : builder_.CreateSub(counter, part);
    }
    const bool is_signed = CmpInst::isSigned(counting.goes_on);
    const llvm::Intrinsic::ID nearer = counting.step > 0 ? (is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin)
                                                         : (is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
    return builder_.CreateBinaryIntrinsic(nearer, counting.bound, builder_.CreateAdd(counter, number(counting, way)));
  }

  llvm::Function& function_;
  Builder builder_;
  Value* record_ = nullptr;
  llvm::PHINode* place_ = nullptr;
};

/// The parameter that leads to the record of faults, or null.
llvm::Argument* place_of_record(llvm::Function& function) {
  const auto leads = [](const llvm::Argument& a) {
    return a.hasAttribute(kLaunchParameter) || a.hasAttribute(kRecordParameter);
  };
  const auto found = llvm::find_if(function.args(), leads);
  return found == function.arg_end() ? nullptr : &*found;
}

}  // namespace

void add_stop_polls(llvm::Module& module) {
  llvm::FunctionAnalysisManager analyses;
  register_loop_analyses(analyses);

  std::map<llvm::Function*, std::vector<Watched>> loops;
  std::set<const llvm::Function*> may_stop;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || place_of_record(function) == nullptr) continue;
    analyses.invalidate(function, llvm::LoopSimplifyPass().run(function, analyses));
    analyses.invalidate(function, llvm::LCSSAPass().run(function, analyses));
    std::vector<Watched>& found = loops[&function] = watched_loops(function, analyses);
    if (!found.empty() || function.hasFnAttribute(kIsRecursive)) may_stop.insert(&function);
  }
  analyses.clear();

  const auto calls_that_stop = [&](llvm::Function& function) {
    std::vector<llvm::CallInst*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call && may_stop.contains(call->getCalledFunction()))
        calls.push_back(call);
    return calls;
  };
  for (std::size_t before = 0; before != may_stop.size();) {
    before = may_stop.size();
    for (auto& [function, watched] : loops)
      if (!calls_that_stop(*function).empty()) may_stop.insert(function);
  }

  for (llvm::Function& function : module) {
    if (!may_stop.contains(&function)) continue;
    const std::vector<llvm::CallInst*> calls = calls_that_stop(function);
    PollAdder adder(function, *place_of_record(function));
    for (const Watched& loop : loops.at(&function)) adder.watch(loop);
    for (llvm::CallInst* call : calls) adder.watch_call(call);
    if (function.hasFnAttribute(kIsRecursive)) adder.watch_entry();
  }
}

}  // namespace pykc::codegen
