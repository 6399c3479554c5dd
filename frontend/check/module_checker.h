// What one run of the checker shares between functions: the scopes of all modules, the table of names, the memo tables
// of specialisations and constants, and the checked module that is built.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "frontend/check/calls/signatures.h"
#include "frontend/check/names/names.h"
#include "frontend/check/names/scope.h"
#include "frontend/checked/tree.h"
#include "frontend/frontend.h"

namespace pykc::checker {

/// What a table is called until a variable names it.
inline constexpr std::string_view kUnnamedTable = "table";

inline constexpr std::int64_t kMostConstantBytes = 64 * 1024;

class Session {
 public:
  Session(const Program& program, const CheckOptions& options, Diagnostics& diagnostics);

  checked::Module run(const std::vector<KernelRequest>& requests);
  /// No function of the module gets this symbol.
  void reserve_symbol(const std::string& name);
  static bool is_reserved_symbol(std::string_view name);
  /// Whether `@extern` declares what can be called; else it is reported, at each call for one.
  bool check_external(FunctionDecl& function);
  std::map<std::string, RecordRef> records(const ast::Module& module);
  std::vector<Configuration> configurations(const ast::Module& module, const ast::FunctionDef& def);

  const CheckOptions& options() const { return options_; }
  const NameTable& names() const { return name_table(); }
  const BuiltinSignature& signature(BuiltinId id) { return signatures_.of(id); }
  checked::Module& module() { return module_; }
  /// Trees that only serve to find out types; they go when `release_scratch` is called with an earlier mark.
  std::deque<checked::Expr>& scratch() { return scratch_; }
  void release_scratch(std::size_t mark);
  /// Where reports go: to the user, or (while types are only being worked out) nowhere.
  Diagnostics& diagnostics(bool is_trial) { return is_trial ? trial_diagnostics_ : diagnostics_; }

  const Scope* scope_of(std::string_view module) const;

  /// What the function states of its types, from annotations or a signature.
  void read_types(FunctionDecl& function);
  const Entity& constant(ConstantDecl& constant);
  bool read_class(ClassDecl& decl);  // names/class.cpp
  const ClassDecl* add_named_tuple(std::string name, std::vector<std::string> names, const Scope& scope,
                                   SourceRange range);
  /// Which types variables and result have when the function is called with these.
  Specialization& infer(FunctionDecl& function, const std::vector<InferredType>& arguments);
  /// The checked function. Its body may still be under way when the function is recursive.
  checked::Function* emit(FunctionDecl& function, Specialization& specialization);

  /// A function, type or constant as part of a type: the number stands for it.
  int intern(const Entity& entity);
  const Entity& static_entity(int number) const { return statics_[static_cast<std::size_t>(number)]; }
  /// A function inside another one.
  FunctionDecl& nested_function(const ast::FunctionDef& def, const FunctionDecl& enclosing);
  /// Whether shapes of arrays are made of a parameter: then it is known while compiling where its argument is.
  bool is_shape_parameter(FunctionDecl& function, std::size_t index);  // types/generic.cpp
  /// Whether a field or an element of the parameter is assigned: then a record is passed by reference.
  bool changes_parameter(FunctionDecl& function, std::size_t index);  // types/generic.cpp
  FunctionDecl& device_function_of(const FunctionDecl& kernel);       // types/overload.cpp

  Table* add_table(Table table);
  int constant_array(const Table* table);
  /// A symbol for what the source calls `name`: that name, unless another has it.
  std::string unique_symbol(std::string_view name);
  int add_fault(FaultSite site);

  /// Guards the depth of the program's own recursion: nested code, and functions that specialise functions.
  static constexpr int kDeepest = 1200;
  static constexpr int kMostNestedSpecializations = 64;
  int depth = 0;
  int specialization_depth = 0;

 private:
  // names/declare.cpp
  void declare_modules(const Program& program);
  void declare(Scope& scope);
  void report_defined_twice(const Scope& scope);
  void declare_function(Scope& scope, const ast::FunctionDef& def);
  void declare_target(Scope& scope, const ast::Expr& target, const ConstantDecl& prototype);
  void declare_import(Scope& scope, const ast::Import& import);
  void import_star(Scope& scope, const std::string& module);
  void import_name(Scope& scope, const std::string& module, const ast::ImportAlias& alias);

  // module_checker.cpp
  void declare_host_constants();
  void check_all_kernels();
  void check_request(const KernelRequest& asked);
  void check_kernel(FunctionDecl& kernel, std::vector<InferredType> arguments);
  void check_untyped(FunctionDecl& function);
  void check_configurations(FunctionDecl& kernel);
  std::vector<std::vector<checked::Type>> overloads_of(const FunctionDecl& kernel);
  std::optional<std::vector<checked::Type>> best_overload(const FunctionDecl& kernel,
                                                          const std::vector<checked::Type>& given);
  FunctionDecl* find_kernel(const KernelRequest& request);
  std::optional<checked::Type> requested_type(const FunctionDecl& kernel, const ArgumentType& argument);
  std::optional<checked::Type> requested_constant(const FunctionDecl& kernel, const std::string& text);
  std::string unique_symbol(const FunctionDecl& function, const Specialization& specialization);
  std::string unique_symbol_of(std::string symbol);
  void check_limits(const FunctionDecl& decl, const Specialization& kernel);
  std::int64_t place_shared_arrays(const std::vector<const Specialization*>& functions);
  void finish_module();

  const Program& program_;
  const CheckOptions& options_;
  Diagnostics& diagnostics_;
  Diagnostics trial_diagnostics_;
  SignatureTable signatures_;
  std::deque<Scope> scopes_;
  std::deque<FunctionDecl> functions_;
  std::map<std::pair<const ast::FunctionDef*, const FunctionDecl*>, FunctionDecl> nested_functions_;
  std::deque<Entity> statics_;
  std::deque<std::unique_ptr<ast::Module>> request_texts_;
  std::map<std::string, int> static_numbers_;
  std::deque<ConstantDecl> constants_;
  std::deque<ClassDecl> classes_;
  std::deque<Table> tables_;
  std::map<const Table*, int> constant_arrays_;
  std::map<std::string, int> symbols_;
  std::deque<checked::Expr> scratch_;
  std::deque<checked::Function> emitted_;
  std::vector<Specialization*> finished_;  // callees before callers
  checked::Module module_;
};

}  // namespace pykc::checker
