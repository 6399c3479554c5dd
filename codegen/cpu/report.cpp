#include "codegen/cpu/report.h"

#include "codegen/cpu/device_function.h"
#include "codegen/emit/report.h"

namespace pykc::codegen {

void emit_fault(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  FaultReport report{.record = emitter.fault_record, .host_stops = true};
  report.kernel = emitter.kernel_number;
  report.site = builder.getInt32(static_cast<std::uint32_t>(i.index));
  report.block = emitter.block_index;
  report.thread = emitter.thread_index[0] != nullptr
                      ? emitter.thread_index
                      : Axes{emitter.constant_i64(0), emitter.constant_i64(0), emitter.constant_i64(0)};
  for (std::size_t n = 0; n < i.operands.size(); ++n) report.values[n] = emitter.operand(i, n);
  emit_fault_report(builder, report);
  end_thread(emitter);
}

void emit_print(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  llvm::SmallVector<Value*> arguments = {
      emitter.state.text(emitter.source.print_formats[static_cast<std::size_t>(i.index)].text)};
  for (std::size_t n = 0; n < i.operands.size(); ++n) arguments.push_back(print_argument(emitter, i, n));
  llvm::FunctionType* type =
      llvm::FunctionType::get(builder.getVoidTy(), {llvm::PointerType::get(emitter.state.context, 0)}, true);
  builder.CreateCall(emitter.state.module.getOrInsertFunction(abi::kPrintSymbol, type), arguments);
}

}  // namespace pykc::codegen
