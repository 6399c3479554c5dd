#include "codegen/cpu/passes/rare_calls.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/VFABIDemangler.h>
#include <llvm/IR/VectorTypeUtils.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <string>
#include <vector>

namespace pykc::codegen {
namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Function;
using llvm::Value;
using Builder = llvm::IRBuilder<>;

constexpr unsigned kLengths[] = {2, 4, 8, 16};  // of the vectors that LLVM makes of f32 and f64
constexpr llvm::StringLiteral kScalar = "pykc-scalar", kEach = "pykc-each";

template <typename Wanted>
std::vector<CallInst*> calls(Function& function, Wanted is_wanted) {
  std::vector<CallInst*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<CallInst>(&instruction);
        call != nullptr && call->getCalledFunction() != nullptr && is_wanted(*call->getCalledFunction()))
      found.push_back(call);
  return found;
}

bool is_rare(const Function& function) {
  return function.hasFnAttribute(llvm::Attribute::Cold) && function.doesNotAccessMemory() &&
         !function.hasFnAttribute(kEach);
}

bool is_for_vectors(const Function& function) { return function.hasFnAttribute(kScalar); }

std::string name_for(const Function& scalar, unsigned length) {
  return (scalar.getName() + ".of." + llvm::Twine(length)).str();
}

/// The type of the function for vectors, with a mask behind its arguments.
llvm::FunctionType* type_for(const Function& scalar, unsigned length) {
  const auto vector_of = [&](llvm::Type* type) {
    return llvm::toVectorizedTy(type, llvm::ElementCount::getFixed(length));
  };
  std::vector<llvm::Type*> parameters;
  for (llvm::Type* type : scalar.getFunctionType()->params()) parameters.push_back(vector_of(type));
  parameters.push_back(vector_of(llvm::Type::getInt1Ty(scalar.getContext())));
  return llvm::FunctionType::get(vector_of(scalar.getReturnType()), parameters, false);
}

void offer(CallInst& call) {
  const Function& scalar = *call.getCalledFunction();
  llvm::Module& module = *call.getModule();
  llvm::SmallVector<std::string> mappings;
  for (const unsigned length : kLengths) {
    const std::string name = name_for(scalar, length);
    if (module.getFunction(name) == nullptr) {
      Function* vector = Function::Create(type_for(scalar, length), llvm::GlobalValue::ExternalLinkage, name, module);
      vector->addFnAttr(kScalar, scalar.getName());
      vector->setDoesNotAccessMemory();
      vector->setDoesNotThrow();
      vector->setWillReturn();
    }
    mappings.push_back("_ZGV_LLVM_M" + std::to_string(length) + std::string(scalar.arg_size(), 'v') + "_" +
                       scalar.getName().str() + "(" + name + ")");
  }
  llvm::VFABI::setVectorVariantNames(&call, mappings);
}

/// Ends the block where the builder stands: `then` is done where `condition` holds, which gives the value of the phi
/// that the builder stands behind; else that has the value `otherwise`.
template <typename Then>
Value* rarely(Builder& builder, Value* condition, Value* otherwise, Then then) {
  BasicBlock* before = builder.GetInsertBlock();
  llvm::Instruction* branch = llvm::SplitBlockAndInsertIfThen(
      condition, builder.GetInsertPoint(), false, llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights());
  BasicBlock* behind = branch->getSuccessor(0);
  builder.SetInsertPoint(branch);
  Value* value = then();
  builder.SetInsertPoint(behind, behind->begin());
  llvm::PHINode* result = builder.CreatePHI(value->getType(), 2);
  result->addIncoming(otherwise, before);
  result->addIncoming(value, branch->getParent());
  return result;
}

/// `vectors`, one or a structure of some, with the elements of `scalars` at a place.
Value* with_element(Builder& builder, Value* vectors, Value* scalars, std::uint64_t lane) {
  const auto* structure = llvm::dyn_cast<llvm::StructType>(scalars->getType());
  if (structure == nullptr) return builder.CreateInsertElement(vectors, scalars, lane);
  for (unsigned field = 0; field < structure->getNumElements(); ++field) {
    Value* vector = builder.CreateExtractValue(vectors, field);
    vector = builder.CreateInsertElement(vector, builder.CreateExtractValue(scalars, field), lane);
    vectors = builder.CreateInsertValue(vectors, vector, field);
  }
  return vectors;
}

