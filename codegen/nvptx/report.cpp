#include "codegen/nvptx/report.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <cstddef>

#include "codegen/emit/report.h"
#include "codegen/nvptx/device_function.h"
#include "codegen/nvptx/memory.h"
#include "codegen/nvptx/place.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {

Value* fault_record(NvptxEmitter& emitter) {
  if (llvm::GlobalVariable* known = emitter.state.module.getNamedGlobal(abi::kFaultSymbol)) return known;
  llvm::Type* type = llvm::ArrayType::get(emitter.builder.getInt8Ty(), sizeof(abi::FaultRecord));
  auto* record = new llvm::GlobalVariable(emitter.state.module, type, false, llvm::GlobalValue::ExternalLinkage,
                                          llvm::Constant::getNullValue(type), abi::kFaultSymbol, nullptr,
                                          llvm::GlobalValue::NotThreadLocal, emitter.state.types.global);
  record->setAlignment(llvm::Align(alignof(abi::FaultRecord)));
  return record;
}

void emit_fault(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  FaultReport report{.record = fault_record(emitter), .scope = sync_scope(emitter, ir::MemoryScope::Device)};
  report.signals = true;
  report.kernel = kernel_number(emitter);
  report.site = builder.getInt32(static_cast<std::uint32_t>(i.index));
  for (int axis = 0; axis < 3; ++axis) {
    report.block[axis] = block_index(emitter, axis);
    report.thread[axis] = thread_index(emitter, axis);
  }
  for (std::size_t n = 0; n < i.operands.size(); ++n) report.values[n] = emitter.operand(i, n);
  emit_fault_report(builder, report);
  builder.CreateIntrinsic(llvm::Intrinsic::nvvm_exit, {});
  builder.CreateUnreachable();
}

/// vprintf takes its arguments in memory, as a C caller would have pushed them; all of ours have 8 bytes.
void emit_print(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  llvm::Type* pointer = llvm::PointerType::get(emitter.state.context, 0);
  const std::uint64_t count = i.operands.size();
  Value* buffer = llvm::ConstantPointerNull::get(llvm::PointerType::get(emitter.state.context, 0));
  if (count > 0) {
    llvm::Type* type = llvm::ArrayType::get(builder.getInt64Ty(), count);
    buffer = emitter.create_alloca(type, 8, "print");
    for (std::uint64_t n = 0; n < count; ++n)
      builder.CreateAlignedStore(print_argument(emitter, i, n), builder.CreateConstInBoundsGEP2_64(type, buffer, 0, n),
                                 llvm::Align(8));
  }
  const llvm::FunctionCallee vprintf =
      emitter.state.module.getOrInsertFunction("vprintf", builder.getInt32Ty(), pointer, pointer);
  builder.CreateCall(
      vprintf, {emitter.state.text(emitter.source.print_formats[static_cast<std::size_t>(i.index)].text), buffer});
}

}  // namespace pykc::codegen
