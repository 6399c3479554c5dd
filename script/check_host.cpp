#include "script/check_host.h"

#include <algorithm>
#include <map>
#include <set>

#include "frontend/program/function_kind.h"
#include "frontend/syntax/ast_walk.h"
#include "script/functions/functions.h"
#include "script/functions/instead.h"
#include "script/functions/libraries.h"

namespace pykc::script {
namespace {

using NameSet = std::set<std::string, std::less<>>;

/// The names that a target of an assignment binds.
void add_targets(const ast::Expr& target, NameSet& names) {
  if (const auto* name = target.as<ast::Name>()) {
    names.insert(name->id);
    return;
  }
  if (target.as<ast::Tuple>() || target.as<ast::List>() || target.as<ast::Starred>())
    ast::for_each_child(target, [&](const ast::Expr& part) { add_targets(part, names); });
}

/// The names that an expression binds in itself: a lambda's parameters, the targets of a comprehension.
void add_bound(const ast::Expr& expr, NameSet& names) {
  std::visit(
      [&](const auto& node) {
        if constexpr (requires { node.function->parameters; })
          for (const ast::Parameter& parameter : node.function->parameters) names.insert(parameter.name);
        if constexpr (requires { node.clauses; })
          for (const auto& clause : node.clauses) add_targets(*clause.target, names);
      },
      expr.node);
  ast::for_each_child(expr, [&](const ast::Expr& child) { add_bound(child, names); });
}

void add_names(const ast::Suite& suite, NameSet& names);

/// All names that a function binds anywhere, those of functions inside it too: more than Python sees at one place.
void add_names(const ast::FunctionDef& function, NameSet& names) {
  for (const ast::Parameter& parameter : function.parameters) names.insert(parameter.name);
  add_names(function.body, names);
}

void add_names(const ast::Stmt& stmt, NameSet& names) {
  std::visit(
      [&](const auto& node) {
        if constexpr (requires { node.targets; })
          for (const ast::ExprPtr& target : node.targets) add_targets(*target, names);
        if constexpr (requires { node.target; })
          if (node.target) add_targets(*node.target, names);
        if constexpr (requires { node.name_range; }) names.insert(node.name);
      },
      stmt.node);
  if (const auto* function = stmt.as<ast::FunctionDef>()) add_names(*function, names);
  if (const auto* import = stmt.as<ast::Import>())
    for (const ast::ImportAlias& alias : import->names) names.insert(alias.as);
  if (const auto* unsupported = stmt.as<ast::UnsupportedStmt>())
    names.insert(unsupported->names.begin(), unsupported->names.end());
  ast::for_each_expression(stmt, [&](const ast::Expr& expr) { add_bound(expr, names); });
  ast::for_each_nested(stmt, [&](const ast::Stmt& nested) { add_names(nested, names); });
}

void add_names(const ast::Suite& suite, NameSet& names) {
  for (const ast::StmtPtr& stmt : suite) add_names(*stmt, names);
}

/// What a name of the file stands for, where that never changes.
struct Known {
  const ast::FunctionDef* function = nullptr;
  std::optional<Value> value;  // a module that is built in, or something out of one
};

class HostChecker {
 public:
  explicit HostChecker(const Program& program) : program_(program), module_(*program.main) {}

  std::vector<Diagnostic> run() && {
    if (!is_run_by_host()) return {};
    declare();
    const NameSet none;
    for (const ast::StmtPtr& stmt : module_.body)
      if (!stmt->as<ast::FunctionDef>() && !stmt->as<ast::ClassDef>()) check(*stmt, none);
    for (const ast::StmtPtr& stmt : module_.body) {
      const auto* function = stmt->as<ast::FunctionDef>();
      if (function && is_entry(*function)) visit(*function);
    }
    return diagnostics_.take();
  }

 private:
  bool is_entry(const ast::FunctionDef& function) const {
    return function.name == "main" || kind_of(module_, function) == FunctionKind::Test;
  }

  /// A file of kernels alone is never run, and its constants may be such that only kernels know them.
  bool is_run_by_host() const {
    return std::ranges::any_of(module_.body, [&](const ast::StmtPtr& stmt) {
      const auto* function = stmt->as<ast::FunctionDef>();
      return function ? is_entry(*function) : stmt->as<ast::ExprStmt>() != nullptr;
    });
  }

  // ---- the names of the file ----

