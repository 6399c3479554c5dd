// Calls of rows of the builtin table: the signature's type classes are worked out from the arguments.
#include "frontend/check/calls/builtin.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "frontend/check/calls/atomic.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/convert.h"
#include "stdlib/builtins.h"

namespace pykc::checker {
namespace {

bool is_half(ScalarType type) { return type == ScalarType::F16 || type == ScalarType::BF16; }

/// Atomics and their like: an array and an index name what they work on.
bool takes_element(const BuiltinSignature& signature) {
  return !signature.parameters.empty() && signature.parameters.front().type.is_array;
}

struct FoldableFunction {
  BuiltinId id;
  double (*one)(double);
  double (*two)(double, double);
};

constexpr FoldableFunction kFoldable[] = {
#define FOLDS_ONE(id, function) {BuiltinId::id, function, nullptr},
#define FOLDS_TWO(id, function) {BuiltinId::id, nullptr, function},
#include "stdlib/foldable.def"
};

std::optional<double> folded_math(BuiltinId id, std::span<const checked::Expr* const> constants) {
  for (const FoldableFunction& row : kFoldable) {
    if (row.id != id) continue;
    const double x = real_of(*constants[0]);
    return row.one ? row.one(x) : row.two(x, real_of(*constants[1]));
  }
  return std::nullopt;
}

/// Narrow integers widen to a word of 32 bits; what is wider, but for literals, is not cut off.
std::optional<ScalarType> word_type(FunctionChecker& checker, BuiltinId id, std::span<const Value> arguments,
                                    ScalarType type) {
  for (const Value& argument : arguments)
    if (!argument.is_weak() && size_in_bytes(argument.scalar()) > 4) {
      report_argument_type(checker, id, argument, "a number of 32 bits");
      return std::nullopt;
    }
  const bool mixes_signs =
      size_in_bytes(type) > 4 && std::any_of(arguments.begin(), arguments.end(), [](const Value& argument) {
        return !argument.is_weak() && is_unsigned_integer(argument.scalar());
      });
  if (mixes_signs) {
    report_argument_type(checker, id, arguments.front(), "words that are all signed or all unsigned");
    return std::nullopt;
  }
  return is_unsigned_integer(type) && size_in_bytes(type) == 4 ? ScalarType::U32 : ScalarType::I32;
}

std::optional<ScalarType> class_type(FunctionChecker& checker, BuiltinId id, char letter,
                                     std::span<const Value> arguments, SourceRange range) {
  for (const Value& argument : arguments)
    if (letter != 'S' && !require_arithmetic(checker, argument, as_code(info(id).name))) return std::nullopt;
  for (const Value& argument : arguments)
    if ((letter == 'I' || letter == 'W') && is_float(argument.scalar())) {
      report_argument_type(checker, id, argument, "an integer");
      return std::nullopt;
    }
  std::optional<Unified> unified =
      unify_all(checker, arguments, letter == 'F' ? checker.rules->arithmetic : checker.rules->join, range);
  const bool takes_integers = letter == 'I' || letter == 'W';  // which join in a float in Numba, an i64 and a u64
  if (unified && takes_integers && is_float(unified->type))
    unified = unify_all(checker, arguments, checker.rules->arithmetic, range);
  if (!unified) return std::nullopt;
  const ScalarType type = unified->type;
  if (letter == 'F') return is_float(type) ? type : checker.rules->real(type);
  if (letter == 'D') return is_half(type) ? ScalarType::F32 : is_float(type) ? type : ScalarType::F64;
  if (letter == 'W') return word_type(checker, id, arguments, type);
  const bool is_number = letter == 'I' || letter == 'N';
  return is_number && type == ScalarType::Bool ? ScalarType::I32 : type;
}

const checked::Expr* builtin_argument(FunctionChecker& checker, BuiltinId id, const SignatureParameter& parameter,
                                      const Value& given, ScalarType type) {
  if (!given.known() && parameter.type.letter == 'F')
    return checker.tree.real(std::strtod(std::string(parameter.default_text).c_str(), nullptr), type, {});
  if (!given.known()) {
    const long long value = std::strtoll(std::string(parameter.default_text).c_str(), nullptr, 0);
    return checker.tree.integer(value, *parameter.type.scalar, {});
  }
  if (parameter.type.letter) return checker.tree.convert(given, type);
  const ScalarType wanted = *parameter.type.scalar;
  if (wanted == ScalarType::Bool) return truth(checker, given);
  if (is_float(given.scalar()) && is_integer(wanted)) {
    report_argument_type(checker, id, given, to_string(wanted));
    return nullptr;
  }
  // A mask of all lanes is often written -1.
  const bool is_mask = wanted == ScalarType::U32 && given.is_weak_integer() && integer_of(*given.expr) == -1;
  if (is_mask) return checker.tree.integer(-1, wanted, given.range());
  return convert_for_assignment(checker, given, wanted, given.range());
}

/// Whether a builtin of 16-bit floats is computed in f32 and rounded once more, which gives the right bits but for fma.
bool computes_in_f32(FunctionChecker& checker, BuiltinId id) {
  const BuiltinSignature& signature = checker.module.signature(id);
  const bool is_of_numbers = std::any_of(
      signature.parameters.begin(), signature.parameters.end(),
      [](const SignatureParameter& parameter) { return parameter.type.letter == 'F' || parameter.type.letter == 'N'; });
  return is_of_numbers && id != BuiltinId::Fma && info(id).effect == Effect::Pure;
}

/// A builtin that is written in the language: its function, for arguments that have the row's types.
Value call_library(FunctionChecker& checker, BuiltinId id, const std::vector<const Expr*>& arguments,
                   SourceRange range) {
  const Binding* binding = checker.module.scope_of(kIntrinsicsModule)->find(info(id).nvptx.name);
  std::vector<Value> values;
  for (const Expr* argument : arguments) values.push_back(TreeBuilder::strong(argument));
  return call_specialized(checker, *std::get<FunctionDecl*>(*binding), std::move(values), range);
}

Value fold_math(FunctionChecker& checker, BuiltinId id, std::span<const Value> arguments, SourceRange range) {
  std::vector<const Expr*> constants;
  for (const Value& argument : arguments) {
    if (!argument.known() || !argument.is_weak() || !argument.is_constant()) return {};
    constants.push_back(argument.expr);
  }
  const std::optional<double> folded = folded_math(id, constants);
  return folded ? checker.tree.weak_real(*folded, range) : Value{};
}

/// At the top level of a module everything is constant, also what a kernel would leave to the device.
const checked::Expr* fold_constants(FunctionChecker& checker, BuiltinId id, std::span<const Expr* const> arguments,
                                    ScalarType type, SourceRange range) {
  const bool are_constant =
      std::all_of(arguments.begin(), arguments.end(), [](const Expr* e) { return e->as<checked::Constant>(); });
  if (checker.function || !are_constant || !is_float(type)) return nullptr;
  const std::optional<double> folded = folded_math(id, arguments);
  return folded ? checker.tree.real(*folded, type, range) : nullptr;
}

/// A tuple whose parts have the type of the arguments again, after they were computed as f32.
Value narrowed(FunctionChecker& checker, const Value& tuple, const BuiltinSignature& signature, ScalarType type) {
  return TreeBuilder::strong(with_parts(checker, tuple, [&](std::vector<Value> parts) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!signature.results[i].scalar) parts[i] = TreeBuilder::strong(checker.tree.cast(parts[i].expr, type));
    return checker.tree.tuple(std::move(parts), tuple.expr->range).expr;
  }));
}

