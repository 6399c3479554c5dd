#include "frontend/check/names/autotune.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/declare.h"

namespace pykc::checker {
namespace {

constexpr std::string_view kExample = "@autotune(configs=[config(TILE=16), config(TILE=32)])";

class ConfigurationReader {
 public:
  ConfigurationReader(FunctionChecker& body, const FunctionDecl& function) : body_(body), function_(function) {}

  std::vector<Configuration> read(const ast::Expr& decorator) {
    const ast::Expr* const value = list_of(decorator);
    if (!value) return {};
    const auto* list = value->as<ast::List>();
    if (!list || list->elements.empty()) {
      no_choice(value->range, list ? "has an empty list of configurations" : "has no list of configurations");
      return {};
    }
    std::vector<Configuration> configurations;
    for (const ast::ExprPtr& element : list->elements) {
      const std::optional<Configuration> configuration = read_one(*element, configurations);
      if (!configuration) continue;
      if (configurations.empty()) first_ = element.get();
      configurations.push_back(*configuration);
    }
    return configurations.size() == list->elements.size() ? configurations : std::vector<Configuration>();
  }

 private:
  /// The value of `configs=`, the only thing that the decorator takes; null, and a report, for anything else.
  const ast::Expr* list_of(const ast::Expr& decorator) {
    const auto* call = decorator.as<ast::Call>();
    if (!call || (call->arguments.empty() && call->keywords.empty())) {
      no_choice(decorator.range, "has no configurations");
      return nullptr;
    }
    if (!call->arguments.empty()) {
      body_.report(call->arguments.front()->range, DiagnosticId::DecoratorArgument, "an argument without a name")
          .note("write " + as_code(kExample));
      return nullptr;
    }
    const ast::Expr* list = nullptr;
    for (const ast::Keyword& keyword : call->keywords) {
      if (keyword.name == "configs")
        list = keyword.value.get();
      else
        body_.report(keyword.name_range, DiagnosticId::DecoratorArgument, keyword.name)
            .note("`@autotune` takes `configs=` alone: " + as_code(kExample));
    }
    return list;
  }

  /// `config(TILE=16, ROWS=4)`, with the names that `others` have.
  std::optional<Configuration> read_one(const ast::Expr& expr, const std::vector<Configuration>& others) {
    const auto* call = expr.as<ast::Call>();
    const Entity called = call ? body_.entity(*call->function) : Entity(Unknown{});
    const auto* named = std::get_if<LanguageFunctionRef>(&called);
    if (!named || named->id != LanguageFunction::Config || !call->arguments.empty() || call->keywords.empty()) {
      wrong(expr.range, "are calls of `config` with names and values")
          .note("write `config(TILE=16, ROWS=4)`, in place of a dict or a call of another name");
      return std::nullopt;
    }
    std::vector<Constant> constants;
    bool is_right = true;
    for (const ast::Keyword& keyword : call->keywords) {
      is_right &= is_fitting_name(keyword, others);
      const std::optional<Constant> constant = constant_of(keyword);
      is_right &= constant.has_value();
      if (constant) constants.push_back(*constant);
    }
    if (!is_right) return std::nullopt;
    if (!others.empty())
      for (const Constant& wanted : others.front().constants())
        if (std::ranges::find(constants, wanted.name, &Constant::name) == constants.end()) {
          label_first(wrong(expr.range, "have the same names, and this one lacks " + as_code(wanted.name)));
          return std::nullopt;
        }
    return in_order(Configuration(std::move(constants)), others, expr.range);
  }

  /// With the names in the order of the first one; none, and a report, where it is one of the others again.
  std::optional<Configuration> in_order(const Configuration& configuration, const std::vector<Configuration>& others,
                                        SourceRange range) {
    std::vector<Constant> constants;
    for (const Constant& wanted : (others.empty() ? configuration : others.front()).constants())
      constants.push_back(*configuration.find(wanted.name));
    Configuration ordered(std::move(constants));
    if (texts_.insert(ordered.text()).second) return ordered;
    wrong(range, "differ, and this one stands there twice");
    return std::nullopt;
  }

  bool is_fitting_name(const ast::Keyword& keyword, const std::vector<Configuration>& others) {
    const std::vector<ast::Parameter>& parameters = function_.def->parameters;
    const auto parameter = std::ranges::find(parameters, keyword.name, &ast::Parameter::name);
    if (parameter != parameters.end() && !is_constexpr(*parameter)) {
      wrong(keyword.name_range, "set constants, and the parameter " + as_code(keyword.name) + " is none")
          .label(body_file(), parameter->range, "declared here")
          .note("annotate it: " + as_code(keyword.name + ": constexpr"));
      return false;
    }
    if (others.empty() || others.front().find(keyword.name)) return true;
    label_first(wrong(keyword.name_range, "have the same names, and only this one has " + as_code(keyword.name)));
    return false;
  }

  std::optional<Constant> constant_of(const ast::Keyword& keyword) {
    const Value value = body_.value(*keyword.value);
    if (!value.known()) return std::nullopt;
    if (value.is_constant() && value.scalar() == ScalarType::Bool)
      return Constant(keyword.name, integer_of(*value.expr) != 0);
    if (value.is_constant() && is_integer(value.scalar()) && integer_of(*value.expr) <= INT64_MAX)
      return Constant(keyword.name, static_cast<std::int64_t>(integer_of(*value.expr)));
    body_.report(keyword.value->range, DiagnosticId::NotConstant, "a value of a configuration")
        .note("use an integer, `True` or `False`, or a module constant such as `TILE = 32`");
    return std::nullopt;
  }

  Diagnostics::Builder wrong(SourceRange range, std::string_view what) {
    return body_.report(range, DiagnosticId::BadConfiguration, function_.def->name, what);
  }
  void label_first(Diagnostics::Builder diagnostic) { diagnostic.label(body_file(), first_->range, "the first one"); }
  void no_choice(SourceRange range, std::string_view what) {
    body_.report(range, DiagnosticId::AutotuneWithoutChoice, function_.def->name, what)
        .note("write " + as_code(kExample));
  }
  const SourceFile& body_file() const { return function_.scope->file(); }

  FunctionChecker& body_;
  const FunctionDecl& function_;
  const ast::Expr* first_ = nullptr;
  std::set<std::string> texts_;  // of the configurations so far
};

std::vector<Configuration> configurations(ModuleChecker& module, const ast::Module& source,
                                          const ast::FunctionDef& def) {
  declare_modules(module, module.program);
  for (const FunctionDecl& function : module.functions)
    if (function.def == &def && &function.scope->module() == &source) return function.configurations;
  return {};
}

}  // namespace

void read_configurations(FunctionChecker& body, const ast::Expr& decorator, FunctionDecl& function) {
  if (!function.configurations.empty()) {
    body.report(decorator.range, DiagnosticId::AutotuneWithoutChoice, function.def->name, "is the second")
        .note("put all configurations into one list");
    return;
  }
  function.configurations = ConfigurationReader(body, function).read(decorator);
}

}  // namespace pykc::checker

namespace pykc {

std::vector<Configuration> configurations_of(const Program& program, const ast::Module& module,
                                             const ast::FunctionDef& kernel, Diagnostics& diagnostics) {
  const bool is_kernel_alone = kernel.decorators.size() < 2;  // spares most kernels a look at the whole program
  if (is_kernel_alone) return {};
  checker::ModuleChecker checker(program, {}, diagnostics);
  return checker::configurations(checker, module, kernel);
}

}  // namespace pykc
