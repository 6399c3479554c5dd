#include "codegen/emit/emitter.h"

#include "codegen/emit/arithmetic.h"
#include "codegen/emit/atomic.h"
#include "codegen/emit/builtin.h"
#include "codegen/emit/cast.h"
#include "codegen/emit/control.h"
#include "codegen/emit/memory.h"
#include "codegen/emit/report.h"

namespace pykc::codegen {
namespace {

Value* emit_constant(Emitter& emitter, const Instruction& i) {
  llvm::Type* type = emitter.type_of(i.type);
  if (type->isIntegerTy()) return llvm::ConstantInt::get(type, llvm::APInt(type->getIntegerBitWidth(), i.constant));
  const llvm::fltSemantics& semantics = type->getFltSemantics();
  const unsigned bits = llvm::APFloat::semanticsSizeInBits(semantics);
  return llvm::ConstantFP::get(type, llvm::APFloat(semantics, llvm::APInt(bits, i.constant)));
}

}  // namespace

Emitter::Emitter(ModuleState& state, const ir::Function& source, llvm::Function& function)
    : state(state),
      source(source),
      function(function),
      builder(llvm::BasicBlock::Create(state.context, "entry", &function)) {
  if (!state.options.fast_math && !source.fast_math) return;
  // Not nnan and ninf: a program may still ask whether a value is a NaN.
  llvm::FastMathFlags flags;
  flags.setAllowReassoc();
  flags.setAllowContract();
  flags.setAllowReciprocal();
  flags.setApproxFunc();
  flags.setNoSignedZeros();
  builder.setFastMathFlags(flags);
}

llvm::BasicBlock* Emitter::new_block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(state.context, name, &function);
}

void Emitter::branch_to(llvm::BasicBlock* block) {
  if (builder.GetInsertBlock()->getTerminator() == nullptr) builder.CreateBr(block);
}

llvm::AllocaInst* Emitter::create_alloca(llvm::Type* type, unsigned alignment, const llvm::Twine& name) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  Builder at_entry(&entry, entry.begin());
  llvm::AllocaInst* storage = at_entry.CreateAlloca(type, nullptr, name);
  if (alignment != 0) storage->setAlignment(llvm::Align(alignment));
  return storage;
}

void emit_block(Emitter& emitter, const ir::Block& block) {
  for (const Instruction* i : block.instructions) {
    emitter.builder.SetCurrentDebugLocation(emitter.state.location(*i, emitter.source, emitter.function));
    if (Value* result = emit(emitter, *i)) emitter.values[i] = result;
  }
}

Value* emit(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  if (const auto fixed = emitter.fixed.find(&i); fixed != emitter.fixed.end()) return fixed->second;
  using enum ir::Opcode;
  switch (i.opcode) {
    case Constant:
      return emit_constant(emitter, i);
    case Parameter:
      return emitter.parameters[static_cast<std::size_t>(i.index)];
    case LocalArray:
      return emitter.target->local_array(i.index);
    case SharedArray:
      return emitter.target->emit_shared_array(i);
    case ConstantArray:
      return emitter.state.constant_array(i.index);
    case LaunchSharedBytes:
      return emitter.target->emit_launch_shared_bytes();
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
      return emit_arithmetic(emitter, i);
    case Neg:
      return emit_negate(emitter, i);
    case Not:
      return builder.CreateNot(emitter.operand(i, 0));
    case Fma:
      return emit_fma(emitter, i);
    case Eq:
    case Ne:
    case Lt:
    case Le:
    case Gt:
    case Ge:
      return emit_compare(emitter, i);
    case Select:
      return builder.CreateSelect(emitter.operand(i, 0), emitter.operand(i, 1), emitter.operand(i, 2));
    case Cast:
      return emit_cast(emitter, i);
    case Bitcast:
      return builder.CreateBitCast(emitter.operand(i, 0), emitter.type_of(i.type));
    case Builtin:
      return emit_builtin(emitter, i);
    case LocalLoad:
      return builder.CreateLoad(emitter.type_of(i.type), storage_of(emitter, i.local));
    case LocalStore:
      builder.CreateStore(emitter.operand(i, 0), storage_of(emitter, i.local));
      return nullptr;
    case ElementPointer:
      return emit_element(emitter, i);
    case FieldPointer:
      return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), emitter.operand(i, 0),
                                                static_cast<std::uint64_t>(i.index));
    case ClusterPointer:
      return emitter.target->emit_cluster_pointer(i);
    case IsAligned:
      return emit_is_aligned(emitter, i);
    case Load:
      return load_element(emitter, *i.operands[0]);
    case Store:
      store_element(emitter, emitter.operand(i, 1), *i.operands[0]);
      return nullptr;
    case AtomicRmw:
      return emit_atomic(emitter, i);
    case AtomicCas:
      return emit_compare_and_swap(emitter, i);
    case AtomicLoad:
      return emit_atomic_load(emitter, i);
    case AtomicStore:
      emit_atomic_store(emitter, i);
      return nullptr;
    case HintedLoad:
      return emitter.target->emit_hinted_load(i);
    case HintedStore:
      emitter.target->emit_hinted_store(i);
      return nullptr;
    case Prefetch:
      emitter.target->emit_prefetch(i);
      return nullptr;
    case CopyAsync:
      emitter.target->emit_copy_async(i);
      return nullptr;
    case TensorMap:  // by value in the kernel's parameters, where the copy unit reads it
      return builder.CreatePtrToInt(emitter.operand(i, 0), builder.getInt64Ty());
    case Foreign:
      return emitter.source.foreign_codes[static_cast<std::size_t>(i.index)].is_function
                 ? emit_external_call(emitter, i)
                 : emitter.target->emit_inline_ptx(i);
    case If:
      emit_if(emitter, i);
      return nullptr;
    case Loop:
      emit_loop(emitter, i);
      return nullptr;
    case Scope:
      emit_scope(emitter, i);
      return nullptr;
    case Break:
      emitter.branch_to(emitter.regions.at(i.target).exit);
      return nullptr;
    case Continue:
      emitter.branch_to(emitter.regions.at(i.target).continuing);
      return nullptr;
    case Return:
      emitter.target->emit_return(i);
      return nullptr;
    case Call:
      return emit_call(emitter, i);
    case Extract:
      return emit_extract(emitter, i);
    case Fault:
      emitter.target->emit_fault(i);
      return nullptr;
    case Observe:
      emitter.target->emit_observe(i);
      return nullptr;
    case AnyFault:
      return any_fault(emitter);
    case Print:
      emitter.target->emit_print(i);
      return nullptr;
    case Assume:
      builder.CreateAssumption(emitter.operand(i, 0));
      return nullptr;
    case ThreadLoop:
    case SlotLoad:
    case SlotStore:
    case SlotAny:
    case SlotMany:
    case WarpExchange:
    case ObserveMeeting:
      return emitter.target->emit_split(i);
  }
  llvm_unreachable("every opcode has a case");
}

}  // namespace pykc::codegen
