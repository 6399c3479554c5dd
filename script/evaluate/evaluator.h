// Runs host code: a walk over the syntax tree with dynamic values. One method for each kind of node; what an operation
// means is not here but in elementwise.h, indexing.h, functions.h and launcher.h.
//
// A failure is located at the innermost expression that failed, and collects the calls that led there on its way out.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.h"
#include "frontend/syntax/ast.h"
#include "script/evaluate/declarations.h"
#include "script/evaluate/scope.h"
#include "script/evaluate/session.h"
#include "script/functions/functions.h"
#include "script/launch/launcher.h"
#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

class Evaluator {
 public:
  Evaluator(const Program& program, Session& session)
      : program_(program),
        session_(session),
        launcher_(program, session, scopes_),
        stack_base_(__builtin_frame_address(0)) {
    session_.set_call(
        [this](const Value& callee, CallArguments arguments) { return call(callee, std::move(arguments)); });
    session_.set_compile([this](const FunctionValue& kernel, const std::vector<Value>* arguments) {
      return launcher_.compile(kernel, arguments);
    });
  }
  /// What functions and objects hold of one another goes, too.
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Runs the statements of the program's file; its names stay for calls.
  Status run_main_module();
  /// A name of the program's file, or null.
  const Value* find(std::string_view name) const;
  Outcome<Value> call(const Value& callee, CallArguments arguments);
  /// Whether `function` has been entered already.
  bool was_called(const ast::FunctionDef& function) const { return called_.contains(&function); }
  /// How many asserts have held, each counted once.
  int checks() const { return static_cast<int>(held_.size()); }

 private:
  /// One call of a function of the file; the module's own statements run in a frame without variables.
  struct Frame {
    Scope* module = nullptr;
    std::shared_ptr<Environment> environment = {};
    Value result = {};
  };
  enum class Flow : std::uint8_t { Next, Break, Continue, Return };

  Outcome<Scope*> run_module(const ast::Module& module);
  const SourceFile& file() const { return frame_->module->file(); }
  Failure located(Failure failure, SourceRange range) const;
  /// Keeps endless recursion from overflowing the stack of the host.
  Status check_stack() const;

  // ---- expressions (expression.cpp) ----
  Outcome<Value> evaluate(const ast::Expr& expr);
  Outcome<Value> evaluate_node(const ast::IntLiteral& node);
  Outcome<Value> evaluate_node(const ast::FloatLiteral& node);
  Outcome<Value> evaluate_node(const ast::ImaginaryLiteral& node);
  Outcome<Value> evaluate_node(const ast::BoolLiteral& node);
  Outcome<Value> evaluate_node(const ast::StringLiteral& node);
  Outcome<Value> evaluate_node(const ast::FormattedString& node);
  Outcome<Value> evaluate_node(const ast::NoneLiteral& node);
  Outcome<Value> evaluate_node(const ast::EllipsisLiteral& node);
  Outcome<Value> evaluate_node(const ast::Name& node);
  Outcome<Value> evaluate_node(const ast::Attribute& node);
  Outcome<Value> evaluate_node(const ast::Subscript& node);
  Outcome<Value> evaluate_node(const ast::Slice& node);
  Outcome<Value> evaluate_node(const ast::Call& node);
  Outcome<Value> evaluate_node(const ast::Starred& node);
  Outcome<Value> evaluate_node(const ast::Tuple& node);
  Outcome<Value> evaluate_node(const ast::List& node);
  Outcome<Value> evaluate_node(const ast::Unary& node);
  Outcome<Value> evaluate_node(const ast::Binary& node);
  Outcome<Value> evaluate_node(const ast::Logical& node);
  Outcome<Value> evaluate_node(const ast::Compare& node);
  Outcome<Value> evaluate_node(const ast::Conditional& node);
  Outcome<Value> evaluate_node(const ast::Lambda& node);
  Outcome<Value> evaluate_node(const ast::Comprehension& node);
  Outcome<Value> evaluate_node(const ast::Unsupported& node);
  Outcome<bool> evaluate_truth(const ast::Expr& expr);
  Outcome<std::vector<Value>> evaluate_items(const std::vector<ast::ExprPtr>& exprs);
  Outcome<CallArguments> evaluate_arguments(const ast::Call& call);
  /// For each item of `iterable`, which clause `index` goes over.
  Status add_elements(const ast::Comprehension& node, std::size_t index, const Value& iterable,
                      std::vector<Value>& elements);
  Failure unknown_name(std::string_view name) const;

