// How a GPU does what the targets differ in: a line each, by the functions of its subjects.
#include "codegen/nvptx/emitter.h"

#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Support/ErrorHandling.h>

#include "codegen/emit/builtin.h"
#include "codegen/emit/cast.h"
#include "codegen/emit/control.h"
#include "codegen/emit/float8.h"
#include "codegen/emit/memory.h"
#include "codegen/nvptx/builtins.h"
#include "codegen/nvptx/device_function.h"
#include "codegen/nvptx/fast_math.h"
#include "codegen/nvptx/float8.h"
#include "codegen/nvptx/memory.h"
#include "codegen/nvptx/place.h"
#include "codegen/nvptx/report.h"

namespace pykc::codegen {
namespace {

class NvptxLowering final : public TargetLowering {
 public:
  explicit NvptxLowering(NvptxEmitter& emitter) : emitter_(emitter) {}

  Value* thread_index(int axis) override { return codegen::thread_index(emitter_, axis); }
  Value* block_index(int axis) override { return codegen::block_index(emitter_, axis); }
  Value* block_extent(int axis) override { return codegen::block_extent(emitter_, axis); }
  Value* grid_extent(int axis) override { return codegen::grid_extent(emitter_, axis); }

  Value* local_array(std::int64_t index) override { return stack_array(emitter_, index); }
  Value* emit_shared_array(const Instruction& i) override { return codegen::emit_shared_array(emitter_, i); }
  Value* emit_launch_shared_bytes() override { return codegen::emit_launch_shared_bytes(emitter_); }
  Value* emit_cluster_pointer(const Instruction& i) override { return codegen::emit_cluster_pointer(emitter_, i); }

  void emit_return(const Instruction& i) override { create_return(emitter_.builder, emitter_.operands(i)); }
  void add_hidden_arguments(const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) override {
    codegen::add_hidden_arguments(emitter_, callee, arguments);
  }
  Value* finish_call(const Instruction& i, llvm::CallInst* call) override {
    return codegen::finish_call(emitter_, i, call);
  }
  Value* emit_split(const Instruction&) override { llvm_unreachable("only in split functions of the CPU"); }

  Value* emit_target_builtin(const Instruction& i) override { return codegen::emit_target_builtin(emitter_, i); }
  Value* emit_rounded(const Instruction& i, const Lowering&) override { no_code_for(i.builtin); }
  Value* emit_math(const Instruction& i, std::string_view name) override {
    return codegen::emit_math(emitter_, i, name);
  }
  Value* emit_inline_ptx(const Instruction& i) override { return codegen::emit_inline_ptx(emitter_, i); }

  // f16 arithmetic is older than the oldest target; bf16's fma came with sm_80, add and multiply with sm_90.
  bool needs_wide_arithmetic(ScalarType type) override {
    return type == ScalarType::BF16 && sm_number(emitter_.state.target) < 90;
  }
  bool has_small_fma(ScalarType type) override {
    return type == ScalarType::F16 || sm_number(emitter_.state.target) >= 80;
  }
  Value* extreme(llvm::Intrinsic::ID id, Value* a, Value* b) override {
    return emitter_.builder.CreateBinaryIntrinsic(id, a, b);
  }
  Value* widen_float(Value* value) override { return extend_float(emitter_.builder, value); }
  Value* narrow_float(Value* wide, ScalarType to) override {
    return emitter_.builder.CreateFPTrunc(wide, emitter_.type_of(to));
  }
  Value* widen_float8(Value* bits, ScalarType type) override {
    if (sm_number(emitter_.state.target) < 89) return codegen::widen_float8(emitter_.builder, bits, type);
    return convert_from_float8(emitter_.builder, bits, type);
  }
  Value* narrow_float8(Value* wide, ScalarType to) override {
    if (sm_number(emitter_.state.target) < 89) return codegen::narrow_float8(emitter_.builder, wide, to);
    return convert_to_float8(emitter_.builder, wide, to);
  }

  bool is_private(ir::AddressSpace space) override { return space == ir::AddressSpace::Local; }
  llvm::SyncScope::ID sync_scope(ir::MemoryScope scope) override { return codegen::sync_scope(emitter_, scope); }
  // LLVM's atomicrmw becomes an `atom` without either: relaxed, of the whole GPU.
  bool keeps_scope(ir::MemoryScope scope) override { return scope != ir::MemoryScope::System; }
  bool keeps_order() override { return false; }
  int narrowest_exchange() override { return 32; }
  // LLVM makes loops of the others.
  bool has_atomic(llvm::AtomicRMWInst::BinOp operation, ScalarType type) override {
    using Native = llvm::AtomicRMWInst;
    if (operation == Native::And || operation == Native::Or || operation == Native::Xor) return true;
    if (operation == Native::UIncWrap || operation == Native::UDecWrap) return size_in_bits(type) == 32;
    return operation == Native::FAdd || size_in_bits(type) >= narrowest_exchange();
  }
  // A loop of compare and swap that threads leave one by one gets a YIELD from ptxas, which lets those that wait behind
  // the loop go on before the others; yet it keeps values in registers of the whole warp (13.0). A loop that all leave
  // together has none, and whoever began it together stays together.
  Value* begin_retries() override {
    return emitter_.builder.CreateIntrinsic(emitter_.builder.getInt32Ty(), llvm::Intrinsic::nvvm_activemask, {});
  }
  Value* any_retries(Value* threads, Value* retries) override {
    return emitter_.builder.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_any_sync, {}, {threads, retries});
  }
  void prepare_atomic(const Instruction& i) override { codegen::prepare_atomic(emitter_, i); }
  Value* emit_hinted_load(const Instruction& i) override { return codegen::emit_hinted_load(emitter_, i); }
  void emit_hinted_store(const Instruction& i) override { codegen::emit_hinted_store(emitter_, i); }
  void emit_prefetch(const Instruction& i) override { codegen::emit_prefetch(emitter_, i); }
  void emit_copy_async(const Instruction& i) override { codegen::emit_copy_async(emitter_, i); }

  Value* fault_record() override { return codegen::fault_record(emitter_); }
  void emit_fault(const Instruction& i) override { codegen::emit_fault(emitter_, i); }
  void emit_print(const Instruction& i) override { codegen::emit_print(emitter_, i); }
  void emit_observe(const Instruction&) override { llvm_unreachable("kernels are observed on the CPU alone"); }

 private:
  NvptxEmitter& emitter_;
};

}  // namespace

NvptxEmitter::NvptxEmitter(ModuleState& state, const ir::Function& source, llvm::Function& function)
    : Emitter(state, source, function) {
  target = std::make_unique<NvptxLowering>(*this);
}

}  // namespace pykc::codegen
