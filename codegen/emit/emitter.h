// Turns one function of the IR into LLVM IR. What is the same for both targets stands here and in the emit_*.cpp files,
// one member function for each opcode; NvptxEmitter and CpuEmitter add the thread's place, shared memory, waiting for
// other threads, faults and printing.
//
// Values of the IR become SSA values of LLVM; a Local becomes an alloca in the entry block, from which LLVM builds SSA
// itself. Control flow is emitted as it is nested: a block knows nothing of what follows it.
#pragma once

#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/IR/IRBuilder.h>

#include <string_view>
#include <unordered_map>

#include "codegen/emit/module_state.h"
#include "ir/module.h"

namespace pykc::codegen {

/// What redux_sync_add and its kin put values together with.
ir::AtomicOp reduction_operator(BuiltinId builtin);

/// Ends the program: the builtin table says that the target has code for the row, and it has none.
[[noreturn]] void no_code_for(BuiltinId builtin);

class Emitter {
 public:
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;
  virtual ~Emitter() = default;

 protected:
  using Value = llvm::Value;
  using Instruction = ir::Instruction;

  /// Starts in a new entry block of `function`.
  Emitter(ModuleState& state, const ir::Function& source, llvm::Function& function);

  void emit_block(const ir::Block& block);
  /// The instruction's value; null where it has none.
  Value* emit(const Instruction& i);
  Value* value(const Instruction* instruction) const { return values_.at(instruction); }
  Value* operand(const Instruction& i, std::size_t n) const { return value(i.operands[n]); }
  llvm::SmallVector<Value*> operands(const Instruction& i) const {
    return llvm::map_to_vector(i.operands, [&](const Instruction* operand) { return value(operand); });
  }
  void set_value(const Instruction* instruction, Value* value) { values_[instruction] = value; }
  /// From now on, these instructions are not emitted but have these values.
  void fix_values(std::unordered_map<const Instruction*, Value*> values) { fixed_ = std::move(values); }

  // --- What the targets differ in -----------------------------------------------------------------------------------
  /// A builtin whose row says ByHand for this target and that is not one of emit_shared_builtin.
  virtual Value* emit_target_builtin(const Instruction& i) = 0;
  virtual Value* emit_rounded(const Instruction& i, const Lowering& lowering) = 0;
  virtual Value* emit_math(const Instruction& i, std::string_view name);
  virtual Value* emit_shared_array(const Instruction& i) = 0;
  virtual Value* emit_launch_shared_bytes() = 0;
  virtual Value* thread_index(int axis) = 0;
  virtual Value* block_index(int axis) = 0;
  virtual Value* block_extent(int axis) = 0;  // i64: threads of a block, blocks of a grid
  virtual Value* grid_extent(int axis) = 0;
  virtual void emit_return(const Instruction& i) = 0;
  virtual void emit_fault(const Instruction& i) = 0;
  virtual Value* fault_record() = 0;  // the address of the launch's abi::FaultRecord
  virtual void emit_print(const Instruction& i) = 0;
  virtual Value* local_array(std::int64_t index);  // by default on the stack
  /// Whether arithmetic on f16 or bf16 goes through f32 (which gives the same bits).
  virtual bool needs_wide_arithmetic(ScalarType type) const = 0;
  /// Whether there is an instruction for fma on f16 or bf16.
  virtual bool has_small_fma(ScalarType type) const = 0;
  /// LLVM's minimumnum or maximumnum: a NaN counts as missing, and -0 stands below +0.
  virtual Value* extreme(llvm::Intrinsic::ID id, Value* a, Value* b) {
    return builder_.CreateBinaryIntrinsic(id, a, b);
  }
  /// f16 or bf16 as f32.
  virtual Value* widen_float(Value* value);
  /// Rounds an f32 or f64 to f16 or bf16.
  virtual Value* narrow_float(Value* wide, ScalarType to) = 0;
  /// Rounds an f32 to f16 in an operation that LLVM's optimiser does not look into.
  virtual Value* hidden_half(Value* single);
  /// Lets a target add what it knows to a load, store or call that touches `space`.
  virtual void annotate(llvm::Instruction* access, ir::AddressSpace space) const = 0;
  virtual void annotate_call(llvm::CallInst* call, const ir::Function& callee) const = 0;
  /// The same for the end of a loop's turn.
  virtual void annotate_loop(llvm::Instruction*, const Instruction&) {}
  /// Whether no other thread can touch the memory of `space` at the same time.
  virtual bool is_private(ir::AddressSpace space) const = 0;
  virtual llvm::SyncScope::ID sync_scope(ir::MemoryScope scope) const = 0;
  /// What a target wants to stand before a read-modify-write of its own.
  virtual void prepare_atomic(const Instruction&) {}
  /// Whether LLVM's own read-modify-write keeps the scope, and whether it keeps the order; else fences do.
  virtual bool keeps_scope(ir::MemoryScope scope) const = 0;
  virtual bool keeps_order() const = 0;
  virtual Value* emit_hinted_load(const Instruction& i) = 0;
  virtual void emit_hinted_store(const Instruction& i) = 0;
  virtual void emit_prefetch(const Instruction& i) = 0;
  virtual void emit_copy_async(const Instruction& i) { copy_elements(i); }
  /// GPU only; check_target has seen to that.
  virtual Value* emit_inline_ptx(const Instruction& i) = 0;
  Value* emit_external_call(const Instruction& i);
  /// Added to the arguments of every call, after the ones of the IR.
  virtual void add_hidden_arguments(const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) = 0;
  /// Split functions only.
  virtual Value* emit_split(const Instruction& i);