  // ---- statements (statement.cpp) ----
  Outcome<Flow> run(const ast::Suite& suite);
  Outcome<Flow> run(const ast::Stmt& stmt);
  Outcome<Flow> run_node(const ast::ExprStmt& node);
  Outcome<Flow> run_node(const ast::Assign& node);
  Outcome<Flow> run_node(const ast::AnnotatedAssign& node);
  Outcome<Flow> run_node(const ast::AugmentedAssign& node);
  Outcome<Flow> run_node(const ast::If& node);
  Outcome<Flow> run_node(const ast::While& node);
  Outcome<Flow> run_node(const ast::For& node);
  Outcome<Flow> run_node(const ast::Break& node);
  Outcome<Flow> run_node(const ast::Continue& node);
  Outcome<Flow> run_node(const ast::Pass& node);
  Outcome<Flow> run_node(const ast::Return& node);
  Outcome<Flow> run_node(const ast::Assert& node);
  Outcome<Flow> run_node(const ast::Raise& node);
  Outcome<Flow> run_node(const ast::With& node);
  Outcome<Flow> run_node(const ast::FunctionDef& node);
  Outcome<Flow> run_node(const ast::ClassDef& node);
  Outcome<Flow> run_node(const ast::Import& node);
  Outcome<Flow> run_node(const ast::UnsupportedStmt& node);
  Outcome<Flow> run_with(const InstanceValue& context, const ast::With& node);
  /// A context that is built in: a stream, a device, or one of ContextValue.
  Outcome<Flow> run_within(const Value& context, const ast::With& node);
  Status assign(const ast::Expr& target, const Value& value);
  static Status set_attribute(const Value& object, std::string_view name, const Value& value);
  Status assign_sequence(const std::vector<ast::ExprPtr>& targets, const Value& value);
  void bind(std::string_view name, Value value);
  Outcome<Value> import_module(std::string_view name);
  static std::optional<Value> member_of(const ModuleValue& module, std::string_view name);
  Outcome<Value> import_member(std::string_view module, std::string_view name);
  Status import_star(std::string_view module);

  // ---- calls (call.cpp) ----
  /// As call(); what fails inside of a function of the file remembers that it was called here.
  Outcome<Value> call_from(const ast::Call& node, const Value& callee, CallArguments arguments);
  Outcome<Value> make_struct(const TypeValue& type, CallArguments arguments);
  Outcome<Value> call_function(const FunctionValue& function, CallArguments arguments);
  static Outcome<Names> bind_parameters(const FunctionValue& function, CallArguments arguments);
  /// The function with the values of its defaults and the variables around it.
  Outcome<FunctionValue> define(const ast::FunctionDef& definition, FunctionValue::Kind kind);
  Status read_prototypes(const ast::FunctionDef& definition, FunctionValue::Kind kind, FunctionContext& context);
  Outcome<std::vector<std::string>> prototype_texts(const ast::Expr& expr);
  Status add_prototypes(const ast::Expr& expr, const ast::FunctionDef& definition, bool takes_arrays,
                        FunctionContext& context);
  static Outcome<Value> call_decorator(const DecoratorValue& decorator, const CallArguments& arguments);
  Outcome<Value> launch_raw(const FunctionValue& kernel, const CallArguments& arguments);
  Outcome<Value> call_compiled(const FunctionValue& function, CallArguments arguments);
  /// The function as its decorators leave it, those that mean something to the compiler aside.
  Outcome<Value> decorated(const ast::FunctionDef& definition, Value function);
  template <typename Node>
  std::shared_ptr<Environment> enter(const Node& node, std::shared_ptr<Environment> outer) {
    const auto [found, is_new] = variables_.try_emplace(&node);
    if (is_new) found->second = variables_of(node);
    return std::make_shared<Environment>(&found->second, std::move(outer));
  }
  /// At the end of a call: what only its own functions keep is let go.
  void leave(std::shared_ptr<Environment> environment);

  // ---- classes (class.cpp) ----
  Outcome<Value> define_class(const ast::ClassDef& node);
  Failure wrong_class(const ast::ClassDef& node) const;
  Outcome<Value> make_instance(const ClassValue& type, CallArguments arguments);

  // ---- launches (launch.cpp) ----
  /// One of the things that stand in a launch's brackets, some of which a tuple may hold.
  struct LaunchPart {
    const ast::Expr* expr;
    Value value;
    bool is_function() const { return value.is<FunctionValue>(); }
  };
  Outcome<Value> evaluate_launch(const FunctionValue& kernel, const ast::Expr& brackets);
  Outcome<std::vector<LaunchPart>> evaluate_launch_parts(const ast::Expr& brackets);
  /// With a configuration for the functions among the parts.
  Outcome<LaunchShape> evaluate_shape(const std::vector<LaunchPart>& parts, const Value& configuration);
  Outcome<Value> call_part(const LaunchPart& part, const Value& configuration);

  // ---- assertions (assert.cpp) ----
  static const ast::Call* call_of_raises(const ast::With& node);
  /// The suite must fail, with a text that holds what the call names.
  Outcome<Flow> run_raises(const ast::Call& call, const ast::Suite& body);
  /// Evaluates the condition of an assert; where it fails, `notes` tell the values that it compared.
  Outcome<bool> evaluate_assertion(const ast::Expr& condition, std::vector<std::string>& notes);
  Outcome<Value> assert_comparison(const ast::Compare& node, SourceRange range, std::vector<std::string>& notes);
  Outcome<bool> assert_call(const ast::Expr& condition, const ast::Call& node, std::vector<std::string>& notes);

  const Program& program_;
  Session& session_;
  Launcher launcher_;
  const void* stack_base_;
  Frame* frame_ = nullptr;
  Scope* main_ = nullptr;
  std::map<const ast::Module*, std::unique_ptr<Scope>> scopes_;
  std::deque<Scope> enums_;
  std::map<const void*, std::set<std::string, std::less<>>> variables_;  // of functions and comprehensions
  std::vector<std::weak_ptr<Environment>> kept_;                         // by functions that outlive their calls
  std::vector<std::weak_ptr<Instance>> instances_;
  std::set<const ast::FunctionDef*> called_;
  std::set<const ast::Assert*> held_;
};

}  // namespace pykc::script
