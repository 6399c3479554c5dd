// What one run of the checker shares between functions: the scopes of all modules, the memo tables of specialisations
// and constants, and the checked module that is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/diagnostics.h"
#include "frontend/check/calls/signatures.h"
#include "frontend/check/names/scope.h"
#include "frontend/checked/tree.h"
#include "frontend/frontend.h"

namespace pykc::checker {

/// What a table is called until a variable names it.
inline constexpr std::string_view kUnnamedTable = "table";

inline constexpr std::int64_t kMostConstantBytes = 64 * 1024;

/// Guards the depth of the program's own recursion: nested code, and functions that specialise functions.
inline constexpr int kDeepest = 1200;
inline constexpr int kMostNestedSpecializations = 64;

struct ModuleChecker {
  ModuleChecker(const Program& program, const CheckOptions& options, Diagnostics& diagnostics);

  const BuiltinSignature& signature(BuiltinId id) { return signatures.of(id); }
  /// Trees of `scratch` that were made since it had `mark` nodes go.
  void release_scratch(std::size_t mark);
  /// Where reports go: to the user, or (while types are only being worked out) nowhere.
  Diagnostics& diagnostics(bool is_trial) { return is_trial ? trial_diagnostics : told; }

  const Scope* scope_of(std::string_view module) const;

  const Entity& static_entity(int number) const { return statics[static_cast<std::size_t>(number)]; }

  int depth = 0;
  int specialization_depth = 0;
  int called_specializations = 0;  // of functions that others call; kernels are not counted
  struct CallSite {
    const SourceFile* file;
    SourceRange range;
  };
  std::vector<CallSite> calls;  // of the functions that are being made, the outermost first

  const Program& program;
  const CheckOptions& options;
  const CompileLimits limits = current_limits();
  Diagnostics& told;
  Diagnostics trial_diagnostics;
  SignatureTable signatures;
  std::deque<Scope> scopes;
  std::deque<FunctionDecl> functions;
  std::map<std::pair<const ast::FunctionDef*, const FunctionDecl*>, FunctionDecl> nested_functions;
  std::deque<Entity> statics;                                 // what types name by a number; no two are the same
  std::unordered_multimap<std::size_t, int> statics_by_hash;  // those numbers
  std::deque<std::unique_ptr<ast::Module>> request_texts;
  std::deque<ConstantDecl> constants;
  std::deque<ClassDecl> classes;
  std::deque<Table> tables;
  std::map<const Table*, int> constant_arrays;
  std::map<std::string, int> symbols;
  std::deque<checked::Expr> scratch;  // trees that only serve to find out types
  std::deque<checked::Function> emitted;
  std::vector<Specialization*> finished;  // callees before callers
  checked::Module output;
};

/// Whether what stands there may have PTX, and functions of libraries.
bool may_leave_language(const ModuleChecker& module, const Scope& scope);
Table* add_table(ModuleChecker& module, Table table);
int constant_array(ModuleChecker& module, const Table* table);
int add_fault(ModuleChecker& module, FaultSite site);

}  // namespace pykc::checker
