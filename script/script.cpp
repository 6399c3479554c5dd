#include "script/script.h"

#include <chrono>
#include <optional>

#include "script/evaluate/call.h"
#include "script/evaluate/evaluator.h"
#include "script/evaluate/module.h"
#include "script/functions/format.h"

namespace pykc::script {
namespace {

Error to_error(const Failure& failure, const Program& program, const Run& run) {
  std::vector<Diagnostic> diagnostics = to_diagnostics(failure, *program.main->file);
  std::string message = diagnostics.back().message;
  const ErrorCode code = run.time.is_over() ? ErrorCode::Timeout : ErrorCode::InvalidSource;
  return Error{code, std::move(message), std::move(diagnostics)};
}

/// Whatever failed when the time was over failed for that reason: a kernel was cancelled, perhaps.
Failure told(Failure failure, const Run& run) {
  if (!run.time.is_over() || failure.id == DiagnosticId::HostTimeIsOver) return failure;
  Failure over = run.time.failure();
  if (!failure.arguments.empty()) over.notes = {failure.arguments.back()};
  over.notes.insert(over.notes.end(), failure.notes.begin(), failure.notes.end());
  over.file = failure.file;
  over.range = failure.range;
  over.callers = std::move(failure.callers);
  return over;
}

const ast::FunctionDef* find_function_definition(const ast::Module& module, std::string_view name) {
  for (const ast::StmtPtr& stmt : module.body)
    if (const auto* function = stmt->as<ast::FunctionDef>(); function && function->name == name) return function;
  return nullptr;
}

Failure at(Failure failure, const Program& program, SourceRange range) {
  failure.file = program.main->file.get();
  failure.range = range;
  return failure;
}

// ---- the command line as main's arguments ----

/// The type that an annotation or a default asks for.
TypeValue::Kind wanted_kind(const ast::Parameter& parameter) {
  const auto* annotation = parameter.annotation ? parameter.annotation->as<ast::Name>() : nullptr;
  if (annotation) {
    if (annotation->id == "float") return TypeValue::Kind::Float;
    if (annotation->id == "bool") return TypeValue::Kind::Bool;
    if (annotation->id == "str") return TypeValue::Kind::Str;
    return TypeValue::Kind::Int;
  }
  const ast::Expr* const value = parameter.default_value.get();
  if (value && value->as<ast::FloatLiteral>()) return TypeValue::Kind::Float;
  if (value && value->as<ast::BoolLiteral>()) return TypeValue::Kind::Bool;
  if (value && value->as<ast::IntLiteral>()) return TypeValue::Kind::Int;
  return TypeValue::Kind::Str;
}

Outcome<Value> converted_argument(const ast::Parameter& parameter, const std::string& text) {
  const TypeValue::Kind kind = wanted_kind(parameter);
  if (kind == TypeValue::Kind::Str) return Value(text);
  if (kind == TypeValue::Kind::Bool) {
    if (text == "True" || text == "true" || text == "1") return Value(true);
    if (text == "False" || text == "false" || text == "0") return Value(false);
    return fail(DiagnosticId::HostMainArgument, parameter.name, "'" + text + "' is neither true nor false");
  }
  Outcome<Value> value = call_type(TypeValue{kind, ScalarType::I64}, {{Value(text)}, {}});
  if (value) return value;
  const std::string_view expected = kind == TypeValue::Kind::Int ? "' is not an integer" : "' is not a number";
  return fail(DiagnosticId::HostMainArgument, parameter.name, "'" + text + std::string(expected));
}

Outcome<CallArguments> main_arguments(const ast::FunctionDef& main, const std::vector<std::string>& texts) {
  CallArguments arguments;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const ast::Parameter* named = nullptr;
    for (const ast::Parameter& parameter : main.parameters)
      if (equals != std::string::npos && parameter.name == text.substr(0, equals)) named = &parameter;
    if (named) {
      ASSIGN_OR_RETURN(Value value, converted_argument(*named, text.substr(equals + 1)));
      arguments.named.emplace_back(named->name, std::move(value));
      continue;
    }
    const std::size_t position = arguments.positional.size();
    if (position >= main.parameters.size())
      return fail(DiagnosticId::HostTooManyArguments, "`main`", main.parameters.size(), texts.size());
    ASSIGN_OR_RETURN(Value value, converted_argument(main.parameters[position], text));
    arguments.positional.push_back(std::move(value));
  }
  return arguments;
}

/// Whether the file does something by itself: more than to define functions and constants.
bool has_statements(const ast::Module& module) {
  bool has_functions = false;
  for (const ast::StmtPtr& stmt : module.body) {
    const auto* assign = stmt->as<ast::Assign>();
    const bool is_constant = assign && !assign->value->as<ast::Call>();
    const bool is_function = stmt->as<ast::FunctionDef>() != nullptr;
    has_functions |= is_function;
    if (!is_function && !is_constant && !stmt->as<ast::ClassDef>() && !stmt->as<ast::Import>() &&
        !stmt->as<ast::AnnotatedAssign>())
      return true;
  }
  return !has_functions && !module.body.empty();
}

Outcome<int> run_program(const Program& program, Evaluator& evaluator, Run& run, const RunOptions& options) {
  if (!options.device.empty()) RETURN_IF_FAILED(run.device());
  RETURN_IF_FAILED(run_main_module(evaluator));
  const ast::FunctionDef* const definition = find_function_definition(*program.main, "main");
  const Value* const main = find(evaluator, "main");
  if (!definition || !main) {
    if (has_statements(*program.main)) return 0;
    return fail(DiagnosticId::HostNoMain);
  }
  if (evaluator.called.contains(definition)) return 0;
  Outcome<CallArguments> arguments = main_arguments(*definition, options.arguments);
  if (!arguments) return at(std::move(arguments.failure()), program, definition->name_range);
  Outcome<Value> result = call(evaluator, *main, *std::move(arguments));
  if (!result) {
    if (!result.failure().file) return at(std::move(result.failure()), program, definition->name_range);
    return std::move(result.failure());
  }
  return static_cast<int>(as_integer(*result).value_or(0) & 0xff);
}

// ---- tests ----

bool is_test(const ast::Module& module, const ast::Stmt& stmt) {
  const auto* function = stmt.as<ast::FunctionDef>();
  return function && kind_of(module, *function) == FunctionKind::Test;
}

TestResult run_test(const Program& program, Evaluator& evaluator, Run& run, const ast::FunctionDef& function) {
  TestResult result;
  result.name = function.name;
  run.random = RandomGenerator();  // tests do not depend on each other's random numbers
  run.time.start();
  const auto start = std::chrono::steady_clock::now();
  const std::size_t checks_before = evaluator.held.size();
  Outcome<Value> value = Value();
  if (function.parameters.empty())
    value = call(evaluator, *find(evaluator, function.name), {});
  else
    value = fail(DiagnosticId::HostTestParameter, function.name);
  run.time.stop();
  result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  result.checks = static_cast<int>(evaluator.held.size() - checks_before);
  if (value) return result;
  Failure failure = told(std::move(value.failure()), run);
  if (!failure.file) failure = at(std::move(failure), program, function.name_range);
  const bool skipped = failure.id == DiagnosticId::HostTestSkipped;
  result.outcome = skipped ? TestResult::Outcome::Skipped : TestResult::Outcome::Failed;
  result.diagnostics = to_diagnostics(failure, *program.main->file);
  result.message = skipped ? failure.arguments[0] : result.diagnostics.back().message;
  if (skipped) result.diagnostics.clear();
  return result;
}

}  // namespace