  // --- Arithmetic (arithmetic.cpp) ----------------------------------------------------------------------------------
  Value* emit_arithmetic(const Instruction& i);
  Value* emit_integer(ir::Opcode opcode, ScalarType type, Value* a, Value* b, bool no_wrap);
  Value* emit_rounded(ir::Opcode opcode, ScalarType type, Value* a, Value* b);
  Value* emit_float(ir::Opcode opcode, Value* a, Value* b);
  Value* floor_divide(Value* a, Value* b, bool is_signed);
  Value* floor_modulo(Value* a, Value* b, bool is_signed);
  Value* safe_divisor(Value* a, Value* b, bool is_signed);
  Value* needs_floor(Value* remainder, Value* divisor);
  Value* float_floor_divide(Value* a, Value* b);
  Value* float_modulo(Value* a, Value* b);
  Value* shift_left(Value* a, Value* count);
  Value* shift_right(Value* a, Value* count, bool is_signed);
  Value* emit_negate(const Instruction& i);
  Value* emit_fma(const Instruction& i);
  Value* small_fma(ScalarType type, Value* a, Value* b, Value* c);
  Value* emit_compare(const Instruction& i);
  /// f16 and bf16 as f32; all else as it is.
  Value* widen(Value* value, ScalarType type);
  Value* negate_float(Value* value, ScalarType type);
  Value* narrow(Value* value, ScalarType type);

  // --- Casts (cast.cpp) ---------------------------------------------------------------------------------------------
  Value* emit_cast(const Instruction& i);
  Value* cast_float(Value* value, ScalarType from, ScalarType to);
  Value* integer_to_float(Value* value, ScalarType from, ScalarType to);
  Value* float_to_integer(Value* value, ScalarType from, ScalarType to);

  // --- Memory (memory.cpp) ------------------------------------------------------------------------------------------
  Value* emit_element(const Instruction& i);
  Value* emit_atomic(const Instruction& i);
  Value* emit_compare_and_swap(const Instruction& i);
  Value* load_element(Value* address, ir::Type pointer);
  void store_element(Value* value, Value* address, ir::Type pointer);
  /// What an atomic operation makes of the old value.
  Value* combine(ir::AtomicOp op, ScalarType type, Value* old, Value* value);
  Value* compare_exchange_loop(const Instruction& i, ir::Type pointer);
  /// The old value and whether it was the expected one.
  Value* exchange_if_equal(const Instruction& i, Value* address, Value* expected, Value* desired);
  Value* emit_native_atomic(const Instruction& i, llvm::AtomicRMWInst::BinOp operation, Value* value);
  Value* emit_atomic_load(const Instruction& i);
  void emit_atomic_store(const Instruction& i);
  /// A CopyAsync as plain loads and stores.
  void copy_elements(const Instruction& i);
  llvm::AllocaInst* local(const ir::Local* local);
  llvm::AllocaInst* create_alloca(llvm::Type* type, unsigned alignment, const llvm::Twine& name);

  // --- Control flow (control.cpp) -----------------------------------------------------------------------------------
  void emit_if(const Instruction& i);
  void emit_loop(const Instruction& i);
  void emit_scope(const Instruction& i);
  virtual Value* emit_call(const Instruction& i);
  Value* emit_extract(const Instruction& i);
  void create_return(llvm::ArrayRef<Value*> results);
  Value* any_fault();
  llvm::BasicBlock* new_block(const llvm::Twine& name);
  /// Ends the current LLVM block with a branch, unless it has ended already.
  void branch_to(llvm::BasicBlock* block);
  /// Runs `body(index)` for index = 0 … count-1 (i64) in an LLVM loop; gives its back edge's branch.
  template <typename Body>
  llvm::Instruction* counted_loop(Value* count, const llvm::Twine& name, Body body);
  /// Runs `body()` where `condition` holds.
  template <typename Body>
  void emit_when(Value* condition, Body body);

