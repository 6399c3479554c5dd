#include "codegen/types.h"

#include <llvm/ADT/SmallVector.h>

namespace pykc::codegen {

unsigned AddressSpaces::of(ir::AddressSpace space) const {
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
  }
  return global;
}

llvm::Type* value_type(llvm::LLVMContext& context, ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return llvm::Type::getInt1Ty(context);
    case ScalarType::F16:
      return llvm::Type::getHalfTy(context);
    case ScalarType::BF16:
      return llvm::Type::getBFloatTy(context);
    case ScalarType::F32:
      return llvm::Type::getFloatTy(context);
    case ScalarType::F64:
      return llvm::Type::getDoubleTy(context);
    default:
      return llvm::Type::getIntNTy(context, static_cast<unsigned>(8 * size_in_bytes(type)));
  }
}

llvm::Type* value_type(llvm::LLVMContext& context, ir::Type type, const AddressSpaces& spaces) {
  if (type.is_pointer()) return llvm::PointerType::get(context, spaces.of(type.space));
  return type.is_none() ? llvm::Type::getVoidTy(context) : value_type(context, type.scalar);
}

llvm::Type* memory_type(llvm::LLVMContext& context, ScalarType type) {
  return type == ScalarType::Bool ? llvm::Type::getInt8Ty(context) : value_type(context, type);
}

llvm::Type* result_type(llvm::LLVMContext& context, std::span<const ir::Type> results, const AddressSpaces& spaces) {
  if (results.empty()) return llvm::Type::getVoidTy(context);
  if (results.size() == 1) return value_type(context, results[0], spaces);
  llvm::SmallVector<llvm::Type*> members;
  for (const ir::Type result : results) members.push_back(value_type(context, result, spaces));
  return llvm::StructType::get(context, members);
}

}  // namespace pykc::codegen
