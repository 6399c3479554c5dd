// A program that has an LLVM of its own, of whatever version, and uses it before and after pykc compiles and launches.
// usage: llvm_host VERSION [first]: with `first`, pykc comes before the program's own LLVM
#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/hosts/kernel.h"

namespace {

int wrong(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  return 1;
}

/// Compiles a function. Pointers have types up to LLVM 16, by which one sees whose functions are called.
int use_own_llvm(int version) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("own", context);
  LLVMTypeRef integer = LLVMInt64TypeInContext(context);
  LLVMTypeRef parameters[] = {integer, LLVMPointerType(integer, 0)};
  LLVMTypeRef type = LLVMFunctionType(integer, parameters, 2, 0);
  LLVMValueRef function = LLVMAddFunction(module, "answer", type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "entry"));
  LLVMBuildRet(builder, LLVMBuildMul(builder, LLVMGetParam(function, 0), LLVMConstInt(integer, 42, 0), "product"));
  LLVMDisposeBuilder(builder);
  char* const text = LLVMPrintModuleToString(module);
  const bool has_typed_pointers = std::strstr(text, "i64*") != nullptr;
  LLVMDisposeMessage(text);
  if (has_typed_pointers != (version < 15)) return wrong("another LLVM is called");

  char* error = nullptr;
  LLVMTargetRef target = nullptr;
  if (LLVMGetTargetFromTriple("x86_64-pc-linux-gnu", &target, &error) != 0) return wrong(error);
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, "x86_64-pc-linux-gnu", "x86-64", "",
                                                         LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMMemoryBufferRef assembly = nullptr;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &error, &assembly) != 0)
    return wrong(error);
  const bool is_compiled = std::strstr(LLVMGetBufferStart(assembly), "imulq\t$42") != nullptr;
  LLVMDisposeMemoryBuffer(assembly);
  LLVMDisposeTargetMachine(machine);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return is_compiled ? 0 : wrong("the program's own LLVM compiles something else");
}

int use_pykc() {
  const std::string told = hosts::compile_launch_and_check();
  return told.empty() ? 0 : wrong(told.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  // An option that both register under the same name.
  const char* options[] = {"llvm_host", "-print-module-scope"};
  LLVMParseCommandLineOptions(2, options, nullptr);
  for (int turn = argc > 2 ? 1 : 0; turn < 5; ++turn)
    if ((turn % 2 == 0 ? use_own_llvm(std::atoi(argv[1])) : use_pykc()) != 0) return 1;
  std::puts("pykc and the program's own LLVM work side by side");
  return 0;
}