  void declare() {
    for (const ast::StmtPtr& stmt : module_.body) {
      NameSet bound;
      add_names(*stmt, bound);
      const auto* function = stmt->as<ast::FunctionDef>();
      if (function) bound = {function->name};
      for (const std::string& name : bound) changed_[name] |= !names_.insert(name).second;
      if (function) known_[function->name] = {function, std::nullopt};
      if (const auto* import = stmt->as<ast::Import>()) declare(*import);
    }
  }

  void declare(const ast::Import& import) {
    for (const ast::ImportAlias& alias : import.names) {
      if (import.is_from && alias.name == "*") {
        declare_all(import.module);
        continue;
      }
      const bool binds_first = !import.is_from && alias.as == alias.name.substr(0, alias.name.find('.'));
      const std::string module = import.is_from ? import.module : binds_first ? alias.as : alias.name;
      const std::optional<Library> library = program_.find(module) ? std::nullopt : library_named(module);
      if (!library) continue;
      const Value owner(LibraryValue{*library});
      if (!import.is_from) known_[alias.as] = {nullptr, owner};
      if (!import.is_from) continue;
      if (Outcome<Value> member = attribute(owner, alias.name)) known_[alias.as] = {nullptr, *member};
    }
  }

  /// `from module import *`
  void declare_all(const std::string& name) {
    if (const ast::Module* module = program_.find(name))
      add_names(module->body, names_);
    else if (const std::optional<Library> library = library_named(name))
      star_imports_.push_back(*library);
    else
      knows_all_ = false;
  }

  /// What a name of the file stands for; null where it may change, or is a variable of the function.
  const Known* known(const ast::Expr& expr, const NameSet& locals) const {
    const auto* name = expr.as<ast::Name>();
    if (!name || locals.contains(name->id)) return nullptr;
    const auto found = known_.find(name->id);
    const auto changed = changed_.find(name->id);
    return found == known_.end() || (changed != changed_.end() && changed->second) ? nullptr : &found->second;
  }

  const ast::FunctionDef* function_of(const ast::Expr& expr, const NameSet& locals) const {
    const Known* found = known(expr, locals);
    return found ? found->function : nullptr;
  }

  /// The value of a name or attribute that is built in: `np`, `np.random.rand`, `zeros`.
  std::optional<Value> built_in(const ast::Expr& expr, const NameSet& locals) const {
    if (const auto* dotted = expr.as<ast::Attribute>()) {
      const std::optional<Value> owner = built_in(*dotted->value, locals);
      if (!owner || !owner->is<LibraryValue>()) return std::nullopt;
      const Outcome<Value> member = attribute(*owner, dotted->name);
      return member ? std::optional(*member) : std::nullopt;
    }
    const auto* name = expr.as<ast::Name>();
    if (!name || locals.contains(name->id)) return std::nullopt;
    if (const Known* found = known(expr, locals)) return found->value;
    if (names_.contains(name->id)) return std::nullopt;
    for (const Library library : star_imports_)
      if (const Outcome<Value> member = attribute(Value(LibraryValue{library}), name->id)) return *member;
    return prelude_value(name->id);
  }

  // ---- statements and expressions ----

  void visit(const ast::FunctionDef& function) {
    if (!visited_.insert(&function).second) return;
    NameSet locals;
    add_names(function, locals);
    for (const ast::Parameter& parameter : function.parameters)
      if (parameter.default_value) check(*parameter.default_value, locals);
    for (const ast::StmtPtr& stmt : function.body) check(*stmt, locals);
  }

  void check(const ast::Stmt& stmt, const NameSet& locals) {
    if (const auto* with = stmt.as<ast::With>(); with && is_raises(*with->context)) return;
    if (const auto* function = stmt.as<ast::FunctionDef>(); function && function->decorators.empty())
      for (const ast::StmtPtr& inner : function->body) check(*inner, locals);
    if (const auto* raise = stmt.as<ast::Raise>(); raise && raise->exception) return check_exception(*raise, locals);
    ast::for_each_expression(stmt, [&](const ast::Expr& expr) { check(expr, locals); });
    ast::for_each_nested(stmt, [&](const ast::Stmt& nested) { check(nested, locals); });
  }

