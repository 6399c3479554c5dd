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

namespace {

/// The block's number: a device function knows only its index.
Value* number_of_block(CpuEmitter& emitter) {
  if (emitter.block_number != nullptr) return emitter.block_number;
  Builder& builder = emitter.builder;
  Value* row = builder.CreateMul(emitter.block_index[2], emitter.grid_extents[1]);
  row = builder.CreateAdd(row, emitter.block_index[1]);
  return builder.CreateAdd(builder.CreateMul(row, emitter.grid_extents[0]), emitter.block_index[0]);
}

}  // namespace

void emit_observe(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  llvm::Type* i64 = builder.getInt64Ty();
  llvm::Type* pointer = llvm::PointerType::get(emitter.state.context, 0);
  Value* address = llvm::Constant::getNullValue(pointer);
  Value* value = emitter.constant_i64(0);
  for (std::size_t n = 0; n < i.operands.size(); ++n)
    (i.operands[n]->type.is_pointer() ? address : value) = emitter.operand(i, n);
  // Of two numbers the first goes where an address would.
  if (i.operands.size() == 2 && !i.operands[0]->type.is_pointer())
    address = builder.CreateIntToPtr(emitter.operand(i, 0), pointer);
  llvm::FunctionType* type = llvm::FunctionType::get(builder.getVoidTy(), {i64, i64, i64, pointer, i64}, false);
  builder.CreateCall(emitter.state.module.getOrInsertFunction(abi::kObserveSymbol, type),
                     {number_of_block(emitter), emitter.thread_number, emitter.constant_i64(i.index), address, value});
}

void emit_observe_meeting(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  llvm::Type* i64 = builder.getInt64Ty();
  llvm::FunctionType* type = llvm::FunctionType::get(builder.getVoidTy(), {i64, i64}, false);
  builder.CreateCall(emitter.state.module.getOrInsertFunction(abi::kObserveMeetingSymbol, type),
                     {number_of_block(emitter), emitter.constant_i64(i.index)});
}

}  // namespace pykc::codegen