/// Calls the function for each element that the mask has.
Function& function_for_each(Function& vector) {
  llvm::Module& module = *vector.getParent();
  const std::string name = (vector.getName() + ".each").str();
  if (Function* known = module.getFunction(name)) return *known;
  Function& scalar = *module.getFunction(vector.getFnAttribute(kScalar).getValueAsString());
  Function& each = *Function::Create(vector.getFunctionType(), llvm::GlobalValue::InternalLinkage, name, module);
  each.addFnAttr(llvm::Attribute::NoInline);
  each.addFnAttr(llvm::Attribute::Cold);
  each.addFnAttr(kEach);
  each.setDoesNotAccessMemory();
  each.setDoesNotThrow();
  each.setWillReturn();

  Builder builder(BasicBlock::Create(module.getContext(), "entry", &each));
  Value* result = llvm::PoisonValue::get(each.getReturnType());
  builder.SetInsertPoint(builder.CreateRet(result));
  const unsigned length = llvm::getVectorizedTypeVF(each.getReturnType()).getFixedValue();
  for (std::uint64_t lane = 0; lane < length; ++lane) {
    const auto element = [&](Value& vector) { return builder.CreateExtractElement(&vector, lane); };
    result = rarely(builder, element(*each.getArg(each.arg_size() - 1)), result, [&] {
      std::vector<Value*> arguments;
      for (llvm::Argument& argument : llvm::drop_end(each.args())) arguments.push_back(element(argument));
      return with_element(builder, result, builder.CreateCall(&scalar, arguments), lane);
    });
  }
  builder.GetInsertBlock()->getTerminator()->setOperand(0, result);
  return each;
}

/// What chooses between the call's elements and others by the call's own mask, if that is all that reads them.
llvm::SelectInst* choice_of(CallInst& call, const Value* mask) {
  auto* choice = call.hasOneUse() ? llvm::dyn_cast<llvm::SelectInst>(call.user_back()) : nullptr;
  return choice != nullptr && choice->getCondition() == mask && choice->getTrueValue() == &call ? choice : nullptr;
}

/// Where the elements go by way of a choice, that is done beside the call: behind all else, so that little is kept.
void make(CallInst& call) {
  const std::vector<Value*> arguments(call.arg_begin(), call.arg_end());
  Value* mask = arguments.back();
  Function& each = function_for_each(*call.getCalledFunction());
  llvm::SelectInst* choice = choice_of(call, mask);
  llvm::Instruction& replaced = choice == nullptr ? static_cast<llvm::Instruction&>(call) : *choice;
  Value* otherwise = choice == nullptr ? llvm::PoisonValue::get(call.getType()) : choice->getFalseValue();
  Builder builder(&replaced);
  replaced.replaceAllUsesWith(rarely(builder, builder.CreateOrReduce(mask), otherwise, [&]() -> Value* {
    Value* some = builder.CreateCall(&each, arguments);
    return choice == nullptr ? some : builder.CreateSelect(mask, some, otherwise);
  }));
  if (choice != nullptr) choice->eraseFromParent();
  call.eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses OfferRareCalls::run(Function& function, llvm::FunctionAnalysisManager&) {
  for (CallInst* call : calls(function, is_rare)) offer(*call);
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses MakeRareCalls::run(Function& function, llvm::FunctionAnalysisManager&) {
  const std::vector<CallInst*> made = calls(function, is_for_vectors);
  for (CallInst* call : made) make(*call);
  return made.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

void drop_rare_offers(llvm::Module& module) {
  for (Function& function : llvm::make_early_inc_range(module))
    if (is_for_vectors(function) && function.use_empty()) function.eraseFromParent();
}

}  // namespace pykc::codegen
