// The NVIDIA half of code generation: a thread of the IR is a thread of the GPU, so most of it is a matter of naming
// the right intrinsic of LLVM.
#pragma once

#include "codegen/emit/emitter.h"
#include "ir/analysis/uniformity.h"

namespace pykc::codegen {

/// Where the dynamic shared memory starts.
inline constexpr std::string_view kDynamicSharedSymbol = "pykc_dynamic_shared";

class NvptxEmitter final : public Emitter {
 public:
  NvptxEmitter(ModuleState& state, const ir::Function& source, llvm::Function& function);
  void emit_function();

  /// Declares a function; bodies are emitted when all are declared.
  static llvm::Function* declare(ModuleState& state, const ir::Function& source);

 private:
  // nvptx/emitter.cpp
  Value* emit_shared_array(const Instruction& i) override;
  Value* emit_launch_shared_bytes() override;
  Value* block_extent(int axis) override;
  Value* grid_extent(int axis) override;
  void emit_return(const Instruction& i) override { create_return(operands(i)); }
  bool needs_wide_arithmetic(ScalarType type) const override;
  bool has_small_fma(ScalarType type) const override;
  Value* narrow_float(Value* wide, ScalarType to) override;
  void annotate(llvm::Instruction*, ir::AddressSpace) const override {}
  void annotate_call(llvm::CallInst*, const ir::Function&) const override {}
  bool is_private(ir::AddressSpace space) const override { return space == ir::AddressSpace::Local; }
  llvm::SyncScope::ID sync_scope(ir::MemoryScope scope) const override;
  // LLVM's atomicrmw becomes an `atom` without either: relaxed, of the whole GPU.
  void prepare_atomic(const Instruction& i) override;
  bool keeps_scope(ir::MemoryScope scope) const override { return scope != ir::MemoryScope::System; }
  bool keeps_order() const override { return false; }
  void add_hidden_arguments(const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) override;
  llvm::GlobalVariable* shared_global(std::int64_t index);
  llvm::GlobalVariable* dynamic_shared_base();
  /// A special register that holds a u32 from `minimum` up to `end - 1`, as an i64.
  Value* special_register(llvm::Intrinsic::ID id, std::int64_t minimum, std::int64_t end);
  /// The most threads that a block may have along an axis.
  std::int64_t extent_limit(int axis) const;
  Value* thread_index(int axis) override;
  Value* block_index(int axis) override;

  // nvptx/builtins.cpp
  Value* emit_target_builtin(const Instruction& i) override;
  Value* emit_rounded(const Instruction& i, const Lowering&) override { no_code_for(i.builtin); }
  Value* emit_barrier(const Instruction& i, llvm::Intrinsic::ID aligned, llvm::Intrinsic::ID any);
  Value* emit_grid_barrier();  // grid_barrier.cpp
  bool arrives_together(const Instruction& i);
  Value* emit_shuffle(const Instruction& i, llvm::Intrinsic::ID id);
  Value* source_lane(const Instruction& i);
  Value* takes_part(Value* lane, Value* mask);
  Value* emit_match(const Instruction& i);
  Value* emit_reduction(const Instruction& i);
  Value* reduce_by_shuffles(const Instruction& i, ir::AtomicOp op);
  Value* emit_instruction(const Instruction& i);
  llvm::SmallVector<Value*, 2> words_of(Value* value);
  Value* from_words(llvm::ArrayRef<Value*> words, llvm::Type* type);

  Value* emit_wait_for_copies(const Instruction& i);

  // nvptx/memory.cpp
  Value* emit_hinted_load(const Instruction& i) override;
  void emit_hinted_store(const Instruction& i) override;
  void emit_prefetch(const Instruction& i) override;
  void emit_copy_async(const Instruction& i) override;
  Value* emit_inline_ptx(const Instruction& i) override;
  llvm::CallInst* call_ptx(const std::string& text, const std::string& constraints, llvm::Type* result,
                           llvm::ArrayRef<Value*> operands);
  Value* to_register(Value* value);

  // nvptx/fast_math.cpp
  Value* emit_math(const Instruction& i, std::string_view name) override;
  Value* approximate(const Instruction& i);

  // nvptx/report.cpp
  void emit_fault(const Instruction& i) override;
  Value* fault_record() override;
  void emit_print(const Instruction& i) override;
  Value* kernel_number();

  std::unique_ptr<ir::Uniformity> uniformity_;  // made when the first barrier asks
};

}  // namespace pykc::codegen