bool has_main(const Program& program) {
  return find_function_definition(*program.main, "main") != nullptr || has_statements(*program.main);
}

Result<int> run_main(const Program& program, const RunOptions& options) {
  Run run(options);
  Evaluator evaluator(program, run);
  run.time.start();
  Outcome<int> code = run_program(program, evaluator, run, options);
  run.time.stop();
  if (!code) return to_error(told(std::move(code.failure()), run), program, run);
  return *code;
}

std::vector<std::string> list_tests(const Program& program) {
  std::vector<std::string> names;
  for (const ast::StmtPtr& stmt : program.main->body)
    if (is_test(*program.main, *stmt)) names.push_back(stmt->as<ast::FunctionDef>()->name);
  return names;
}

Result<std::vector<TestResult>> run_tests(const Program& program, const RunOptions& options, std::string_view filter) {
  Run run(options);
  Evaluator evaluator(program, run);
  if (Outcome<Device> device = run.device(); !device) return to_error(device.failure(), program, run);
  run.time.start();
  Status done = run_main_module(evaluator);
  run.time.stop();
  if (!done) return to_error(told(std::move(done.failure()), run), program, run);
  std::vector<TestResult> results;
  for (const ast::StmtPtr& stmt : program.main->body) {
    if (!is_test(*program.main, *stmt)) continue;
    const ast::FunctionDef& function = *stmt->as<ast::FunctionDef>();
    if (function.name.find(filter) == std::string::npos) continue;
    results.push_back(run_test(program, evaluator, run, function));
  }
  return results;
}

}  // namespace pykc::script
