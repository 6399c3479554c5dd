// A CPU has the direction in a register: a function sets it, computes and sets it back. LLVM moves nothing across that,
// for the function says that it is strict about floats and is never inlined.
#include "codegen/cpu/directed_rounding.h"

#include <llvm/IR/FPEnv.h>

#include <algorithm>

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
  Builder builder(llvm::BasicBlock::Create(function.getContext(), "", &function));
  builder.setIsFPConstrained(true);
  const auto set_direction = [&](int number) {
    builder.CreateIntrinsic(llvm::Intrinsic::set_rounding, {builder.getInt32(static_cast<std::uint32_t>(number))});
  };
  set_direction(static_cast<int>(mode));
  llvm::SmallVector<Value*> arguments;
  for (llvm::Argument& argument : function.args()) arguments.push_back(&argument);
  Value* result = builder.CreateConstrainedFPCall(&operation, arguments, "", mode, llvm::fp::ebStrict);
  set_direction(kNearest);
  builder.CreateRet(result);
}

}  // namespace

Value* emit_rounded(CpuEmitter& emitter, const Instruction& i, const Lowering& lowering) {
  const Direction& direction = *std::ranges::find(kDirections, lowering.rounding, &Direction::rounding);
  const llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(lowering.name);
  llvm::Function* operation =
      llvm::Intrinsic::getOrInsertDeclaration(&emitter.state.module, id, {emitter.type_of(i.type)});
  const llvm::SmallVector<Value*> arguments = emitter.operands(i);
  const std::string name = operation->getName().str() + "." + direction.name;
  llvm::Function* function = emitter.state.module.getFunction(name);
  if (function == nullptr) {
    const llvm::SmallVector<llvm::Type*> types(arguments.size(), emitter.type_of(i.type));
    function = llvm::Function::Create(llvm::FunctionType::get(emitter.type_of(i.type), types, false),
                                      llvm::GlobalValue::InternalLinkage, name, emitter.state.module);
    define(*function, *operation, direction.mode);
  }
  return emitter.builder.CreateCall(function, arguments);
}

}  // namespace pykc::codegen
