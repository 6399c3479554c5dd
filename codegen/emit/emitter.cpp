#include "codegen/emit/emitter.h"

#include <llvm/Support/ErrorHandling.h>

namespace pykc::codegen {

Emitter::Emitter(ModuleState& state, const ir::Function& source, llvm::Function& function)
    : state_(state),
      source_(source),
      function_(function),
      builder_(llvm::BasicBlock::Create(state.context, "entry", &function)) {
  if (!state.options.fast_math && !source.fast_math) return;
  // Not nnan and ninf: a program may still ask whether a value is a NaN.
  llvm::FastMathFlags flags;
  flags.setAllowReassoc();
  flags.setAllowContract();
  flags.setAllowReciprocal();
  flags.setApproxFunc();
  flags.setNoSignedZeros();
  builder_.setFastMathFlags(flags);
}

void Emitter::emit_block(const ir::Block& block) {
  for (const Instruction* i : block.instructions) {
    builder_.SetCurrentDebugLocation(state_.location(*i, source_, function_));
    if (Value* result = emit(*i)) values_[i] = result;
  }
}

Emitter::Value* Emitter::emit(const Instruction& i) {
  if (const auto fixed = fixed_.find(&i); fixed != fixed_.end()) return fixed->second;
  using enum ir::Opcode;
  switch (i.opcode) {
    case Constant:
      return emit_constant(i);
    case Parameter:
      return parameters_[static_cast<std::size_t>(i.index)];
    case LocalArray:
      return local_array(i.index);
    case SharedArray:
      return emit_shared_array(i);
    case ConstantArray:
      return state_.constant_array(i.index);
    case LaunchSharedBytes:
      return emit_launch_shared_bytes();
    case Add:
    case Sub:
    case Mul:
    case Div:
    case FloorDiv:
    case Mod:
    case And:
    case Or:
    case Xor:
    case Shl:
    case Shr:
      return emit_arithmetic(i);
    case Neg:
      return emit_negate(i);
    case Not:
      return builder_.CreateNot(operand(i, 0));
    case Fma:
      return emit_fma(i);
    case Eq:
    case Ne:
    case Lt:
    case Le:
    case Gt:
    case Ge:
      return emit_compare(i);
    case Select:
      return builder_.CreateSelect(operand(i, 0), operand(i, 1), operand(i, 2));
    case Cast:
      return emit_cast(i);
    case Bitcast:
      return builder_.CreateBitCast(operand(i, 0), type_of(i.type));
    case Builtin:
      return emit_builtin(i);
    case LocalLoad:
      return builder_.CreateLoad(type_of(i.type), local(i.local));
    case LocalStore:
      builder_.CreateStore(operand(i, 0), local(i.local));
      return nullptr;
    case ElementPointer:
      return emit_element(i);
    case FieldPointer:
      return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), operand(i, 0),
                                                 static_cast<std::uint64_t>(i.index));
    case Load:
      return load_element(operand(i, 0), i.operands[0]->type);
    case Store:
      store_element(operand(i, 1), operand(i, 0), i.operands[0]->type);
      return nullptr;
    case AtomicRmw:
      return emit_atomic(i);
    case AtomicCas:
      return emit_compare_and_swap(i);
    case AtomicLoad:
      return emit_atomic_load(i);
    case AtomicStore:
      emit_atomic_store(i);
      return nullptr;
    case HintedLoad:
      return emit_hinted_load(i);
    case HintedStore:
      emit_hinted_store(i);
      return nullptr;
    case Prefetch:
      emit_prefetch(i);
      return nullptr;
    case CopyAsync:
      emit_copy_async(i);
      return nullptr;
    case Foreign:
      return source_.foreign_codes[static_cast<std::size_t>(i.index)].is_function ? emit_external_call(i)
                                                                                  : emit_inline_ptx(i);
    case If:
      emit_if(i);
      return nullptr;
    case Loop:
      emit_loop(i);
      return nullptr;
    case Scope:
      emit_scope(i);
      return nullptr;
    case Break:
      branch_to(regions_.at(i.target).exit);
      return nullptr;
    case Continue:
      branch_to(regions_.at(i.target).continuing);
      return nullptr;
    case Return:
      emit_return(i);
      return nullptr;
    case Call:
      return emit_call(i);
    case Extract:
      return emit_extract(i);
    case Fault:
      emit_fault(i);
      return nullptr;
    case AnyFault:
      return any_fault();
    case Print:
      emit_print(i);
      return nullptr;
    case Assume:
      builder_.CreateAssumption(operand(i, 0));
      return nullptr;
    case ThreadLoop:
    case SlotLoad:
    case SlotStore:
    case SlotAny:
    case SlotMany:
    case WarpExchange:
      return emit_split(i);
  }
  llvm_unreachable("every opcode has a case");
}

Emitter::Value* Emitter::emit_constant(const Instruction& i) {
  llvm::Type* type = type_of(i.type);
  if (type->isIntegerTy()) return llvm::ConstantInt::get(type, llvm::APInt(type->getIntegerBitWidth(), i.constant));
  const llvm::fltSemantics& semantics = type->getFltSemantics();
  const unsigned bits = llvm::APFloat::semanticsSizeInBits(semantics);
  return llvm::ConstantFP::get(type, llvm::APFloat(semantics, llvm::APInt(bits, i.constant)));
}

Emitter::Value* Emitter::emit_split(const Instruction&) { llvm_unreachable("only in split functions of the CPU"); }

llvm::AllocaInst* Emitter::create_alloca(llvm::Type* type, unsigned alignment, const llvm::Twine& name) {
  llvm::BasicBlock& entry = function_.getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  llvm::AllocaInst* storage = at_entry.CreateAlloca(type, nullptr, name);
  if (alignment != 0) storage->setAlignment(llvm::Align(alignment));
  return storage;
}

Emitter::Value* Emitter::local_array(std::int64_t index) {
  llvm::AllocaInst*& storage = local_arrays_[index];
  if (storage != nullptr) return storage;
  const ir::ArrayStorage& array = source_.local_arrays[static_cast<std::size_t>(index)];
  llvm::Type* type = llvm::ArrayType::get(memory_type(state_.context, array.element, state_.types),
                                          static_cast<std::uint64_t>(array.count));
  return storage = create_alloca(type, static_cast<unsigned>(array.alignment), array.name);
}

llvm::AllocaInst* Emitter::local(const ir::Local* local) {
  llvm::AllocaInst*& storage = locals_[local];
  if (storage != nullptr) return storage;
  storage = create_alloca(type_of(local->type), 0, local->name);
  // A variable that no path has set reads as 0. Where it is always set before it is read, LLVM drops this store.
  llvm::IRBuilder<> after(storage->getParent(), std::next(storage->getIterator()));
  after.CreateStore(llvm::Constant::getNullValue(storage->getAllocatedType()), storage);
  return storage;
}

}  // namespace pykc::codegen
