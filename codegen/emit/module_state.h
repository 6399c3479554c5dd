// What the functions of one module share while they are emitted: the LLVM module, the declared functions, and what is
// known of a function as a whole before its first instruction is emitted.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "codegen/codegen.h"
#include "codegen/emit/types.h"
#include "codegen/parts.h"
#include "ir/module.h"

namespace pykc::codegen {

/// Facts about a function that include what it calls.
struct FunctionTraits {
  bool can_fault = false;
  bool asks_for_place = false;  // of its thread, its block, or the record of faults
  bool waits = false;           // has a barrier or a warp operation: LLVM must not move its calls into branches
  bool recurses = false;        // calls itself, by itself or through others, or one that does
  bool meets_itself =
      false;  // has local arrays or atomic operations: turns of a block's threads may meet at an address
  friend bool operator==(const FunctionTraits&, const FunctionTraits&) = default;
};

class ModuleState {
 public:
  ModuleState(const ir::Module& source, const Part& part, const Target& target, const Options& options,
              const llvm::TargetMachine& machine, llvm::Module& module);
  ModuleState(const ModuleState&) = delete;
  ModuleState& operator=(const ModuleState&) = delete;

  const ir::Module& source;
  const Part& part;
  const Target& target;
  const Options& options;
  const llvm::TargetMachine& machine;
  llvm::Module& module;
  llvm::LLVMContext& context;
  TargetTypes types;
  std::unordered_map<const ir::Function*, llvm::Function*> functions;

  const FunctionTraits& traits(const ir::Function& function) const { return traits_.at(&function); }
  /// The number of a kernel in Artifact::kernels.
  int kernel_index(const ir::Function& kernel) const;

  llvm::GlobalVariable* constant_array(std::int64_t index);
  /// Those that the host fills are there even where no kernel uses them; of the parts of a module, in the first.
  void define_host_constants();
  /// Address of a zero-terminated text, in the generic address space.
  llvm::Constant* text(std::string_view text);
  /// The embedded math library's `name` for f32 or f64; its body is linked in after all functions are emitted.
  llvm::Function* math_function(std::string_view name, llvm::Type* type);
  llvm::Function* library_function(const std::string& symbol, llvm::FunctionType* type);

  /// Line information, where it was asked for.
  void begin_debug_info(const ir::Function& source_function, llvm::Function& function);
  llvm::DebugLoc location(const ir::Instruction& i, const ir::Function& source_function,
                          llvm::Function& function) const;
  void finish_debug_info();

 private:
  void collect_traits();
  std::unordered_map<const ir::Function*, FunctionTraits> traits_;
  std::unordered_map<std::int64_t, llvm::GlobalVariable*> constant_arrays_;
  std::unordered_map<std::string, llvm::Constant*> texts_;
  std::unique_ptr<llvm::DIBuilder> debug_;
  llvm::DIFile* debug_file_ = nullptr;
};

}  // namespace pykc::codegen