/// Whether there is such a named barrier, as far as its number and its count of threads are constants.
bool is_named_barrier(FunctionChecker& checker, BuiltinId id, const std::vector<const Expr*>& arguments) {
  constexpr int kBarriers = 16, kWarp = 32, kMostThreads = 1024;  // number 0 is that of syncthreads
  const auto may_be = [&](const Expr& argument, int first, int last, int step, const std::string& wanted) {
    if (!argument.as<checked::Constant>()) return true;
    const Int128 value = integer_of(argument);
    const bool fits = value >= first && value <= last && value % step == 0;
    if (!fits) checker.report(argument.range, DiagnosticId::ArgumentValue, info(id).name, wanted);
    return fits;
  };
  return may_be(*arguments[0], 1, kBarriers - 1, 1, "a number from 1 to 15") &&
         may_be(*arguments[1], kWarp, kMostThreads, kWarp, "a count that is a multiple of 32, up to 1024");
}

/// Of memcpy_async_wait: part of the instruction.
bool is_number_of_groups(FunctionChecker& checker, const Expr& argument) {
  if (!argument.as<checked::Constant>()) {
    checker.report(argument.range, DiagnosticId::NotConstant, "the number of groups");
    return false;
  }
  if (integer_of(argument) >= 0) return true;
  checker.report(argument.range, DiagnosticId::ArgumentValue, info(BuiltinId::MemcpyAsyncWait).name,
                 "a number of groups from 0 on");
  return false;
}

