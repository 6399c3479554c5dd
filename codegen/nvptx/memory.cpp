#include "codegen/nvptx/memory.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "base/text.h"
#include "codegen/emit/launch.h"
#include "codegen/emit/memory.h"
#include "codegen/kernel_info.h"
#include "codegen/machine.h"
#include "ir/text/form.h"

namespace pykc::codegen {
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
llvm::Type* carrier_of(Builder& builder, ScalarType type) {
  return builder.getIntNTy(static_cast<unsigned>(std::max(16, size_in_bits(type))));
}

std::string hinted(std::string_view operation, const ir::Instruction& i, ScalarType type) {
  return std::string(operation) + ".global." + std::string(ir::kHintWords[static_cast<std::size_t>(i.hint)]) + ".b" +
         std::to_string(size_in_bits(type));
}

llvm::CallInst* call_ptx(Builder& builder, const std::string& text, const std::string& constraints, llvm::Type* result,
                         llvm::ArrayRef<Value*> operands) {
  llvm::SmallVector<llvm::Type*> types;
  for (Value* operand : operands) types.push_back(operand->getType());
  llvm::FunctionType* type = llvm::FunctionType::get(result, types, false);
  return builder.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, true), operands);
}

/// A value as a register of PTX takes it: f16 and bf16 are their bits.
Value* to_register(NvptxEmitter& emitter, Value* value) {
  const bool is_small_float = value->getType()->isHalfTy() || value->getType()->isBFloatTy();
  return is_small_float ? emitter.bits_of(value) : value;
}

llvm::GlobalVariable* shared_global(NvptxEmitter& emitter, std::int64_t index) {
  const ir::ArrayStorage& array = emitter.source.shared_arrays[static_cast<std::size_t>(index)];
  const std::string name = emitter.source.symbol + "." + array.name + "." + std::to_string(index);
  if (llvm::GlobalVariable* known = emitter.state.module.getNamedGlobal(name)) return known;
  llvm::Type* type = llvm::ArrayType::get(memory_type(emitter.state.context, array.element, emitter.state.types),
                                          static_cast<std::uint64_t>(array.count));
  auto* global = new llvm::GlobalVariable(emitter.state.module, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::UndefValue::get(type), name, nullptr, llvm::GlobalValue::NotThreadLocal,
                                          emitter.state.types.shared);
  global->setAlignment(llvm::Align(static_cast<std::uint64_t>(array.alignment)));
  return global;
}

/// On the largest boundary that any array in it asks for.
llvm::GlobalVariable* dynamic_shared_base(NvptxEmitter& emitter) {
  llvm::GlobalVariable* global = emitter.state.module.getNamedGlobal(kDynamicSharedSymbol);
  if (global == nullptr) {
    llvm::Type* type = llvm::ArrayType::get(emitter.builder.getInt8Ty(), 0);
    global = new llvm::GlobalVariable(emitter.state.module, type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                      kDynamicSharedSymbol, nullptr, llvm::GlobalValue::NotThreadLocal,
                                      emitter.state.types.shared);
    global->setAlignment(llvm::Align(16));
  }
  for (const ir::ArrayStorage& array : emitter.source.shared_arrays)
    if (array.is_dynamic)
      global->setAlignment(std::max(*global->getAlign(), llvm::Align(static_cast<std::uint64_t>(array.alignment))));
  return global;
}

/// The text with LLVM's numbers: `$` introduces them, and `%` is nothing special. Tied operands have numbers between
/// the results and the others.
std::string llvm_text_of(const ir::ForeignCode& ptx) {
  const std::string& source = ptx.text;
  std::string text;
  for (std::size_t n = 0; n < source.size(); ++n) {
    if (source[n] == '$') {
      text += "$$";
    } else if (source[n] != '%') {
      text += source[n];
    } else if (source[n + 1] == '%') {
      text += source[++n];
    } else {
      const std::size_t end = std::min(source.find_first_not_of("0123456789", n + 1), source.size());
      const std::size_t number = std::stoul(source.substr(n + 1, end - n - 1));
      const bool is_behind_tied = ptx.is_tied && number >= ptx.results.size();
      text += "${" + std::to_string(is_behind_tied ? number + ptx.results.size() : number) + "}";
      n = end - 1;
    }
  }
  return text;
}

}  // namespace

Value* emit_shared_array(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  if (!emitter.source.shared_arrays[static_cast<std::size_t>(i.index)].is_dynamic)
    return shared_global(emitter, i.index);
  return builder.CreateInBoundsGEP(builder.getInt8Ty(), dynamic_shared_base(emitter), dynamic_offset(emitter, i.index));
}

Value* emit_launch_shared_bytes(NvptxEmitter& emitter) {
  Builder& builder = emitter.builder;
  Value* all = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, {});
  return builder.CreateSub(builder.CreateZExt(all, builder.getInt64Ty()), dynamic_offset(emitter, kAfterAllSized));
}

