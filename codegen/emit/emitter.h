// Turns one function of the IR into LLVM IR: the context that the subjects' functions share. What is the same for both
// targets stands in this folder, a file a subject: arithmetic, cast, memory, atomic, control, builtin, launch, report.
// What is not, they ask a TargetLowering for.
//
// Values of the IR become SSA values of LLVM; a Local becomes an alloca in the entry block, from which LLVM builds SSA
// itself. Control flow is emitted as it is nested: a block knows nothing of what follows it.
#pragma once

#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/IR/IRBuilder.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "codegen/emit/module_state.h"
#include "codegen/emit/target_lowering.h"
#include "ir/module.h"

namespace pykc::codegen {

using Builder = llvm::IRBuilder<>;

/// Where a Break and a Continue of a Loop or Scope go.
struct Region {
  llvm::BasicBlock* exit;
  llvm::BasicBlock* continuing;  // null for a Scope
};

struct Emitter {
  /// Starts in a new entry block of `function`. The target's own emitter sets `target`.
  Emitter(ModuleState& state, const ir::Function& source, llvm::Function& function);
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  Value* value(const Instruction* instruction) const { return values.at(instruction); }
  Value* operand(const Instruction& i, std::size_t n) const { return value(i.operands[n]); }
  llvm::SmallVector<Value*> operands(const Instruction& i) const {
    return llvm::map_to_vector(i.operands, [&](const Instruction* operand) { return value(operand); });
  }

  Value* constant_i64(std::int64_t value) { return builder.getInt64(static_cast<std::uint64_t>(value)); }
  /// The value as an integer of its own width.
  Value* bits_of(Value* value) {
    return builder.CreateBitCast(value, builder.getIntNTy(value->getType()->getScalarSizeInBits()));
  }
  /// The integer that is as wide as the type in memory.
  llvm::IntegerType* bits_type(ScalarType type) { return builder.getIntNTy(static_cast<unsigned>(size_in_bits(type))); }
  llvm::Type* type_of(ScalarType type) const { return value_type(state.context, type, state.types); }
  llvm::Type* type_of(ir::Type type) const { return value_type(state.context, type, state.types); }

  llvm::BasicBlock* new_block(const llvm::Twine& name);
  /// Ends the current LLVM block with a branch, unless it has ended already.
  void branch_to(llvm::BasicBlock* block);
  /// In the entry block, whatever the current one.
  llvm::AllocaInst* create_alloca(llvm::Type* type, unsigned alignment, const llvm::Twine& name);

  ModuleState& state;
  const ir::Function& source;
  llvm::Function& function;
  std::unique_ptr<TargetLowering> target;
  Builder builder;
  std::vector<Value*> parameters;
  std::unordered_map<const Instruction*, Value*> values;
  std::unordered_map<const Instruction*, Value*> fixed;  // these instructions are not emitted but have these values
  std::unordered_map<const ir::Local*, llvm::AllocaInst*> locals;
  std::unordered_map<std::int64_t, llvm::AllocaInst*> local_arrays;
  std::unordered_map<const Instruction*, Region> regions;
};

void emit_block(Emitter& emitter, const ir::Block& block);
/// The instruction's value; null where it has none.
Value* emit(Emitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