  /// Only the message is evaluated: exceptions are no values here.
  void check_exception(const ast::Raise& raise, const NameSet& locals) {
    const auto* call = raise.exception->as<ast::Call>();
    const ast::Expr& exception = call ? *call->function : *raise.exception;
    if (const auto* name = exception.as<ast::Name>(); name && !is_exception_name(name->id))
      check_name(*name, exception.range, locals);
    if (!call) return;
    for (const ast::ExprPtr& argument : call->arguments) check(*argument, locals);
  }

  static bool is_raises(const ast::Expr& context) {
    const auto* call = context.as<ast::Call>();
    const auto* name = call ? call->function->as<ast::Name>() : nullptr;
    return name && name->id == "raises";
  }

  void check(const ast::Expr& expr, const NameSet& locals) {
    if (const auto* name = expr.as<ast::Name>()) check_name(*name, expr.range, locals);
    if (const auto* dotted = expr.as<ast::Attribute>()) check_attribute(*dotted, locals);
    if (const auto* call = expr.as<ast::Call>()) check_call(*call, expr.range, locals);
    if (const auto* subscript = expr.as<ast::Subscript>()) check_brackets(*subscript, locals);
    ast::for_each_child(expr, [&](const ast::Expr& child) { check(child, locals); });
  }

  void check_name(const ast::Name& name, SourceRange range, const NameSet& locals) {
    if (!knows_all_ || name.id.starts_with("__") || locals.contains(name.id) || names_.contains(name.id)) return;
    for (const Library library : star_imports_)
      if (attribute(Value(LibraryValue{library}), name.id)) return;
    if (prelude_value(name.id) || name.id == "raises") return;
    if (is_kernel_name(name.id)) return report(fail(DiagnosticId::HostDeviceOnly, name.id), range);
    std::vector<std::string_view> near = function_names(Library::Prelude);
    near.insert(near.end(), names_.begin(), names_.end());
    near.insert(near.end(), locals.begin(), locals.end());
    Failure failure = fail(DiagnosticId::HostUnknownName, name.id);
    if (name.id == "np") failure.notes.push_back("write `import numpy as np` at the top of the file");
    if (name.id == "cuda") failure.notes.push_back("write `from numba import cuda` at the top of the file");
    if (const std::string_view note = instead_of(Library::Prelude, name.id); !note.empty())
      failure.notes.emplace_back(note);
    if (failure.notes.empty()) failure.fix = nearest(name.id, near);
    report(std::move(failure), range);
  }

  void check_attribute(const ast::Attribute& dotted, const NameSet& locals) {
    const std::optional<Value> owner = built_in(*dotted.value, locals);
    if (!owner || !owner->is<LibraryValue>()) return;
    Outcome<Value> member = attribute(*owner, dotted.name);
    if (!member) report(std::move(member.failure()), dotted.name_range);
  }

  void check_call(const ast::Call& call, SourceRange range, const NameSet& locals) {
    const bool is_open =
        std::ranges::any_of(call.arguments, [](const auto& a) { return a->template as<ast::Starred>(); });
    if (const auto* subscript = call.function->as<ast::Subscript>()) {
      const ast::FunctionDef* kernel = function_of(*subscript->value, locals);
      if (kernel && !is_open && kind_of(module_, *kernel) == FunctionKind::Kernel) check_launch(*kernel, call, range);
      return;
    }
    if (const ast::FunctionDef* function = function_of(*call.function, locals)) {
      check_call_of(*function, call, range, is_open);
      return;
    }
    const std::optional<Value> callee = built_in(*call.function, locals);
    const auto* builtin = callee ? callee->as<BuiltinValue>() : nullptr;
    if (!builtin || is_open) return;
    std::vector<std::string> keywords;
    for (const ast::Keyword& keyword : call.keywords) keywords.push_back(keyword.name);
    if (std::optional<Failure> misfit = check_arguments(*builtin->function, call.arguments.size(), keywords))
      report(std::move(*misfit), range);
  }

  void check_call_of(const ast::FunctionDef& function, const ast::Call& call, SourceRange range, bool is_open) {
    switch (kind_of(module_, function)) {
      case FunctionKind::Kernel:
        if (is_raw_kernel(module_, function)) return;
        report(
            fail(DiagnosticId::HostKernelWithoutLaunch, function.name).suggest(function.name + "[blocks, threads](…)"),
            range);
        return;
      case FunctionKind::Plain:
      case FunctionKind::Compiled:
      case FunctionKind::Test:
        if (!is_open) check_parameters(function, call, range);
        visit(function);
        return;
      default:
        return;
    }
  }