Value* emit_cluster_pointer(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  Value* rank = builder.CreateTrunc(emitter.operand(i, 1), builder.getInt32Ty());
  return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_mapa_shared_cluster, {emitter.operand(i, 0), rank});
}

llvm::SyncScope::ID sync_scope(NvptxEmitter& emitter, ir::MemoryScope scope) {
  if (scope == ir::MemoryScope::System) return llvm::SyncScope::System;
  return emitter.state.context.getOrInsertSyncScopeID(scope == ir::MemoryScope::Block ? "block" : "device");
}

/// No chip adds floats in shared memory, or changes 64 bits there other than by exchange: ptxas makes a loop of it.
/// Where that is the first thing in a loop that all threads run equally often, ptxas 13.0 takes the two for one loop,
/// and threads that have succeeded count its rounds for those that have not. So something that stays comes first: a
/// read.
void prepare_atomic(NvptxEmitter& emitter, const Instruction& i) {
  const ir::Type pointer = i.operands[0]->type;
  const bool is_emulated = is_float(pointer.scalar) || size_in_bytes(pointer.scalar) == 8;
  const bool is_shared = pointer.space == ir::AddressSpace::Shared || pointer.space == ir::AddressSpace::Cluster;
  if (!is_shared || i.atomic == ir::AtomicOp::Exchange || !is_emulated) return;
  emitter.builder.CreateLoad(emitter.bits_type(pointer.scalar), emitter.operand(i, 0), true);
}

/// Hints are for global memory; shared memory has no cache. The fields of a packed record are read byte by byte.
bool takes_hints(const Instruction& address) {
  return address.type.space == ir::AddressSpace::Global && !ir::is_packed_address(address);
}

Value* emit_hinted_load(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const ScalarType type = i.operands[0]->type.scalar;
  if (!takes_hints(*i.operands[0])) return load_element(emitter, *i.operands[0]);
  llvm::Type* carrier = carrier_of(builder, type);
  llvm::CallInst* load = call_ptx(builder, hinted("ld", i, type) + " $0, [$1];", "=" + register_of(carrier) + ",l",
                                  carrier, emitter.operand(i, 0));
  if (i.hint != ir::CacheHint::Volatile) load->setOnlyReadsMemory();
  if (type == ScalarType::Bool) return builder.CreateIsNotNull(builder.CreateTrunc(load, builder.getInt8Ty()));
  Value* bits = builder.CreateTrunc(load, emitter.bits_type(type));
  return builder.CreateBitCast(bits, emitter.type_of(type));
}

void emit_hinted_store(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const ScalarType type = i.operands[0]->type.scalar;
  if (!takes_hints(*i.operands[0])) return store_element(emitter, emitter.operand(i, 1), *i.operands[0]);
  llvm::Type* carrier = carrier_of(builder, type);
  Value* value = builder.CreateZExt(emitter.bits_of(emitter.operand(i, 1)), carrier);
  call_ptx(builder, hinted("st", i, type) + " [$0], $1;", "l," + register_of(carrier) + ",~{memory}",
           builder.getVoidTy(), {emitter.operand(i, 0), value});
}

void emit_prefetch(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  if (i.operands[0]->type.space != ir::AddressSpace::Global) return;
  call_ptx(builder, "prefetch.global.L" + std::to_string(i.index) + " [$0];", "l", builder.getVoidTy(),
           emitter.operand(i, 0));
}

/// Chips before sm_80 copy by way of registers.
void emit_copy_async(NvptxEmitter& emitter, const Instruction& i) {
  if (sm_number(emitter.state.target) < 80) return copy_elements(emitter, i);
  const llvm::Intrinsic::ID copy = i.index == 4   ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4
                                   : i.index == 8 ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8
                                                  : llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16;
  emitter.builder.CreateIntrinsic(copy, {emitter.operand(i, 0), emitter.operand(i, 1)});
}

Value* emit_inline_ptx(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const ir::ForeignCode& ptx = emitter.source.foreign_codes[static_cast<std::size_t>(i.index)];
  std::vector<std::string> constraints;
  llvm::SmallVector<llvm::Type*> results;
  for (const ScalarType type : ptx.results) {
    results.push_back(to_register(emitter, llvm::PoisonValue::get(emitter.type_of(type)))->getType());
    constraints.push_back("=" + register_of(results.back()));
  }
  llvm::Type* result = results.empty()       ? builder.getVoidTy()
                       : results.size() == 1 ? results[0]
                                             : llvm::StructType::get(emitter.state.context, results);
  llvm::SmallVector<Value*> operands;
  for (std::size_t n = 0; n < i.operands.size(); ++n) {
    operands.push_back(to_register(emitter, emitter.operand(i, n)));
    const bool is_tied = ptx.is_tied && n < ptx.results.size();
    constraints.push_back(is_tied ? std::to_string(n) : register_of(operands.back()->getType()));
  }
  constraints.push_back("~{memory}");
  llvm::CallInst* call = call_ptx(builder, llvm_text_of(ptx), list_text(constraints, {}, ","), result, operands);
  call->setConvergent();
  return call;
}

}  // namespace pykc::codegen
