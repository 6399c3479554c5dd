#include "codegen/emit/report.h"

#include <cstddef>
#include <vector>

#include "ir/verify/instruction_rules.h"

namespace pykc::codegen {
namespace {

using llvm::BasicBlock;

constexpr llvm::StringLiteral kReport = "__pykc_report_fault";

/// Each field of the record that a caller passes, in the order of the function's arguments after the record itself.
struct Field {
  std::size_t offset;
  unsigned bits;
};

std::vector<Field> fields() {
  std::vector<Field> list = {{offsetof(abi::FaultRecord, kernel), 32}, {offsetof(abi::FaultRecord, site), 32}};
  const auto add = [&](std::size_t offset, std::size_t count, unsigned bits) {
    for (std::size_t n = 0; n < count; ++n) list.push_back({offset + n * bits / 8, bits});
  };
  add(offsetof(abi::FaultRecord, block), 3, 32);
  add(offsetof(abi::FaultRecord, thread), 3, 32);
  add(offsetof(abi::FaultRecord, values), abi::kFaultValues, 64);
  return list;
}

Value* field_address(Builder& builder, Value* record, std::size_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), record, offset);
}

void store_for_host(Builder& builder, Value* address) {
  builder.CreateFence(llvm::AtomicOrdering::Release);  // of the whole system: the host reads what is stored before
  builder.CreateAlignedStore(builder.getInt32(1), address, llvm::Align(4))
      ->setAtomic(llvm::AtomicOrdering::Monotonic, llvm::SyncScope::System);
}

/// Sets the word whose address the record holds, if it holds one.
void signal_host(Builder& builder, Value* record, BasicBlock* done) {
  BasicBlock* signal = BasicBlock::Create(builder.getContext(), "signal", done->getParent(), done);
  Value* address = builder.CreateAlignedLoad(
      builder.getInt64Ty(), field_address(builder, record, offsetof(abi::FaultRecord, signal)), llvm::Align(8));
  builder.CreateCondBr(builder.CreateIsNotNull(address), signal, done);
  builder.SetInsertPoint(signal);
  store_for_host(builder, builder.CreateIntToPtr(address, builder.getPtrTy()));
}

llvm::Function* report_function(llvm::Module& module, const FaultReport& report) {
  if (llvm::Function* known = module.getFunction(kReport)) return known;
  llvm::LLVMContext& context = module.getContext();
  const std::vector<Field> filled = fields();
  llvm::SmallVector<llvm::Type*> types = {report.record->getType()};
  for (const Field& field : filled) types.push_back(llvm::Type::getIntNTy(context, field.bits));
  llvm::Function* function =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
                             llvm::GlobalValue::InternalLinkage, kReport, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  function->setDoesNotThrow();

  Builder builder(llvm::BasicBlock::Create(context, "entry", function));
  BasicBlock* first = BasicBlock::Create(context, "first", function);
  BasicBlock* done = BasicBlock::Create(context, "done", function);
  Value* record = function->getArg(0);
  const auto claim = [&](std::int32_t from, std::int32_t to, BasicBlock* otherwise) {
    Value* swapped = builder.CreateAtomicCmpXchg(
        field_address(builder, record, offsetof(abi::FaultRecord, claimed)),
        builder.getInt32(static_cast<std::uint32_t>(from)), builder.getInt32(static_cast<std::uint32_t>(to)),
        llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic, report.scope);
    builder.CreateCondBr(builder.CreateExtractValue(swapped, 1), first, otherwise);
  };
  BasicBlock* told = report.host_stops ? BasicBlock::Create(context, "told", function, done) : done;
  claim(0, 1, told);
  if (report.host_stops) {
    builder.SetInsertPoint(told);
    claim(abi::kStopAsked, abi::kStopSeen, done);
  }
  builder.SetInsertPoint(first);
  for (unsigned n = 0; n < filled.size(); ++n)
    builder.CreateStore(function->getArg(n + 1), field_address(builder, record, filled[n].offset));
  store_for_host(builder, field_address(builder, record, offsetof(abi::FaultRecord, ready)));
  if (report.signals) signal_host(builder, record, done);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
  return function;
}

}  // namespace

void emit_fault_report(Builder& builder, const FaultReport& report) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::SmallVector<Value*> arguments = {report.record, report.kernel, report.site};
  for (Value* index : report.block) arguments.push_back(builder.CreateTrunc(index, builder.getInt32Ty()));
  for (Value* index : report.thread) arguments.push_back(builder.CreateTrunc(index, builder.getInt32Ty()));
  for (Value* value : report.values) arguments.push_back(value != nullptr ? value : builder.getInt64(0));
  builder.CreateCall(report_function(module, report), arguments);
}

Value* any_fault(Emitter& emitter) {
  Builder& builder = emitter.builder;
  Value* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), emitter.target->fault_record(),
                                                      offsetof(abi::FaultRecord, claimed));
  llvm::LoadInst* claimed = builder.CreateAlignedLoad(builder.getInt32Ty(), address, llvm::Align(4));
  claimed->setAtomic(llvm::AtomicOrdering::Monotonic, emitter.target->sync_scope(ir::MemoryScope::Device));
  return builder.CreateIsNotNull(claimed);
}

Value* print_argument(Emitter& emitter, const Instruction& i, std::size_t n) {
  if (!i.operands[n]->type.is(ScalarType::Bool)) return emitter.operand(i, n);
  const std::string& format = emitter.source.print_formats[static_cast<std::size_t>(i.index)].text;
  const bool is_point = ir::conversions_of(format)[n] == "%-s";
  return emitter.builder.CreateSelect(emitter.operand(i, n), emitter.state.text(is_point ? ".0" : "True"),
                                      emitter.state.text(is_point ? "" : "False"));
}

}  // namespace pykc::codegen
