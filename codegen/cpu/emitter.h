// The CPU half of code generation: a kernel becomes a function that runs a range of blocks, one after the other, on one
// thread of the host (include/pykc/kernel_abi.h).
//
// Code of the IR outside every ThreadLoop runs once a block. A ThreadLoop becomes loops over z, y and x, x innermost:
// the turns of a block's threads, which LLVM turns into vector code. It may, because the turns are independent between
// two barriers, and every load and store says so (access groups, llvm.loop.parallel_accesses); the exceptions are
// atomic operations and local arrays, whose storage is one for all turns.
//
// What a thread keeps from one ThreadLoop to the next stands in the scratch memory of the host's thread, slot by slot,
// each an array indexed by the thread's number in its block.
#pragma once

#include <array>
#include <functional>
#include <unordered_set>

#include "codegen/cpu/guards.h"
#include "codegen/cpu/layout.h"
#include "codegen/emit/emitter.h"

namespace pykc::codegen {

class CpuEmitter final : public Emitter {
 public:
  CpuEmitter(ModuleState& state, const ir::Function& source, llvm::Function& function);
  void emit_function();

  /// Declares a function; of a kernel its body, which takes the parameters by value, with its entry point around it.
  static llvm::Function* declare(ModuleState& state, const ir::Function& source);

 private:
  using Axes = std::array<Value*, 3>;
  /// Where the outcome of a comparison changes along a row.
  struct Cut {
    const Instruction* comparison;
    Value* place;  // the first thread with another outcome than thread 0; of Eq and Ne, where the operands are equal.
                   // The largest number for none
    Value* base;   // the outcome for thread 0; of Eq and Ne, whether the operands are equal everywhere
  };

  // cpu/emitter.cpp
  void emit_kernel();
  void begin_part_of_block();
  void load_launch();
  /// What a kernel's body takes behind the parameters of the IR.
  llvm::Argument* hidden(unsigned n) { return function_.getArg(static_cast<unsigned>(source_.parameters.size()) + n); }
  void emit_blocks();
  Axes index_of_block(Value* number);
  void emit_one_block();
  void stop_after_fault();
  Value* emit_shared_array(const Instruction& i) override;
  Value* emit_launch_shared_bytes() override;
  Value* thread_index(int axis) override { return thread_index_[static_cast<std::size_t>(axis)]; }
  Value* block_index(int axis) override { return block_index_[static_cast<std::size_t>(axis)]; }
  Value* block_extent(int axis) override { return block_extents_[static_cast<std::size_t>(axis)]; }
  Value* grid_extent(int axis) override { return grid_extents_[static_cast<std::size_t>(axis)]; }
  Value* local_array(std::int64_t index) override;
  void emit_return(const Instruction& i) override;
  void emit_fault(const Instruction& i) override;
  Value* fault_record() override { return fault_record_; }
  void emit_print(const Instruction& i) override;
  bool is_private(ir::AddressSpace space) const override { return space != ir::AddressSpace::Global; }
  llvm::SyncScope::ID sync_scope(ir::MemoryScope) const override { return llvm::SyncScope::System; }
  bool keeps_scope(ir::MemoryScope) const override { return true; }
  bool keeps_order() const override { return true; }
  // cpu/device_function.cpp
  void take_place();
  void add_hidden_arguments(const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) override;
  Value* emit_call(const Instruction& i) override;
  void leave_function(llvm::ArrayRef<Value*> results, bool has_faulted);
  void end_thread();

  llvm::Type* slot_type(std::int64_t slot) const;
  /// Address of a thread's value in a slot.
  Value* slot_address(std::int64_t slot, Value* thread);
  Value* load_slot(std::int64_t slot, Value* thread);
  void store_slot(std::int64_t slot, Value* thread, Value* value);
  Value* any_slot(std::int64_t slot);
  Value* many_slot(std::int64_t slot);

  // cpu/builtins.cpp
  Value* emit_hinted_load(const Instruction& i) override { return load_element(operand(i, 0), i.operands[0]->type); }
  void emit_hinted_store(const Instruction& i) override {
    store_element(operand(i, 1), operand(i, 0), i.operands[0]->type);
  }
  void emit_prefetch(const Instruction& i) override;
  Value* emit_inline_ptx(const Instruction&) override { llvm_unreachable("check_target refuses it"); }
  Value* extreme(llvm::Intrinsic::ID id, Value* a, Value* b) override;
  Value* emit_target_builtin(const Instruction& i) override;
  Value* lane_mask(BuiltinId builtin);
  Value* permute_bytes(const Instruction& i);
  Value* dot_product(const Instruction& i, unsigned width, unsigned first);

