// How the CPU does what the targets differ in: a line each, by the functions of its subjects.
#include "codegen/cpu/emitter.h"

#include <llvm/Support/ErrorHandling.h>

#include "codegen/cpu/annotations.h"
#include "codegen/cpu/builtins.h"
#include "codegen/cpu/device_function.h"
#include "codegen/cpu/directed_rounding.h"
#include "codegen/cpu/report.h"
#include "codegen/cpu/small_floats.h"
#include "codegen/cpu/storage.h"
#include "codegen/cpu/thread_loop.h"
#include "codegen/cpu/warp.h"
#include "codegen/emit/builtin.h"
#include "codegen/emit/float8.h"
#include "codegen/emit/memory.h"

namespace pykc::codegen {
namespace {

class CpuLowering final : public TargetLowering {
 public:
  explicit CpuLowering(CpuEmitter& emitter) : emitter_(emitter) {}

  Value* thread_index(int axis) override { return emitter_.thread_index[static_cast<std::size_t>(axis)]; }
  Value* block_index(int axis) override { return emitter_.block_index[static_cast<std::size_t>(axis)]; }
  Value* block_extent(int axis) override { return emitter_.block_extents[static_cast<std::size_t>(axis)]; }
  Value* grid_extent(int axis) override { return emitter_.grid_extents[static_cast<std::size_t>(axis)]; }

  Value* local_array(std::int64_t index) override { return codegen::local_array(emitter_, index); }
  Value* emit_shared_array(const Instruction& i) override { return codegen::emit_shared_array(emitter_, i); }
  Value* emit_launch_shared_bytes() override { return codegen::emit_launch_shared_bytes(emitter_); }
  Value* emit_cluster_pointer(const Instruction& i) override { return codegen::emit_cluster_pointer(emitter_, i); }

  void emit_return(const Instruction& i) override { codegen::emit_return(emitter_, i); }
  void add_hidden_arguments(const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) override {
    codegen::add_hidden_arguments(emitter_, callee, arguments);
  }
  Value* finish_call(const Instruction& i, llvm::CallInst* call) override {
    return codegen::finish_call(emitter_, i, call);
  }
  void annotate_loop(llvm::Instruction* latch, const Instruction& loop) override {
    codegen::annotate_loop(emitter_, latch, loop);
  }
  Value* emit_split(const Instruction& i) override;

  Value* emit_target_builtin(const Instruction& i) override { return codegen::emit_target_builtin(emitter_, i); }
  Value* emit_rounded(const Instruction& i, const Lowering& lowering) override {
    return codegen::emit_rounded(emitter_, i, lowering);
  }
  Value* emit_math(const Instruction& i, std::string_view name) override {
    return call_math_function(emitter_, i, name);
  }
  Value* emit_inline_ptx(const Instruction&) override { llvm_unreachable("check_target refuses it"); }

  bool needs_wide_arithmetic(ScalarType type) override { return size_in_bytes(type) == 2; }
  bool has_small_fma(ScalarType) override { return false; }
  Value* extreme(llvm::Intrinsic::ID id, Value* a, Value* b) override {
    return codegen::extreme(emitter_.builder, id, a, b);
  }
  Value* widen_float(Value* value) override { return codegen::widen_float(emitter_, value); }
  Value* narrow_float(Value* wide, ScalarType to) override { return codegen::narrow_float(emitter_, wide, to); }
  Value* widen_float8(Value* bits, ScalarType type) override {
    return codegen::widen_float8(emitter_.builder, bits, type);
  }
  Value* narrow_float8(Value* wide, ScalarType to) override {
    return codegen::narrow_float8(emitter_.builder, wide, to);
  }

  void annotate(llvm::Instruction* access, ir::AddressSpace space) override {
    codegen::annotate(emitter_, access, space);
  }
  bool is_private(ir::AddressSpace space) override { return space != ir::AddressSpace::Global; }
  llvm::SyncScope::ID sync_scope(ir::MemoryScope) override { return llvm::SyncScope::System; }
  bool keeps_scope(ir::MemoryScope) override { return true; }
  bool keeps_order() override { return true; }
  int narrowest_exchange() override { return 8; }
  Value* emit_hinted_load(const Instruction& i) override { return load_element(emitter_, *i.operands[0]); }
  void emit_hinted_store(const Instruction& i) override {
    store_element(emitter_, emitter_.operand(i, 1), *i.operands[0]);
  }
  void emit_prefetch(const Instruction& i) override { codegen::emit_prefetch(emitter_, i); }
  void emit_copy_async(const Instruction& i) override { copy_elements(emitter_, i); }

  Value* fault_record() override { return emitter_.fault_record; }
  void emit_fault(const Instruction& i) override { codegen::emit_fault(emitter_, i); }
  void emit_print(const Instruction& i) override { codegen::emit_print(emitter_, i); }
  void emit_observe(const Instruction& i) override { codegen::emit_observe(emitter_, i); }

 private:
  CpuEmitter& emitter_;
};

Value* CpuLowering::emit_split(const Instruction& i) {
  switch (i.opcode) {
    case ir::Opcode::ThreadLoop:
      emit_thread_loop(emitter_, i);
      return nullptr;
    case ir::Opcode::SlotLoad:
      return load_slot(emitter_, i.index, emitter_.thread_number);
    case ir::Opcode::SlotStore:
      store_slot(emitter_, i.index, emitter_.thread_number, emitter_.operand(i, 0));
      return nullptr;
    case ir::Opcode::SlotAny:
      return any_slot(emitter_, i.index);
    case ir::Opcode::SlotMany:
      return many_slot(emitter_, i.index);
    case ir::Opcode::ObserveMeeting:
      emit_observe_meeting(emitter_, i);
      return nullptr;
    default:
      return emit_exchange(emitter_, i);
  }
}

}  // namespace

CpuEmitter::CpuEmitter(ModuleState& state, const ir::Function& source, llvm::Function& function)
    : Emitter(state, source, function), layout(source) {
  target = std::make_unique<CpuLowering>(*this);
}

}  // namespace pykc::codegen
