// Arithmetic that says how it rounds. A CPU has the direction in a register: a function sets it, computes and sets it
// back. LLVM moves nothing across that, for the function says that it is strict about floats and is never inlined.
#include <llvm/IR/FPEnv.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {
namespace {

constexpr int kNearest = 1;  // as llvm.set.rounding numbers them

struct Direction {
  Lowering::Rounding rounding;
  const char* name;
  llvm::RoundingMode mode;
};

constexpr Direction kDirections[] = {
    {Lowering::Rounding::ToNearest, "nearest", llvm::RoundingMode::NearestTiesToEven},
    {Lowering::Rounding::Down, "down", llvm::RoundingMode::TowardNegative},
    {Lowering::Rounding::Up, "up", llvm::RoundingMode::TowardPositive},
    {Lowering::Rounding::ToZero, "zero", llvm::RoundingMode::TowardZero},
};

void define(llvm::Function& function, llvm::Function& operation, llvm::RoundingMode mode) {
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.addFnAttr(llvm::Attribute::NoInline);
  function.addFnAttr(llvm::Attribute::NoUnwind);
  function.addFnAttr(llvm::Attribute::StrictFP);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(function.getContext(), "", &function));
  builder.setIsFPConstrained(true);
  const auto set_direction = [&](int number) {
    builder.CreateIntrinsic(llvm::Intrinsic::set_rounding, {builder.getInt32(static_cast<std::uint32_t>(number))});
  };
  set_direction(static_cast<int>(mode));
  llvm::SmallVector<llvm::Value*> arguments;
  for (llvm::Argument& argument : function.args()) arguments.push_back(&argument);
  llvm::Value* result = builder.CreateConstrainedFPCall(&operation, arguments, "", mode, llvm::fp::ebStrict);
  set_direction(kNearest);
  builder.CreateRet(result);
}

}  // namespace

CpuEmitter::Value* CpuEmitter::emit_rounded(const Instruction& i, const Lowering& lowering) {
  const Direction& direction = *std::ranges::find(kDirections, lowering.rounding, &Direction::rounding);
  const llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(lowering.name);
  llvm::Function* operation = llvm::Intrinsic::getOrInsertDeclaration(&state_.module, id, {type_of(i.type)});
  const llvm::SmallVector<Value*> arguments = operands(i);
  const std::string name = operation->getName().str() + "." + direction.name;
  llvm::Function* function = state_.module.getFunction(name);
  if (function == nullptr) {
    const llvm::SmallVector<llvm::Type*> types(arguments.size(), type_of(i.type));
    function = llvm::Function::Create(llvm::FunctionType::get(type_of(i.type), types, false),
                                      llvm::GlobalValue::InternalLinkage, name, state_.module);
    define(*function, *operation, direction.mode);
  }
  return builder_.CreateCall(function, arguments);
}

}  // namespace pykc::codegen
