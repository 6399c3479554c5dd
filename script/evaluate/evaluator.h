// Runs host code: a walk over the syntax tree with dynamic values. Here is the context that the subjects' functions
// share; each subject has a header beside its source. What an operation means is not here but in elementwise.h,
// indexing.h, functions.h and launcher.h.
//
// A failure is located at the innermost expression that failed, and collects the calls that led there on its way out.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/frontend.h"
#include "frontend/syntax/ast.h"
#include "script/functions/run.h"
#include "script/launch/launcher.h"
#include "script/values/outcome.h"
#include "script/values/scope.h"
#include "script/values/value.h"

namespace pykc::script {

/// One call of a function of the file; the module's own statements run in a frame without variables.
struct Frame {
  Scope* module = nullptr;
  std::shared_ptr<Environment> environment = {};
  Value result = {};
};

/// How a statement ends.
enum class Flow : std::uint8_t { Next, Break, Continue, Return };

struct Evaluator {
  Evaluator(const Program& program, Run& run);
  /// What functions and objects hold of one another goes, too.
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  Outcome<Value> evaluate(const ast::Expr& expr);
  /// The file whose code runs.
  const SourceFile& file() const { return frame->module->file(); }
  /// The failure at this place of the file, unless it knows its place already.
  Failure located(Failure failure, SourceRange range) const;
  template <typename T>
  Outcome<T> located(Outcome<T> outcome, SourceRange range) const {
    if (!outcome) return located(std::move(outcome.failure()), range);
    return outcome;
  }
  /// Whether more recursion would overflow the stack of the host.
  bool is_too_deep() const;

  const Program& program;
  Run& run;
  Launcher launcher;
  const void* const stack_base;
  Frame* frame = nullptr;
  Scope* main = nullptr;
  std::map<const ast::Module*, std::unique_ptr<Scope>> scopes;  // of the modules that have run
  std::deque<Scope> enums;
  std::map<const void*, std::vector<std::string>> variables;  // of functions and comprehensions
  std::vector<std::weak_ptr<Environment>> kept;               // by functions that outlive their calls
  std::vector<std::weak_ptr<Instance>> instances;
  std::set<const ast::FunctionDef*> called;
  std::set<const ast::Assert*> held;  // asserts, each counted once
};

}  // namespace pykc::script
