#include "codegen/libraries.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <set>

#include "base/errors.h"
#include "base/gpu_code.h"

namespace pykc::codegen {
namespace {

/// Keeps what LLVM has to say of bitcode, in place of printing it and ending the program.
class Listener : public llvm::DiagnosticHandler {
 public:
  explicit Listener(std::string& heard) : heard_(heard) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    llvm::raw_string_ostream stream(heard_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

 private:
  std::string& heard_;
};

std::string type_text(const llvm::FunctionType& type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::set<std::string> declarations_in(const llvm::Module& module) {
  std::set<std::string> names;
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.isIntrinsic()) names.insert(function.getName().str());
  return names;
}

bool is_bitcode(const Library& library) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(library.bytes.data());
  return llvm::isBitcode(bytes, bytes + library.bytes.size());
}

/// PTX, a cubin, or what has them in it, which the driver links.
bool is_for_driver(const Library& library) {
  const std::string& bytes = library.bytes;
  return bytes.starts_with(kElfMagic) || bytes.starts_with(kFatbinMagic) || bytes.starts_with(kArchiveMagic) ||
         bytes.find(".version") != std::string::npos;
}

Result<std::unique_ptr<llvm::Module>> read(const Library& library, const llvm::Module& into, const std::string& heard) {
  const llvm::MemoryBufferRef bytes(library.bytes, library.name);
  llvm::Expected<std::unique_ptr<llvm::Module>> module = llvm::parseBitcodeFile(bytes, into.getContext());
  if (!module) return invalid_argument(library.name + ": " + llvm::toString(module.takeError()) + heard);
  const llvm::Triple own = into.getTargetTriple(), other = (*module)->getTargetTriple();
  if (other.getArch() != llvm::Triple::UnknownArch && other.getArch() != own.getArch())
    return invalid_argument(library.name + " is bitcode for " + other.str() + ", and the target is " + own.str());
  (*module)->setTargetTriple(own);
  (*module)->setDataLayout(into.getDataLayout());
  return std::move(*module);
}

void make_internal(llvm::Module& linked, const llvm::StringSet<>& names) {
  for (const auto& name : names)
    if (llvm::GlobalValue* global = linked.getNamedValue(name.getKey()); global != nullptr && !global->isDeclaration())
      global->setLinkage(llvm::GlobalValue::InternalLinkage);
}

/// What the module calls must take what it is given.
Result<void> check_types(const llvm::Module& module, const llvm::Module& defining, const Library& library) {
  for (const llvm::Function& declared : module) {
    const llvm::Function* defined =
        declared.hasFnAttribute(kExternal) ? defining.getFunction(declared.getName()) : nullptr;
    if (defined == nullptr || defined->isDeclaration()) continue;
    for (const llvm::User* user : declared.users())
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
          call && call->getFunctionType() != defined->getFunctionType())
        return invalid_argument("`" + declared.getName().str() + "` is declared as " +
                                type_text(*call->getFunctionType()) + ", and defined as " +
                                type_text(*defined->getFunctionType()) + " in " + library.name);
  }
  return {};
}

/// What is not defined, and was not left to others before.
std::vector<std::string> undefined_in(const llvm::Module& module, const std::set<std::string>& before) {
  std::vector<std::string> names;
  for (const std::string& name : declarations_in(module))
    if (module.getFunction(name)->hasFnAttribute(kExternal) || !before.contains(name)) names.push_back(name);
  return names;
}

/// Links with LLVM's reports of the context going to `heard`.
Result<void> link_bitcode(llvm::Module& module, const std::vector<Library>& libraries, const std::string& heard) {
  const bool is_gpu = module.getTargetTriple().isNVPTX();
  for (const Library& library : libraries) {
    if (!is_bitcode(library)) {
      if (!is_for_driver(library))
        return invalid_argument(library.name + " is no LLVM bitcode, PTX, cubin, fatbin, object or archive");
      if (!is_gpu) return invalid_argument(library.name + " is for GPUs: the CPU device links LLVM bitcode alone");
      continue;
    }
    Result<std::unique_ptr<llvm::Module>> other = read(library, module, heard);
    if (!other) return other.error();
    if (Result<void> fits = check_types(module, **other, library); !fits) return fits;
    if (llvm::Linker::linkModules(module, std::move(*other), llvm::Linker::LinkOnlyNeeded, make_internal))
      return invalid_argument(library.name + " cannot be linked: " + heard);
  }
  return {};
}

}  // namespace

Result<std::vector<Library>> link_libraries(llvm::Module& module, const std::vector<Library>& libraries) {
  const std::set<std::string> before = declarations_in(module);
  llvm::LLVMContext& context = module.getContext();
  std::string heard;
  std::unique_ptr<llvm::DiagnosticHandler> usual = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<Listener>(heard));
  const Result<void> linked = link_bitcode(module, libraries, heard);
  context.setDiagnosticHandler(std::move(usual));
  if (!linked) return linked.error();

  const std::vector<std::string> undefined = undefined_in(module, before);
  std::vector<Library> left;
  if (undefined.empty()) return left;
  for (const Library& library : libraries)
    if (!is_bitcode(library)) left.push_back(library);
  if (!left.empty()) return left;
  if (module.getFunction(undefined.front())->hasFnAttribute(kExternal))
    return invalid_argument("`" + undefined.front() +
                            "` is declared with @extern and defined nowhere: link a library that defines it");
  return invalid_argument("`" + undefined.front() + "`, which a linked library calls, is defined nowhere");
}

}  // namespace pykc::codegen
