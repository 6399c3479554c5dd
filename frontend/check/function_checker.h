// Checks the code of one function (or one constant of a module): the context that the subjects' functions share. Each
// subject has a file: expressions/, arrays/, calls/, statements/, types/, names/.
//
// The same rules run twice. First as a trial, which only finds out types: types/infer.cpp evaluates what is assigned to
// variables until no type changes any more. Then for good: statements/statement.cpp walks the body in order, reports
// errors and builds the tree. A trial reports nothing and its trees are thrown away.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/diagnostics.h"
#include "frontend/check/expressions/tree.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/scope.h"
#include "frontend/check/types/flow.h"
#include "frontend/syntax/ast.h"

namespace pykc::checker {

using Expr = checked::Expr;

using Arguments = std::vector<const ast::Expr*>;  // one a parameter; null where it is left out

/// A variable of the function.
struct Local {
  const LocalDecl* decl = nullptr;
  InferredType type;
  bool is_fixed = false;  // by an annotation
  checked::Variable* variable = nullptr;
  const Expr* alias = nullptr;       // an array that never changes: what the name stands for
  const Expr* only_value = nullptr;  // of a variable that is assigned once
  std::vector<Int128> only_numbers;  // the same, of an integer constant or a tuple of them: it can be a shape
  std::optional<Value> bound;        // in a turn of an unrolled loop: the item that the name stands for
  bool needs_zero = false;           // may be read before it is assigned
  std::vector<int> readers;          // sites whose types depend on it
};

/// A loop around the current statement.
struct LoopFrame {
  FlowState on_break;
  FlowState on_continue;  // of an unrolled turn
};

/// An operation that f64 made slow without need.
struct AccidentalDouble {
  SourceRange range, wide;
  ScalarType type;  // of what is wide
  bool narrows_where_stored;
};

struct FunctionChecker {
  /// For a constant of a module, a decorator, an annotation: no variables, reports at once.
  FunctionChecker(ModuleChecker& module, const Scope& scope);
  /// For a function's body.
  FunctionChecker(ModuleChecker& module, FunctionDecl& function, Specialization& specialization, bool is_trial);
  FunctionChecker(const FunctionChecker&) = delete;

  Entity entity(const ast::Expr& expr);
  Value value(const ast::Expr& expr);

  template <typename... Arguments>
  Diagnostics::Builder report(SourceRange range, DiagnosticFor<Arguments...> id, const Arguments&... arguments) {
    return module.diagnostics(is_trial).report(scope.file(), range, id, arguments...);
  }

  ModuleChecker& module;
  const Scope& scope;
  checked::TypePool& types;
  TreeBuilder tree;
  FunctionDecl* function = nullptr;
  Specialization* specialization = nullptr;
  checked::Function* output = nullptr;
  const bool is_trial;
  const TypingRules* rules;  // of the function's dialect, or of the expression's
  std::vector<Local> locals;
  std::map<const ast::For*, LocalSet> assigned_in;
  std::set<const ast::FunctionDef*> open_closures;  // whose captures are being read
  int unrolled_bodies = 1;  // how often the current statement is compiled, with the unrolled loops around it

  // While inferring.
  std::set<int> pending;
  std::set<int> plain_guards;  // those that take their statements once, whatever the types
  int site = -1;
  bool returns_value = false;
  bool met_own_call = false;  // a call of the function itself whose result is not known yet

  // While emitting.
  checked::Suite* suite = nullptr;
  FlowState flow;
  std::vector<LoopFrame> loops;
  bool warns_of_double = false;
  std::optional<AccidentalDouble> accidental_double;  // the first one
};

}  // namespace pykc::checker
