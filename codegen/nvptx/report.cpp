// What a GPU thread tells the host: faults, through a record in global memory, and lines of text, through vprintf.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <cstddef>

#include "codegen/emit/fault_record.h"
#include "codegen/nvptx/emitter.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {
NvptxEmitter::Value* NvptxEmitter::fault_record() {
  if (llvm::GlobalVariable* known = state_.module.getNamedGlobal(abi::kFaultSymbol)) return known;
  llvm::Type* type = llvm::ArrayType::get(builder_.getInt8Ty(), sizeof(abi::FaultRecord));
  auto* record = new llvm::GlobalVariable(state_.module, type, false, llvm::GlobalValue::ExternalLinkage,
                                          llvm::Constant::getNullValue(type), abi::kFaultSymbol, nullptr,
                                          llvm::GlobalValue::NotThreadLocal, state_.types.global);
  record->setAlignment(llvm::Align(alignof(abi::FaultRecord)));
  return record;
}

void NvptxEmitter::emit_fault(const Instruction& i) {
  FaultReport report{.record = fault_record(), .scope = sync_scope(ir::MemoryScope::Device)};
  report.kernel = kernel_number();
  report.site = builder_.getInt32(static_cast<std::uint32_t>(i.index));
  for (int axis = 0; axis < 3; ++axis) {
    report.block[axis] = block_index(axis);
    report.thread[axis] = thread_index(axis);
  }
  for (std::size_t n = 0; n < i.operands.size(); ++n) report.values[n] = operand(i, n);
  emit_fault_report(builder_, report);
  builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_exit, {});
  builder_.CreateUnreachable();
}

/// vprintf takes its arguments in memory, as a C caller would have pushed them; all of ours have 8 bytes.
void NvptxEmitter::emit_print(const Instruction& i) {
  llvm::Type* pointer = llvm::PointerType::get(state_.context, 0);
  const std::uint64_t count = i.operands.size();
  Value* buffer = llvm::ConstantPointerNull::get(llvm::PointerType::get(state_.context, 0));
  if (count > 0) {
    llvm::Type* type = llvm::ArrayType::get(builder_.getInt64Ty(), count);
    buffer = create_alloca(type, 8, "print");
    for (std::uint64_t n = 0; n < count; ++n)
      builder_.CreateAlignedStore(print_argument(i, n), builder_.CreateConstInBoundsGEP2_64(type, buffer, 0, n),
                                  llvm::Align(8));
  }
  const llvm::FunctionCallee vprintf =
      state_.module.getOrInsertFunction("vprintf", builder_.getInt32Ty(), pointer, pointer);
  builder_.CreateCall(vprintf, {state_.text(source_.print_formats[static_cast<std::size_t>(i.index)].text), buffer});
}

}  // namespace pykc::codegen
