#include "codegen/emit/memory.h"

namespace pykc::codegen {
namespace {

Value* load_at(Emitter& emitter, Value* address, ir::Type pointer, llvm::Align alignment) {
  Builder& builder = emitter.builder;
  const ScalarType element = pointer.scalar;
  llvm::LoadInst* load =
      builder.CreateAlignedLoad(memory_type(emitter.state.context, element, emitter.state.types), address, alignment);
  emitter.target->annotate(load, pointer.space);
  if (pointer.space == ir::AddressSpace::Parameter)  // nobody writes what was passed by value
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(emitter.state.context, {}));
  return element == ScalarType::Bool ? builder.CreateIsNotNull(load) : load;
}

void store_at(Emitter& emitter, Value* value, Value* address, ir::Type pointer, llvm::Align alignment) {
  Builder& builder = emitter.builder;
  const ScalarType element = pointer.scalar;
  if (element == ScalarType::Bool) value = builder.CreateZExt(value, builder.getInt8Ty());
  emitter.target->annotate(builder.CreateAlignedStore(value, address, alignment), pointer.space);
}

}  // namespace

llvm::Align alignment_at(const Instruction& address) {
  return ir::is_packed_address(address) ? llvm::Align(1) : alignment_of(address.type.scalar);
}

Value* load_element(Emitter& emitter, const Instruction& address) {
  return load_at(emitter, emitter.value(&address), address.type, alignment_at(address));
}

void store_element(Emitter& emitter, Value* value, const Instruction& address) {
  store_at(emitter, value, emitter.value(&address), address.type, alignment_at(address));
}

Value* emit_element(Emitter& emitter, const Instruction& i) {
  return emitter.builder.CreateInBoundsGEP(memory_type(emitter.state.context, i.type.scalar, emitter.state.types),
                                           emitter.operand(i, 0), emitter.operand(i, 1));
}

Value* emit_is_aligned(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  Value* address = builder.CreatePtrToInt(emitter.operand(i, 0), builder.getInt64Ty());
  return builder.CreateIsNull(builder.CreateAnd(address, static_cast<std::uint64_t>(i.index - 1)));
}

void copy_elements(Emitter& emitter, const Instruction& i) {
  const ir::Type to = i.operands[0]->type, from = i.operands[1]->type;
  llvm::Type* type = memory_type(emitter.state.context, to.scalar, emitter.state.types);
  for (std::int64_t n = 0; n < i.index / size_in_bytes(to.scalar); ++n) {
    const auto element = [&](std::size_t side) {
      return emitter.builder.CreateInBoundsGEP(type, emitter.operand(i, side), emitter.constant_i64(n));
    };
    store_at(emitter, load_at(emitter, element(1), from, alignment_at(*i.operands[1])), element(0), to,
             alignment_at(*i.operands[0]));
  }
}

llvm::AllocaInst* storage_of(Emitter& emitter, const ir::Local* local) {
  llvm::AllocaInst*& storage = emitter.locals[local];
  if (storage != nullptr) return storage;
  storage = emitter.create_alloca(emitter.type_of(local->type), 0, local->name);
  // A variable that no path has set reads as 0. Where it is always set before it is read, LLVM drops this store.
  Builder after(storage->getParent(), std::next(storage->getIterator()));
  after.CreateStore(llvm::Constant::getNullValue(storage->getAllocatedType()), storage);
  return storage;
}

Value* stack_array(Emitter& emitter, std::int64_t index) {
  llvm::AllocaInst*& storage = emitter.local_arrays[index];
  if (storage != nullptr) return storage;
  const ir::ArrayStorage& array = emitter.source.local_arrays[static_cast<std::size_t>(index)];
  llvm::Type* type = llvm::ArrayType::get(memory_type(emitter.state.context, array.element, emitter.state.types),
                                          static_cast<std::uint64_t>(array.count));
  return storage = emitter.create_alloca(type, static_cast<unsigned>(array.alignment), array.name);
}

}  // namespace pykc::codegen
