#include "codegen/emit/types.h"

#include <llvm/ADT/SmallVector.h>

namespace pykc::codegen {

unsigned TargetTypes::of(ir::AddressSpace space) const {
  switch (space) {
    case ir::AddressSpace::Global:
      return global;
    case ir::AddressSpace::Shared:
      return shared;
    case ir::AddressSpace::Local:
      return local;
    case ir::AddressSpace::Constant:
      return constant;
    case ir::AddressSpace::Parameter:
      return parameter;
    case ir::AddressSpace::Cluster:
      return cluster;
  }
  return global;
}

llvm::Type* value_type(llvm::LLVMContext& context, ScalarType type, const TargetTypes& types) {
  switch (type) {
    case ScalarType::Bool:
      return llvm::Type::getInt1Ty(context);
    case ScalarType::F16:
      return llvm::Type::getHalfTy(context);
    case ScalarType::BF16:
      return types.bf16_is_integer ? llvm::Type::getInt16Ty(context) : llvm::Type::getBFloatTy(context);
    case ScalarType::F32:
      return llvm::Type::getFloatTy(context);
    case ScalarType::F64:
      return llvm::Type::getDoubleTy(context);
    default:
      return llvm::Type::getIntNTy(context, static_cast<unsigned>(size_in_bits(type)));
  }
}

llvm::Type* value_type(llvm::LLVMContext& context, ir::Type type, const TargetTypes& types) {
  if (type.is_pointer()) return llvm::PointerType::get(context, types.of(type.space));
  return type.is_none() ? llvm::Type::getVoidTy(context) : value_type(context, type.scalar, types);
}

llvm::Type* memory_type(llvm::LLVMContext& context, ScalarType type, const TargetTypes& types) {
  return type == ScalarType::Bool ? llvm::Type::getInt8Ty(context) : value_type(context, type, types);
}

llvm::Type* result_type(llvm::LLVMContext& context, std::span<const ir::Type> results, const TargetTypes& types) {
  if (results.empty()) return llvm::Type::getVoidTy(context);
  if (results.size() == 1) return value_type(context, results[0], types);
  llvm::SmallVector<llvm::Type*> members;
  for (const ir::Type result : results) members.push_back(value_type(context, result, types));
  return llvm::StructType::get(context, members);
}

}  // namespace pykc::codegen