  // cpu/directed_rounding.cpp
  Value* emit_rounded(const Instruction& i, const Lowering& lowering) override;

  // cpu/thread_loop.cpp
  Value* emit_split(const Instruction& i) override;
  void emit_thread_loop(const Instruction& i);
  bool asks_for_index(const ir::Block& body) const;
  void emit_line(const Instruction& i);
  void emit_rows(const Instruction& i);
  void emit_row(const Instruction& i, Value* begin, Value* end);
  void emit_segments(const Instruction& i, const RowGuards& guards);
  Cut find_cut(const Instruction& comparison, const RowGuards& guards);
  Value* outcome_at(Value* x, const Cut& cut);
  Value* change_after(Value* x, const Cut& cut);
  Value* first_value(const Instruction* i, const RowGuards& guards);
  Value* slope_of(const Instruction* i, const RowGuards& guards);
  void emit_turn(const Instruction& i);
  void start_turn(const ir::Block& body);
  void collect_block_locals(const ir::Block& block);
  void annotate(llvm::Instruction* access, ir::AddressSpace space) const override;
  void annotate_call(llvm::CallInst* call, const ir::Function& callee) const override;
  void annotate_loop(llvm::Instruction* latch, const Instruction& loop) override;
  void mark_parallel(llvm::Instruction* latch);
  void mark_plain(llvm::Instruction* latch);

  // cpu/small_floats.cpp
  bool needs_wide_arithmetic(ScalarType type) const override { return size_in_bytes(type) == 2; }
  bool has_small_fma(ScalarType) const override { return false; }
  Value* widen_float(Value* value) override;
  Value* narrow_float(Value* wide, ScalarType to) override;
  Value* hidden_half(Value* single) override;
  /// Whether the processor has instructions for f16 to f32 and back.
  bool converts_half() const;
  Value* round_to_odd(Value* value);
  Value* round_to_bf16(Value* value);

  // cpu/warp.cpp
  Value* emit_exchange(const Instruction& i);
  Value* reduce_block(const Instruction& i);
  void exchange_in_warp(const Instruction& i, Value* base);
  void shuffle_warp(const Instruction& i, Value* base);
  void vote_warp(const Instruction& i, Value* base);
  void match_warp(const Instruction& i, Value* base);
  void reduce_warp(const Instruction& i, Value* base);
  Value* reduce_lanes(const Instruction& i, Value* members, llvm::AllocaInst* values);
  Value* active_lanes(const Instruction& i, Value* base);
  llvm::AllocaInst* copy_values(const Instruction& i, Value* base);
  Value* load_value(llvm::AllocaInst* values, Value* lane);
  Value* exchange_argument(const Instruction& i, std::size_t n, Value* thread);
  Value* is_active(const Instruction& i, Value* thread);
  Value* gather_bits(Value* base, const std::function<Value*(Value*)>& bit_of);
  void store_results(const Instruction& i, Value* base, const std::function<Value*(Value*, Value*)>& result);
  Value* source_lane(const Instruction& i, Value* lane, Value* thread, Value*& is_inside);

  CpuLayout layout_;
  Value* launch_ = nullptr;
  Value* fault_record_ = nullptr;
  Value* kernel_number_ = nullptr;  // i32
  Value* block_number_ = nullptr;
  Value* shared_ = nullptr;
  Value* scratch_ = nullptr;
  Value* shared_bytes_ = nullptr;
  Value* threads_ = nullptr;         // of the block
  Value* padded_threads_ = nullptr;  // rounded up: the stride between slots
  Axes block_extents_{}, grid_extents_{}, block_index_{}, thread_index_{};
  Value* thread_number_ = nullptr;                     // of the current turn; null outside a ThreadLoop
  llvm::BasicBlock* block_end_ = nullptr;              // where a return at block level goes
  llvm::BasicBlock* turn_end_ = nullptr;               // where a return in a turn goes
  llvm::MDNode* access_group_ = nullptr;               // of the current ThreadLoop
  std::unordered_set<const ir::Local*> block_locals_;  // used outside of every ThreadLoop
};

}  // namespace pykc::codegen
