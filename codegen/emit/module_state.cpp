#include "codegen/emit/module_state.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "codegen/kernel_info.h"
#include "codegen/math/library.h"
#include "ir/walk.h"

namespace pykc::codegen {
namespace {

/// PTX gives constant memory 64 KiB a module; larger tables go to global memory.
constexpr std::size_t kConstantMemory = 60 * 1024;

TargetTypes types_of(const ir::Module& source, const Target& target) {
  if (target.kind == Target::Kind::Cpu) return {.bf16_is_integer = true};
  std::size_t constant_bytes = 0;
  for (const ir::ConstantArray& array : source.constant_arrays) constant_bytes += round_up(array.bytes.size(), 16);
  return {.global = 1, .shared = 3, .local = 0, .constant = constant_bytes <= kConstantMemory ? 4U : 1U, .cluster = 7};
}

}  // namespace

ModuleState::ModuleState(const ir::Module& source, const Part& part, const Target& target, const Options& options,
                         const llvm::TargetMachine& machine, llvm::Module& module)
    : source(source),
      part(part),
      target(target),
      options(options),
      machine(machine),
      module(module),
      context(module.getContext()),
      types(types_of(source, target)) {
  collect_traits();
  if (!options.line_info || source.source->name().empty()) return;
  debug_ = std::make_unique<llvm::DIBuilder>(module);
  debug_file_ = debug_->createFile(source.source->name(), ".");
  // Directives only: lines for profilers and sanitizers at full optimisation, no DWARF of types and variables.
  debug_->createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_Python), debug_file_, "pykc", true, "", 0,
                            "", llvm::DICompileUnit::DebugDirectivesOnly);
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
}

/// Callees stand before callers but for recursion, so repeat until nothing changes.
void ModuleState::collect_traits() {
  for (const ir::Function* function : part.functions) traits_[function] = {};
  bool changed = true;
  while (changed) {
    changed = false;
    for (const ir::Function* function : part.functions) {
      FunctionTraits found;
      found.meets_itself = !function->local_arrays.empty();
      found.recurses = function->is_recursive;
      ir::for_each_instruction(function->body, [&](const ir::Instruction* i) {
        const FunctionTraits callee = i->opcode == ir::Opcode::Call ? traits_.at(i->callee) : FunctionTraits{};
        found.can_fault |= i->opcode == ir::Opcode::Fault || callee.can_fault;
        found.asks_for_place |= found.can_fault || i->opcode == ir::Opcode::AnyFault ||
                                i->opcode == ir::Opcode::Observe || ir::tells_place(i) || callee.asks_for_place;
        found.waits |= ir::is_meeting_point(i) || callee.waits;
        found.recurses |= callee.recurses;
        const bool is_atomic = i->opcode == ir::Opcode::AtomicRmw || i->opcode == ir::Opcode::AtomicCas ||
                               i->opcode == ir::Opcode::AtomicLoad || i->opcode == ir::Opcode::AtomicStore;
        found.meets_itself |= is_atomic || callee.meets_itself;
      });
      FunctionTraits& known = traits_.at(function);
      changed |= known != found;
      known = found;
    }
  }
}

int ModuleState::kernel_index(const ir::Function& kernel) const {
  if (kernel.plain != nullptr) return kernel_index(*kernel.plain);
  int index = 0;
  for (const auto& function : source.functions) {
    if (function.get() == &kernel) break;
    index += function->is_kernel;
  }
  return index;
}

llvm::GlobalVariable* ModuleState::constant_array(std::int64_t index) {
  llvm::GlobalVariable*& global = constant_arrays_[index];
  if (global != nullptr) return global;
  const ir::ConstantArray& array = source.constant_arrays[static_cast<std::size_t>(index)];
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(context, array.bytes, false);
  const auto linkage = array.host ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
  const bool is_elsewhere = array.host && !part.is_first;
  const std::string name = array.host ? constant_symbol(*array.host, target) : "constant." + array.name;
  global = new llvm::GlobalVariable(module, bytes->getType(), true, linkage, is_elsewhere ? nullptr : bytes, name,
                                    nullptr, llvm::GlobalValue::NotThreadLocal, types.constant);
  global->setAlignment(llvm::Align(16));
  // A launch never sees it change, but what it holds is not what stands here.
  global->setExternallyInitialized(array.host && part.is_first);
  if (array.host) global->setDSOLocal(true);
  return global;
}

void ModuleState::define_host_constants() {
  if (!part.is_first) return;
  for (std::size_t i = 0; i < source.constant_arrays.size(); ++i)
    if (source.constant_arrays[i].host) constant_array(static_cast<std::int64_t>(i));
}

llvm::Constant* ModuleState::text(std::string_view text) {
  llvm::Constant*& address = texts_[std::string(text)];
  if (address != nullptr) return address;
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(context, llvm::StringRef(text.data(), text.size()), true);
  auto* global = new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::InternalLinkage, bytes,
                                          "text", nullptr, llvm::GlobalValue::NotThreadLocal, types.global);
  return address = llvm::ConstantExpr::getPointerBitCastOrAddrSpaceCast(global, llvm::PointerType::get(context, 0));
}

llvm::Function* ModuleState::math_function(std::string_view name, llvm::Type* type) {
  return library_function(math_symbol(name, type), math_signature(name, type));
}

llvm::Function* ModuleState::library_function(const std::string& symbol, llvm::FunctionType* type) {
  if (llvm::Function* known = module.getFunction(symbol)) return known;
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, module);
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  return function;
}

void ModuleState::begin_debug_info(const ir::Function& source_function, llvm::Function& function) {
  if (debug_ == nullptr) return;
  const SourceFile& text = ir::source_of(source, source_function);
  const auto line = static_cast<unsigned>(text.line_column(source_function.range.begin).line);
  llvm::DIFile* file = &text == source.source.get() ? debug_file_ : debug_->createFile(text.name(), ".");
  llvm::DISubroutineType* type = debug_->createSubroutineType(debug_->getOrCreateTypeArray({}));
  function.setSubprogram(debug_->createFunction(
      file, source_function.name, function.getName(), file, line, type, line, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized));
}

/// Code of another file, which was inlined, has no line of this function: line 0.
llvm::DebugLoc ModuleState::location(const ir::Instruction& i, const ir::Function& source_function,
                                     llvm::Function& function) const {
  if (debug_ == nullptr) return {};
  const SourceFile::LineColumn place = i.source != nullptr
                                           ? SourceFile::LineColumn{0, 0}
                                           : ir::source_of(source, source_function).line_column(i.range.begin);
  return llvm::DILocation::get(context, static_cast<unsigned>(place.line), static_cast<unsigned>(place.column),
                               function.getSubprogram());
}

void ModuleState::finish_debug_info() {
  if (debug_ != nullptr) debug_->finalize();
}

}  // namespace pykc::codegen