  /// The arguments of a function of the file.
  void check_parameters(const ast::FunctionDef& function, const ast::Call& call, SourceRange range) {
    if (!function.decorators.empty()) return;
    const std::vector<ast::Parameter>& parameters = function.parameters;
    const auto variadic = std::ranges::find_if(parameters, &ast::Parameter::is_variadic);
    const auto positional = static_cast<std::size_t>(variadic - parameters.begin());
    if (variadic == parameters.end() && call.arguments.size() > positional)
      return report(
          fail(DiagnosticId::HostTooManyArguments, "`" + function.name + "`", parameters.size(), call.arguments.size()),
          range);
    NameSet given;
    for (std::size_t i = 0; i < std::min(positional, call.arguments.size()); ++i) given.insert(parameters[i].name);
    for (const ast::Keyword& keyword : call.keywords) {
      if (std::ranges::find(parameters, keyword.name, &ast::Parameter::name) == parameters.end()) {
        std::vector<std::string_view> near;
        for (const ast::Parameter& parameter : parameters) near.push_back(parameter.name);
        report(fail(DiagnosticId::HostUnknownKeyword, function.name, keyword.name).suggest(nearest(keyword.name, near)),
               range);
      } else if (!given.insert(keyword.name).second) {
        report(fail(DiagnosticId::HostRepeatedArgument, function.name, keyword.name), range);
      }
    }
    for (const ast::Parameter& parameter : parameters)
      if (!parameter.default_value && !parameter.is_variadic && !given.contains(parameter.name))
        return report(fail(DiagnosticId::HostMissingArgument, function.name, parameter.name), range);
  }

  void check_launch(const ast::FunctionDef& kernel, const ast::Call& call, SourceRange range) {
    const bool has_open_count =
        is_autotuned(kernel) || std::ranges::any_of(kernel.parameters, [](const auto& parameter) {
          return parameter.is_variadic || parameter.default_value;
        });
    if (has_open_count || !call.keywords.empty() || call.arguments.size() == kernel.parameters.size()) return;
    report(fail(DiagnosticId::HostKernelArgumentCount, kernel.name, kernel.parameters.size(), call.arguments.size()),
           range);
  }

  /// `kernel[blocks, threads]`
  void check_brackets(const ast::Subscript& subscript, const NameSet& locals) {
    const ast::FunctionDef* function = function_of(*subscript.value, locals);
    if (!function) return;
    const FunctionKind kind = kind_of(module_, *function);
    const bool is_device =
        kind == FunctionKind::Device || kind == FunctionKind::Generalized || kind == FunctionKind::Reduction;
    if (kind == FunctionKind::Plain || is_device) {
      if (!function->decorators.empty() && !is_device) return;
      report(fail(DiagnosticId::HostNotAKernel, function->name, is_device ? "a device function" : "a host function")
                 .note(is_device ? "mark it `@kernel` instead, or call it in a kernel"
                                 : "put `@kernel` on the line above `def " + function->name + "`"),
             subscript.value->range);
      return;
    }
    const bool is_number = subscript.index->as<ast::IntLiteral>() != nullptr;
    if (kind == FunctionKind::Kernel && is_number)
      report(fail(DiagnosticId::HostLaunchConfiguration, "it needs a grid and a block")
                 .suggest(function->name + "[blocks, threads](…)"),
             subscript.index->range);
  }

  void report(Failure failure, SourceRange range) {
    const std::vector<MessageArgument> arguments(failure.arguments.begin(), failure.arguments.end());
    auto builder = diagnostics_.report_kept(*module_.file, range, failure.id, arguments);
    for (const std::string& note : failure.notes) builder.note(note);
    if (!failure.fix.empty()) builder.fix(failure.fix);
  }

  const Program& program_;
  const ast::Module& module_;
  NameSet names_;                                     // of the module
  std::map<std::string, bool, std::less<>> changed_;  // whether a name is bound more than once
  std::map<std::string, Known, std::less<>> known_;
  std::vector<Library> star_imports_;
  bool knows_all_ = true;  // no star import of what is not there
  std::set<const ast::FunctionDef*> visited_;
  Diagnostics diagnostics_;
};

}  // namespace

std::vector<Diagnostic> check_host(const Program& program) { return HostChecker(program).run(); }

}  // namespace pykc::script
