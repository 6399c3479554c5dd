// What the targets differ in: the thread's place, shared memory, calls, atomic operations, small floats, faults and
// printing. Code that is the same for both asks for it here; each target answers for the function that is emitted
// (cpu/emitter.cpp, nvptx/emitter.cpp).
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <string_view>

#include "ir/module.h"

namespace pykc::codegen {

using Value = llvm::Value;
using Instruction = ir::Instruction;

class TargetLowering {
 public:
  virtual ~TargetLowering() = default;

  // --- The thread's place: i64 --------------------------------------------------------------------------------------
  virtual Value* thread_index(int axis) = 0;
  virtual Value* block_index(int axis) = 0;
  virtual Value* block_extent(int axis) = 0;  // threads of a block
  virtual Value* grid_extent(int axis) = 0;   // blocks of a grid

  // --- Arrays -------------------------------------------------------------------------------------------------------
  virtual Value* local_array(std::int64_t index) = 0;
  virtual Value* emit_shared_array(const Instruction& i) = 0;
  virtual Value* emit_launch_shared_bytes() = 0;
  virtual Value* emit_cluster_pointer(const Instruction& i) = 0;

  // --- Control flow -------------------------------------------------------------------------------------------------
  virtual void emit_return(const Instruction& i) = 0;
  /// Added to the arguments of every call, after the ones of the IR.
  virtual void add_hidden_arguments(const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) = 0;
  /// The value of a call that has just been made, after what the target wants to stand behind it.
  virtual Value* finish_call(const Instruction&, llvm::CallInst* call) { return call; }
  /// Lets a target add what it knows to the end of a loop's turn.
  virtual void annotate_loop(llvm::Instruction*, const Instruction&) {}
  /// What only split functions have.
  virtual Value* emit_split(const Instruction& i) = 0;

  // --- Builtins -----------------------------------------------------------------------------------------------------
  /// One whose row says ByHand for this target and that is not the same everywhere.
  virtual Value* emit_target_builtin(const Instruction& i) = 0;
  virtual Value* emit_rounded(const Instruction& i, const Lowering& lowering) = 0;
  virtual Value* emit_math(const Instruction& i, std::string_view name) = 0;
  virtual Value* emit_inline_ptx(const Instruction& i) = 0;

  // --- Floats -------------------------------------------------------------------------------------------------------
  /// Whether arithmetic on f16 or bf16 goes through f32 (which gives the same bits).
  virtual bool needs_wide_arithmetic(ScalarType type) = 0;
  /// Whether there is an instruction for fma on f16 or bf16.
  virtual bool has_small_fma(ScalarType type) = 0;
  /// LLVM's minimumnum or maximumnum: a NaN counts as missing, and -0 stands below +0.
  virtual Value* extreme(llvm::Intrinsic::ID id, Value* a, Value* b) = 0;
  /// f16 or bf16 as f32.
  virtual Value* widen_float(Value* value) = 0;
  /// Rounds an f32 or f64 to f16 or bf16.
  virtual Value* narrow_float(Value* wide, ScalarType to) = 0;
  /// A float of 8 bits, which is the integer of its bits, as f32.
  virtual Value* widen_float8(Value* bits, ScalarType type) = 0;
  /// Rounds an f32 to a float of 8 bits.
  virtual Value* narrow_float8(Value* wide, ScalarType to) = 0;

  // --- Memory -------------------------------------------------------------------------------------------------------
  /// Lets a target add what it knows to a load or store that touches `space`.
  virtual void annotate(llvm::Instruction*, ir::AddressSpace) {}
  /// Whether no other thread can touch the memory of `space` at the same time.
  virtual bool is_private(ir::AddressSpace space) = 0;
  virtual llvm::SyncScope::ID sync_scope(ir::MemoryScope scope) = 0;
  /// Whether LLVM's own read-modify-write keeps the scope, and whether it keeps the order; else fences do.
  virtual bool keeps_scope(ir::MemoryScope scope) = 0;
  virtual bool keeps_order() = 0;
  /// The bits of the smallest word that compare and swap has.
  virtual int narrowest_exchange() = 0;
  /// Whether LLVM's own read-modify-write is an instruction of the target; else it is a loop of compare and swap.
  virtual bool has_atomic(llvm::AtomicRMWInst::BinOp, ScalarType) { return true; }
  /// The threads that begin a loop which each repeats until it wins, and whether one of them is to repeat it: threads
  /// that must not leave such a loop one by one leave it together.
  virtual Value* begin_retries() { return nullptr; }
  virtual Value* any_retries(Value* /*threads*/, Value* retries) { return retries; }
  /// What a target wants to stand before a read-modify-write of its own.
  virtual void prepare_atomic(const Instruction&) {}
  virtual Value* emit_hinted_load(const Instruction& i) = 0;
  virtual void emit_hinted_store(const Instruction& i) = 0;
  virtual void emit_prefetch(const Instruction& i) = 0;
  virtual void emit_copy_async(const Instruction& i) = 0;

  // --- Telling the host ---------------------------------------------------------------------------------------------
  virtual Value* fault_record() = 0;  // the address of the launch's abi::FaultRecord
  virtual void emit_fault(const Instruction& i) = 0;
  virtual void emit_print(const Instruction& i) = 0;
  virtual void emit_observe(const Instruction& i) = 0;
};

}  // namespace pykc::codegen
