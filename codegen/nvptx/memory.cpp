// Memory as only a GPU has it: scopes of atomics, advice to the caches, copies that go on while the thread does, and
// PTX from the source itself.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "base/text.h"
#include "codegen/machine.h"
#include "codegen/nvptx/emitter.h"
#include "ir/text/form.h"

namespace pykc::codegen {

llvm::SyncScope::ID NvptxEmitter::sync_scope(ir::MemoryScope scope) const {
  if (scope == ir::MemoryScope::System) return llvm::SyncScope::System;
  return state_.context.getOrInsertSyncScopeID(scope == ir::MemoryScope::Block ? "block" : "device");
}

llvm::CallInst* NvptxEmitter::call_ptx(const std::string& text, const std::string& constraints, llvm::Type* result,
                                       llvm::ArrayRef<Value*> operands) {
  llvm::SmallVector<llvm::Type*> types;
  for (Value* operand : operands) types.push_back(operand->getType());
  llvm::FunctionType* type = llvm::FunctionType::get(result, types, false);
  return builder_.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, true), operands);
}

namespace {

/// The letter by which LLVM knows the registers of a type.
std::string register_of(llvm::Type* type) {
  if (type->isPointerTy() || type->isIntegerTy(64)) return "l";
  if (type->isFloatTy()) return "f";
  if (type->isDoubleTy()) return "d";
  if (type->isIntegerTy(1)) return "b";
  return type->isIntegerTy(32) ? "r" : "h";
}

/// The integer type that carries a loaded or stored value: no register is smaller than 16 bits.
llvm::Type* carrier_of(llvm::IRBuilder<>& builder, ScalarType type) {
  return builder.getIntNTy(static_cast<unsigned>(std::max(16, size_in_bits(type))));
}

std::string hinted(std::string_view operation, const ir::Instruction& i, ScalarType type) {
  return std::string(operation) + ".global." + std::string(ir::kHintWords[static_cast<std::size_t>(i.hint)]) + ".b" +
         std::to_string(size_in_bits(type));
}

}  // namespace

/// Hints are for global memory; shared memory has no cache.
NvptxEmitter::Value* NvptxEmitter::emit_hinted_load(const Instruction& i) {
  const ir::Type pointer = i.operands[0]->type;
  const ScalarType type = pointer.scalar;
  if (pointer.space != ir::AddressSpace::Global) return load_element(operand(i, 0), pointer);
  llvm::Type* carrier = carrier_of(builder_, type);
  llvm::CallInst* load =
      call_ptx(hinted("ld", i, type) + " $0, [$1];", "=" + register_of(carrier) + ",l", carrier, operand(i, 0));
  if (i.hint != ir::CacheHint::Volatile) load->setOnlyReadsMemory();
  if (type == ScalarType::Bool) return builder_.CreateIsNotNull(builder_.CreateTrunc(load, builder_.getInt8Ty()));
  Value* bits = builder_.CreateTrunc(load, bits_type(type));
  return builder_.CreateBitCast(bits, type_of(type));
}

void NvptxEmitter::emit_hinted_store(const Instruction& i) {
  const ir::Type pointer = i.operands[0]->type;
  const ScalarType type = pointer.scalar;
  if (pointer.space != ir::AddressSpace::Global) return store_element(operand(i, 1), operand(i, 0), pointer);
  llvm::Type* carrier = carrier_of(builder_, type);
  Value* value = builder_.CreateZExt(bits_of(operand(i, 1)), carrier);
  call_ptx(hinted("st", i, type) + " [$0], $1;", "l," + register_of(carrier) + ",~{memory}", builder_.getVoidTy(),
           {operand(i, 0), value});
}

void NvptxEmitter::emit_prefetch(const Instruction& i) {
  if (i.operands[0]->type.space != ir::AddressSpace::Global) return;
  call_ptx("prefetch.global.L" + std::to_string(i.index) + " [$0];", "l", builder_.getVoidTy(), operand(i, 0));
}

/// Chips before sm_80 copy by way of registers.
void NvptxEmitter::emit_copy_async(const Instruction& i) {
  if (sm_number(state_.target) < 80) return copy_elements(i);
  const llvm::Intrinsic::ID copy = i.index == 4   ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4
                                   : i.index == 8 ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8
                                                  : llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16;
  builder_.CreateIntrinsic(copy, {operand(i, 0), operand(i, 1)});
}

/// A value as a register of PTX takes it: f16 and bf16 are their bits.
NvptxEmitter::Value* NvptxEmitter::to_register(Value* value) {
  const bool is_small_float = value->getType()->isHalfTy() || value->getType()->isBFloatTy();
  return is_small_float ? bits_of(value) : value;
}

/// In LLVM's text `$` introduces operands and `%` is nothing special.
NvptxEmitter::Value* NvptxEmitter::emit_inline_ptx(const Instruction& i) {
  std::string text;
  const ir::ForeignCode& ptx = source_.foreign_codes[static_cast<std::size_t>(i.index)];
  const std::string& source = ptx.text;
  for (std::size_t n = 0; n < source.size(); ++n) {
    if (source[n] == '$') {
      text += "$$";
    } else if (source[n] != '%') {
      text += source[n];
    } else if (source[n + 1] == '%') {
      text += source[++n];
    } else {
      const std::size_t end = source.find_first_not_of("0123456789", n + 1);
      text += "${" + source.substr(n + 1, end - n - 1) + "}";
      n = std::min(end, source.size()) - 1;
    }
  }
  std::vector<std::string> constraints;
  llvm::SmallVector<llvm::Type*> results;
  for (const ScalarType type : ptx.results) {
    results.push_back(to_register(llvm::PoisonValue::get(type_of(type)))->getType());
    constraints.push_back("=" + register_of(results.back()));
  }
  llvm::Type* result = results.empty()       ? builder_.getVoidTy()
                       : results.size() == 1 ? results[0]
                                             : llvm::StructType::get(state_.context, results);
  llvm::SmallVector<Value*> operands;
  for (std::size_t n = 0; n < i.operands.size(); ++n) {
    operands.push_back(to_register(operand(i, n)));
    constraints.push_back(register_of(operands.back()->getType()));
  }
  constraints.push_back("~{memory}");
  llvm::CallInst* call = call_ptx(text, list_text(constraints, {}, ","), result, operands);
  call->setConvergent();
  return call;
}

}  // namespace pykc::codegen