  // --- Builtins (builtin.cpp) ---------------------------------------------------------------------------------------
  Value* emit_builtin(const Instruction& i);
  Value* emit_intrinsic(const Instruction& i, std::string_view name);
  Value* emit_nvvm(const Instruction& i, std::string_view name);
  /// The ByHand rows that are the same everywhere; null for others.
  Value* emit_shared_builtin(const Instruction& i);
  Value* emit_coordinate(LaunchCoordinate coordinate);
  Value* upper_half_of_product(ScalarType type, Value* a, Value* b);
  Value* minimum(ScalarType type, Value* a, Value* b);
  Value* maximum(ScalarType type, Value* a, Value* b);
  Value* integer_power(const Instruction& i);
  /// Operand `n` of a Print as C's printf takes it: bools become "True" or "False".
  Value* print_argument(const Instruction& i, std::size_t n);
  /// An expression over the launch, as an i64.
  Value* evaluate(const LaunchExpression& expression);
  Value* launch_leaf(const LaunchExpression::Term& term);
  Value* launch_operation(LaunchExpression::Op op, Value* a, Value* b);
  static constexpr std::int64_t kAfterAllSized = -1;
  Value* dynamic_offset(std::int64_t index);

  Value* constant_i64(std::int64_t value) { return builder_.getInt64(static_cast<std::uint64_t>(value)); }
  /// The value as an integer of its own width.
  Value* bits_of(Value* value) {
    return builder_.CreateBitCast(value, builder_.getIntNTy(value->getType()->getScalarSizeInBits()));
  }
  /// The integer that is as wide as the type in memory.
  llvm::IntegerType* bits_type(ScalarType type) {
    return builder_.getIntNTy(static_cast<unsigned>(size_in_bits(type)));
  }
  llvm::Type* type_of(ScalarType type) const { return value_type(state_.context, type, state_.types); }
  llvm::Type* type_of(ir::Type type) const { return value_type(state_.context, type, state_.types); }

  ModuleState& state_;
  const ir::Function& source_;
  llvm::Function& function_;
  llvm::IRBuilder<> builder_;
  std::vector<Value*> parameters_;

 private:
  struct Region {
    llvm::BasicBlock* exit;
    llvm::BasicBlock* continuing;  // null for a Scope
  };
  Value* emit_constant(const Instruction& i);

  std::unordered_map<const Instruction*, Value*> values_;
  std::unordered_map<const Instruction*, Value*> fixed_;
  std::unordered_map<const ir::Local*, llvm::AllocaInst*> locals_;
  std::unordered_map<std::int64_t, llvm::AllocaInst*> local_arrays_;
  std::unordered_map<const Instruction*, Region> regions_;
};

template <typename Body>
llvm::Instruction* Emitter::counted_loop(Value* count, const llvm::Twine& name, Body body) {
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* header = new_block(name);
  llvm::BasicBlock* loop_body = new_block(name + ".body");
  llvm::BasicBlock* exit = new_block(name + ".end");
  builder_.CreateBr(header);
  builder_.SetInsertPoint(header);
  llvm::PHINode* index = builder_.CreatePHI(count->getType(), 2, name + ".index");
  index->addIncoming(llvm::ConstantInt::get(count->getType(), 0), before);
  builder_.CreateCondBr(builder_.CreateICmpSLT(index, count), loop_body, exit);
  builder_.SetInsertPoint(loop_body);
  body(index);
  Value* next = builder_.CreateAdd(index, llvm::ConstantInt::get(count->getType(), 1), "", true, true);
  index->addIncoming(next, builder_.GetInsertBlock());
  llvm::Instruction* latch = builder_.CreateBr(header);
  builder_.SetInsertPoint(exit);
  return latch;
}

template <typename Body>
void Emitter::emit_when(Value* condition, Body body) {
  llvm::BasicBlock* then = new_block("when");
  llvm::BasicBlock* after = new_block("after");
  builder_.CreateCondBr(condition, then, after);
  builder_.SetInsertPoint(then);
  body();
  branch_to(after);
  builder_.SetInsertPoint(after);
}

}  // namespace pykc::codegen
