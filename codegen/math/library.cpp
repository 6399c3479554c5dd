#include "codegen/math/library.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <iterator>

// The bitcode that the build made, taken into the program's read-only data as it is.
__asm__(
    ".section .rodata.pykc_math, \"a\"\n"
    ".balign 16\n"
    "pykc_math_begin:\n"
    ".incbin \"" PYKC_MATH_BITCODE
    "\"\n"
    "pykc_math_end:\n"
    ".balign 16\n"
    ".text\n");
extern "C" const char pykc_math_begin[] __attribute__((visibility("hidden")));
extern "C" const char pykc_math_end[] __attribute__((visibility("hidden")));

namespace pykc::codegen {
namespace {

constexpr std::string_view kPrefix = "__pykc_";
constexpr std::string_view kBinary[] = {"pow", "atan2", "hypot", "fmod", "remainder", "nextafter", "ipow"};

std::string_view suffix_of(llvm::Type* type) {
  if (type->isFloatTy()) return "_f32";
  return type->isDoubleTy() ? "_f64" : "_i64";
}

bool needs_library(const llvm::Module& module) {
  return std::ranges::any_of(module.functions(), [](const llvm::Function& function) {
    return function.isDeclaration() && function.getName().starts_with(llvm::StringRef(kPrefix.data(), kPrefix.size()));
  });
}

/// The hardware's estimate and one step of Newton's method, which is how NVIDIA's assembler rounds a reciprocal
/// correctly once it has looked at the exponent.
void write_for_gpu(llvm::Function& reciprocal) {
  reciprocal.deleteBody();
  reciprocal.setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(reciprocal.getContext(), "", &reciprocal));
  llvm::Type* type = reciprocal.getReturnType();
  llvm::Value* x = reciprocal.getArg(0);
  const auto fma = [&](llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, b, c});
  };
  llvm::Value* estimate = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {}, {x});
  llvm::Value* error = fma(builder.CreateFNeg(x), estimate, llvm::ConstantFP::get(type, 1.0));
  builder.CreateRet(fma(estimate, error, estimate));
}

}  // namespace

std::string math_symbol(std::string_view name, llvm::Type* type) {
  return std::string(kPrefix).append(name).append(suffix_of(type));
}

llvm::FunctionType* math_signature(std::string_view name, llvm::Type* type) {
  if (name == "ldexp") return llvm::FunctionType::get(type, {type, llvm::Type::getInt32Ty(type->getContext())}, false);
  if (std::ranges::find(kBinary, name) != std::end(kBinary)) return llvm::FunctionType::get(type, {type, type}, false);
  return llvm::FunctionType::get(type, {type}, false);
}

bool link_math_library(llvm::Module& module) {
  if (!needs_library(module)) return false;
  const llvm::StringRef bytes(pykc_math_begin, static_cast<std::size_t>(pykc_math_end - pykc_math_begin));
  // Read lazily: only the bodies that are linked are ever parsed.
  std::unique_ptr<llvm::Module> library =
      llvm::cantFail(llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bytes, "pykc math"), module.getContext()));
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded,
                            [](llvm::Module& linked, const llvm::StringSet<>& names) {
                              for (const auto& name : names)
                                if (llvm::GlobalValue* global = linked.getNamedValue(name.getKey()))
                                  if (!global->isDeclaration()) global->setLinkage(llvm::GlobalValue::InternalLinkage);
                            });
  llvm::Function* reciprocal = module.getFunction("__pykc_reciprocal_f32");
  if (reciprocal != nullptr && module.getTargetTriple().isNVPTX()) write_for_gpu(*reciprocal);
  return true;
}

}  // namespace pykc::codegen