/// `math.log(x, base)`
Value log_of_base(FunctionChecker& checker, const BuiltinRef& log, const ast::Call& call, SourceRange range) {
  std::vector<Value> logarithms;
  for (const ast::ExprPtr& argument : call.arguments) {
    const Value given = checker.value(*argument);
    if (!given.known()) return {};
    logarithms.push_back(apply_builtin(checker, log, {given}, range));
    if (!logarithms.back().known()) return {};
  }
  return binary(checker, ast::BinaryOp::Div, logarithms[0], logarithms[1], range);
}

}  // namespace

Value property(FunctionChecker& checker, BuiltinId id, SourceRange range) {
  if (id == BuiltinId::WarpSize) return checker.tree.weak_integer(32, range);
  return TreeBuilder::strong(checker.tree.scalar(ScalarType::I64, range, checked::CallBuiltin{id, {}}));
}

void report_argument_type(FunctionChecker& checker, BuiltinId id, const Value& given, std::string_view wanted) {
  checker.report(given.range(), DiagnosticId::BuiltinArgument, info(id).name, wanted, describe(given))
      .note("the signature is " + as_code(std::string(info(id).name) + std::string(info(id).signature)));
}

Value call_builtin(FunctionChecker& checker, const BuiltinRef& builtin, const ast::Call& call, SourceRange range) {
  const BuiltinId id = builtin.id;
  if (id == BuiltinId::Log && !builtin.type && call.arguments.size() == 2 && call.keywords.empty())
    return log_of_base(checker, builtin, call, range);
  const BuiltinSignature& signature = checker.module.signature(id);
  std::vector<std::string_view> names;
  for (const SignatureParameter& parameter : signature.parameters) names.push_back(parameter.name);
  const bool is_short = call.arguments.size() + call.keywords.size() < static_cast<std::size_t>(signature.required);
  if (const ast::Subscript* element = is_short && takes_element(signature) && !call.arguments.empty()
                                          ? call.arguments.front()->as<ast::Subscript>()
                                          : nullptr) {
    const auto text = [&](const ast::Expr& expr) { return std::string(checker.scope.file().text(expr.range)); };
    const std::string index =
        element->index->as<ast::Tuple>() ? "(" + text(*element->index) + ")" : text(*element->index);
    checker
        .report(call.arguments.front()->range, DiagnosticId::BuiltinArgument, info(id).name, "an array and an index",
                "an element")
        .fix(std::string(info(id).name) + "(" + text(*element->value) + ", " + index + ", …)");
    return {};
  }
  const std::optional<Arguments> bound = bind_arguments(
      checker, call, range, info(id).name, names, static_cast<std::size_t>(signature.required), info(id).signature);
  if (!bound) return {};
  if (takes_element(signature)) return call_on_element(checker, id, *bound, range);
  std::vector<Value> given(bound->size());
  for (std::size_t i = 0; i < bound->size(); ++i) {
    if (!(*bound)[i]) continue;
    given[i] = checker.value(*(*bound)[i]);
    if (!given[i].known()) return {};
  }
  return apply_builtin(checker, builtin, std::move(given), range);
}

