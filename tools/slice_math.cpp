// Build step: cuts the scalar math functions that the builtin table names out of libclc, and writes them as bitcode.
//
//   slice_math OUTPUT.bc LIBCLC.bc REPLACEMENT.ll…
//
// libclc is the OpenCL C library of the LLVM project: some ten thousand functions, of which pykc wants about seventy.
// What comes out computes the same bits on every target, because nothing is left to a target's choice:
//  - llvm.fmuladd, "fuse if it is faster", becomes llvm.fma; fast-math flags and accuracy hints (!fpmath) go;
//  - a conversion to an integer, undefined where the value does not fit, saturates (it feeds table lookups);
//  - tables stand in one address space, global memory on a GPU (threads look up different places);
//  - attributes, debug information and other metadata of the target that libclc was built for go, but for `cold`, which
//    says of own functions that they are rarely called (codegen/cpu/passes/rare_calls.h).
// Functions that libclc gets wrong come from the .ll files instead (codegen/math).
#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdlib>
#include <set>
#include <string>

#include "stdlib/builtins.h"

namespace {

constexpr llvm::StringLiteral kPrefix = "__pykc_";

[[noreturn]] void fail(const llvm::Twine& message) {
  llvm::errs() << "slice_math: " << message << '\n';
  std::exit(1);
}

std::unique_ptr<llvm::Module> read(const char* path, llvm::LLVMContext& context) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, problem, context);
  if (module == nullptr) fail(path + llvm::Twine(": ") + problem.getMessage());
  return module;
}

/// The C++ name that OpenCL C gives a function: "_Z3powff", "_Z5ldexpdi".
std::string libclc_name(const pykc::Builtin& row, char type) {
  const std::string name(row.cpu.name);
  std::string arguments(1, type);
  if (row.signature.find(", n: i32") != std::string_view::npos)
    arguments += 'i';
  else if (row.signature.find(',') != std::string_view::npos)
    arguments += type;
  return "_Z" + std::to_string(name.size()) + name + arguments;
}

/// Gives the functions that the table names their new names, but for those that are replaced; returns all new names.
std::set<std::string> rename_functions(llvm::Module& library, const llvm::Module& replacements) {
  std::set<std::string> wanted;
  for (const llvm::Function& function : replacements)
    if (!function.isDeclaration() && function.hasExternalLinkage()) wanted.insert(function.getName().str());
  for (const pykc::Builtin& row : pykc::all_builtins()) {
    if (row.cpu.kind != pykc::Lowering::Kind::Math) continue;
    for (const char type : {'f', 'd'}) {
      const std::string symbol = (kPrefix + row.cpu.name + (type == 'f' ? "_f32" : "_f64")).str();
      if (!wanted.insert(symbol).second) continue;
      llvm::Function* function = library.getFunction(libclc_name(row, type));
      if (function == nullptr) fail("libclc has no " + libclc_name(row, type));
      function->setName(symbol);
    }
  }
  return wanted;
}

void keep_only(llvm::Module& module, const std::set<std::string>& wanted) {
  for (llvm::GlobalValue& global : module.global_values())
    if (!global.isDeclaration())
      global.setLinkage(wanted.contains(global.getName().str()) ? llvm::GlobalValue::ExternalLinkage
                                                                : llvm::GlobalValue::InternalLinkage);
  llvm::ModuleAnalysisManager analyses;
  llvm::PassBuilder().registerModuleAnalyses(analyses);
  llvm::GlobalDCEPass().run(module, analyses);
}

/// What stands for an instruction that leaves its result to the target, or null where nothing is wrong.
llvm::Value* exact_form(llvm::Instruction& instruction) {
  llvm::IRBuilder<> builder(&instruction);
  llvm::Type* type = instruction.getType();
  const auto convert = [&](llvm::Intrinsic::ID saturating) {
    llvm::Value* operand = instruction.getOperand(0);
    return builder.CreateIntrinsic(saturating, {type, operand->getType()}, {operand});
  };
  if (llvm::isa<llvm::FPToSIInst>(instruction)) return convert(llvm::Intrinsic::fptosi_sat);
  if (llvm::isa<llvm::FPToUIInst>(instruction)) return convert(llvm::Intrinsic::fptoui_sat);
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call == nullptr || call->getIntrinsicID() != llvm::Intrinsic::fmuladd) return nullptr;
  return builder.CreateIntrinsic(llvm::Intrinsic::fma, {type},
                                 {call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2)});
}

void fix_instructions(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    instruction.dropUnknownNonDebugMetadata();
    if (llvm::isa<llvm::FPMathOperator>(instruction)) instruction.copyFastMathFlags(llvm::FastMathFlags());
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      call->setAttributes(llvm::AttributeList());
      call->setCallingConv(llvm::CallingConv::C);
    }
    llvm::Value* exact = exact_form(instruction);
    if (exact == nullptr) continue;
    instruction.replaceAllUsesWith(exact);
    instruction.eraseFromParent();
  }
}

void fix_function(llvm::Function& function) {
  const bool is_rare = function.hasFnAttribute(llvm::Attribute::Cold);
  function.setAttributes(llvm::AttributeList());
  if (is_rare) function.addFnAttr(llvm::Attribute::Cold);
  if (is_rare) function.setDoesNotAccessMemory();
  function.setComdat(nullptr);
  function.setCallingConv(llvm::CallingConv::C);
  function.setDoesNotThrow();
  function.setWillReturn();
  function.clearMetadata();
  fix_instructions(function);
}

/// The same module with its tables in global memory. Only the text form can change an address space in all the types
/// that mention it.
std::unique_ptr<llvm::Module> move_tables(const llvm::Module& module, llvm::LLVMContext& context) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  constexpr llvm::StringLiteral kConstant = "addrspace(4)", kGlobal = "addrspace(1)";
  for (std::size_t at = 0; (at = text.find(kConstant, at)) != std::string::npos;)
    text.replace(at, kConstant.size(), kGlobal);
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> moved = llvm::parseAssemblyString(text, problem, context);
  if (moved == nullptr) fail(problem.getMessage());
  return moved;
}

void check(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.isIntrinsic()) fail(function.getName() + " is missing");
  if (llvm::verifyModule(module, &llvm::errs())) fail("the slice is broken");
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) fail("usage: slice_math OUTPUT.bc LIBCLC.bc REPLACEMENT.ll…");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> library = read(arguments[2], context);
  library->setTargetTriple(llvm::Triple());
  library->setDataLayout("");
  llvm::Module replacements("replacements", context);
  for (int n = 3; n < count; ++n) llvm::Linker::linkModules(replacements, read(arguments[n], context));

  const std::set<std::string> wanted = rename_functions(*library, replacements);
  llvm::Linker::linkModules(*library, llvm::CloneModule(replacements));
  keep_only(*library, wanted);
  llvm::StripDebugInfo(*library);
  for (llvm::Function& function : *library)
    if (!function.isIntrinsic()) fix_function(function);
  const std::unique_ptr<llvm::Module> slice = move_tables(*library, context);
  check(*slice);

  std::error_code problem;
  llvm::raw_fd_ostream out(arguments[1], problem, llvm::sys::fs::OF_None);
  if (problem) fail(arguments[1] + llvm::Twine(": ") + problem.message());
  llvm::WriteBitcodeToFile(*slice, out);
  return 0;
}
