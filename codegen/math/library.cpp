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

/// The functions of division.ll on a GPU: the hardware's estimate and steps of Newton's method, which is how NVIDIA's
/// assembler rounds correctly once it has looked at the exponents.
class ShortDivision {
 public:
  explicit ShortDivision(llvm::Function& function)
      : x_(function.getArg(0)), type_(x_->getType()), builder_(function.getContext()) {
    function.deleteBody();
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(function.getContext(), "", &function));
  }

  void write_reciprocal() { builder_.CreateRet(inverse_of(x_)); }

  void write_quotient(llvm::Value* y) {
    llvm::Value *const inverse = inverse_of(y), *const quotient = builder_.CreateFMul(x_, inverse);
    llvm::Value* const missing = fma(builder_.CreateFNeg(quotient), y, x_);
    builder_.CreateRet(fma(missing, inverse, quotient));
  }

  void write_root() {
    llvm::Value* inverse = inverse_root();
    if (type_->isFloatTy())  // infinite of 0, of which the root is 0
      inverse = builder_.CreateIntrinsic(llvm::Intrinsic::minimum, {type_}, {inverse, number(0x1p100)});
    builder_.CreateRet(root_by(inverse));
  }

  void write_inverse_root() {
    llvm::Value *const inverse = inverse_root(), *const opposite = builder_.CreateFNeg(root_by(inverse));
    builder_.CreateRet(fma(inverse, fma(opposite, inverse, number(1)), inverse));
  }

 private:
  llvm::Value* number(double value) const { return llvm::ConstantFP::get(type_, value); }
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {a, b, c});
  }
  llvm::Value* estimate(llvm::Intrinsic::ID of_f32, llvm::Intrinsic::ID of_f64, llvm::Value* x) {
    return builder_.CreateIntrinsic(type_->isFloatTy() ? of_f32 : of_f64, {}, {x});
  }

  llvm::Value* inverse_of(llvm::Value* x) {
    llvm::Value* first = estimate(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, llvm::Intrinsic::nvvm_rcp_approx_ftz_d, x);
    llvm::Value* const opposite = builder_.CreateFNeg(x);
    const auto missing = [&](llvm::Value* inverse) { return fma(opposite, inverse, number(1)); };
    if (type_->isDoubleTy()) {  // whose estimate has 20 bits
      llvm::Value* const error = missing(first);
      first = fma(first, fma(error, error, error), first);
    }
    return fma(first, missing(first), first);
  }

  llvm::Value* root_by(llvm::Value* inverse) {
    llvm::Value* const root = builder_.CreateFMul(x_, inverse);
    return fma(fma(builder_.CreateFNeg(root), root, x_), half_of(inverse), root);
  }

  /// By the exponent: f64 has no instruction to spare.
  llvm::Value* half_of(llvm::Value* x) {
    if (type_->isFloatTy()) return builder_.CreateFMul(x, number(0.5));
    llvm::Value* const bits = builder_.CreateBitCast(x, builder_.getInt64Ty());
    return builder_.CreateBitCast(builder_.CreateSub(bits, builder_.getInt64(std::uint64_t{1} << 52)), type_);
  }

  llvm::Value* inverse_root() {
    llvm::Value* const first =
        estimate(llvm::Intrinsic::nvvm_rsqrt_approx_ftz_f, llvm::Intrinsic::nvvm_rsqrt_approx_ftz_d, x_);
    if (type_->isFloatTy()) return first;
    llvm::Value* const error = fma(x_, builder_.CreateFNeg(builder_.CreateFMul(first, first)), number(1));
    return fma(fma(error, number(0.375), number(0.5)), builder_.CreateFMul(first, error), first);
  }

  llvm::Value* x_;
  llvm::Type* type_;
  llvm::IRBuilder<> builder_;
};

void shorten_divisions(llvm::Module& module) {
  const auto of = [&](const char* name, auto write) {
    for (const char* suffix : {"_f32", "_f64"})
      if (llvm::Function* function = module.getFunction(std::string(kPrefix) + name + suffix)) {
        ShortDivision division(*function);
        write(division, *function);
      }
  };
  of("reciprocal", [](ShortDivision& division, llvm::Function&) { division.write_reciprocal(); });
  of("quotient",
     [](ShortDivision& division, llvm::Function& function) { division.write_quotient(function.getArg(1)); });
  of("root", [](ShortDivision& division, llvm::Function&) { division.write_root(); });
  of("inverse_of_root", [](ShortDivision& division, llvm::Function&) { division.write_inverse_root(); });
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
  if (module.getTargetTriple().isNVPTX()) shorten_divisions(module);
  return true;
}

}  // namespace pykc::codegen