/// The builtin on values, one a parameter; those that are not known have their defaults.
Value apply_builtin(FunctionChecker& checker, const BuiltinRef& builtin, std::vector<Value> given, SourceRange range) {
  const BuiltinId id = builtin.id;
  const BuiltinSignature& signature = checker.module.signature(id);
  for (const Value& value : given) {
    if (!value.known() || value.is_scalar()) continue;
    report_argument_type(checker, id, value, "a scalar");
    return {};
  }
  std::vector<Value> of_class;
  char letter = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!signature.parameters[i].type.letter || !given[i].known()) continue;
    letter = signature.parameters[i].type.letter;
    of_class.push_back(given[i]);
  }
  if (const Value folded = fold_math(checker, id, given, range); folded.known()) return folded;
  std::optional<ScalarType> type = builtin.type.value_or(ScalarType::I64);
  if (letter && !builtin.type) type = class_type(checker, id, letter, of_class, range);
  if (!type) return {};
  std::vector<const Expr*> arguments;
  for (std::size_t i = 0; i < given.size(); ++i) {
    arguments.push_back(builtin_argument(checker, id, signature.parameters[i], given[i], *type));
    if (!arguments.back()) return {};
  }
  if (id == BuiltinId::MemcpyAsyncWait && !is_number_of_groups(checker, *arguments[0])) return {};
  if ((id == BuiltinId::BarrierSync || id == BuiltinId::BarrierArrive) && !is_named_barrier(checker, id, arguments))
    return {};
  if (id == BuiltinId::Assume && checker.module.options.bounds_checks)  // a broken promise would undo the other checks
    append_check(checker, arguments[0], "assume failed: " + literal(checker.scope.file().text(arguments[0]->range)), {},
                 range);
  return builtin_result(checker, id, std::move(arguments), *type, range);
}

Value builtin_result(FunctionChecker& checker, BuiltinId id, std::vector<const Expr*> arguments, ScalarType type,
                     SourceRange range) {
  const BuiltinSignature& signature = checker.module.signature(id);
  const bool widens = is_half(type) && computes_in_f32(checker, id);
  if (widens)
    for (const Expr*& argument : arguments)
      if (argument->type->scalar == type) argument = checker.tree.cast(argument, ScalarType::F32);
  if (info(id).nvptx.kind == Lowering::Kind::Library) {
    const Value result = call_library(checker, id, arguments, range);
    if (!result.is_scalar()) return widens && result.known() ? narrowed(checker, result, signature, type) : result;
    const ScalarType stated = signature.results[0].scalar.value_or(type);
    return TreeBuilder::strong(checker.tree.cast(result.expr, stated));
  }
  if (const Expr* folded = fold_constants(checker, id, arguments, type, range)) return TreeBuilder::strong(folded);
  const ScalarType computed = widens ? ScalarType::F32 : type;
  const auto type_of = [&](const SignatureType& result) { return result.scalar ? *result.scalar : computed; };
  if (signature.results.empty())
    return TreeBuilder::strong(
        checker.tree.make(checked::Type::none(), range, checked::CallBuiltin{id, std::move(arguments)}));
  if (signature.results.size() == 1) {
    const Expr* call = checker.tree.builtin(id, type_of(signature.results[0]), std::move(arguments), range);
    return TreeBuilder::strong(widens && !signature.results[0].scalar ? checker.tree.cast(call, type) : call);
  }
  std::vector<checked::Type> results;
  for (const SignatureType& result : signature.results) results.push_back(checked::Type::of(type_of(result)));
  const Value call = TreeBuilder::strong(checker.tree.make(checker.types.tuple(std::move(results)), range,
                                                           checked::CallBuiltin{id, std::move(arguments)}));
  return widens ? narrowed(checker, call, signature, type) : call;
}

}  // namespace pykc::checker
