// Calls: arguments to parameters, casts, and functions of the program, which are specialised for the argument types.
#include "frontend/check/calls/call.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "frontend/check/arrays/array_function.h"
#include "frontend/check/arrays/constant_array.h"
#include "frontend/check/calls/external.h"
#include "frontend/check/calls/kinds.h"
#include "frontend/check/calls/language_function.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/specialize.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/types/annotation.h"
#include "frontend/check/types/closure.h"
#include "frontend/check/types/convert.h"
#include "frontend/check/types/generic.h"
#include "frontend/check/types/overload.h"
#include "frontend/program/signature.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {
namespace {

std::string signature_of(const FunctionDecl& function) {
  std::string text = "(";
  bool has_star = false;
  for (const ast::Parameter& parameter : function.def->parameters) {
    if (text.size() > 1) text += ", ";
    if (parameter.is_variadic) text += "*";
    if (parameter.is_keyword_only && !has_star) text += "*, ";
    has_star = has_star || parameter.is_variadic || parameter.is_keyword_only;
    text += parameter.name;
    if (parameter.annotation) text += ": " + std::string(function.scope->file().text(parameter.annotation->range));
    if (parameter.default_value)
      text += " = " + std::string(function.scope->file().text(parameter.default_value->range));
  }
  return text + ")";
}

/// The arguments by position, `*tuple` taken apart.
std::optional<std::vector<Given>> positional_arguments(FunctionChecker& checker, const ast::Call& call) {
  std::vector<Given> result;
  bool all_known = true;
  for (const ast::ExprPtr& argument : call.arguments) {
    std::vector<Value> values;
    if (const auto* starred = argument->as<ast::Starred>())
      all_known &= add_unpacked(checker, *starred, values);
    else
      values.push_back(argument_value(checker, checker.entity(*argument), argument->range));
    for (Value& value : values) result.push_back({std::move(value), argument->range});
  }
  return all_known ? std::optional(std::move(result)) : std::nullopt;
}

/// A variable of a function around this one that the expression reads.
std::string_view variable_read(const FunctionDecl& function, const ast::Expr& expr) {
  std::string_view found;
  const auto* name = expr.as<ast::Name>();
  for (const FunctionDecl* around = function.enclosing; around && name && found.empty(); around = around->enclosing)
    if (around->locals.index.contains(name->id)) found = name->id;
  ast::for_each_child(expr, [&](const ast::Expr& child) {
    if (found.empty()) found = variable_read(function, child);
  });
  return found;
}

/// A default is a constant of the module that declares the function.
Value default_of(FunctionChecker& checker, const FunctionDecl& function, const ast::Parameter& parameter,
                 SourceRange range) {
  FunctionChecker reader(checker.module, *function.scope);
  const std::string_view variable = variable_read(function, *parameter.default_value);
  if (variable.empty()) return argument_value(checker, reader.entity(*parameter.default_value), range);
  reader.report(parameter.default_value->range, DiagnosticId::NotConstant, "the default of " + as_code(parameter.name))
      .note(as_code(variable) +
            " is a variable: pass it as an argument, or read it in the body, which sees what it is " +
            "when the function is called");
  return {};
}

/// One argument a parameter; those that `*args` takes as a tuple.
std::optional<std::vector<Given>> given_arguments(FunctionChecker& checker, const FunctionDecl& function,
                                                  const ast::Call& call, SourceRange range) {
  const std::vector<ast::Parameter>& parameters = function.def->parameters;
  const std::string quoted = as_code(function.def->name);
  const auto refuse = [&](Diagnostics::Builder diagnostic) {
    diagnostic.note("the signature is " + as_code(function.def->name + signature_of(function)));
    return std::nullopt;
  };
  std::optional<std::vector<Given>> positional = positional_arguments(checker, call);
  if (!positional) return std::nullopt;
  const auto variadic = std::find_if(parameters.begin(), parameters.end(),
                                     [](const auto& p) { return p.is_variadic || p.is_keyword_only; });
  const auto places = static_cast<std::size_t>(variadic - parameters.begin());
  const bool takes_rest = variadic != parameters.end() && variadic->is_variadic;
  if (!takes_rest && positional->size() > places)
    return refuse(checker.report(range, DiagnosticId::ArgumentCount, quoted,
                                 std::to_string(places) + (places == 1 ? " argument" : " arguments"),
                                 std::to_string(positional->size())));
  std::vector<std::optional<Given>> bound(parameters.size());
  std::vector<Value> rest;
  for (std::size_t i = 0; i < positional->size(); ++i) {
    (*positional)[i].turn = i;
    if (i < places) bound[i] = std::move((*positional)[i]);
    if (i >= places) rest.push_back(std::move((*positional)[i].value));
  }
  if (takes_rest) {
    const bool all_known = std::all_of(rest.begin(), rest.end(), [](const Value& value) { return value.known(); });
    bound[places] = Given{all_known ? small_tuple(checker, std::move(rest), range) : Value{}, range, places};
  }
  std::size_t turn = positional->size();
  for (const ast::Keyword& keyword : call.keywords) {
    const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const ast::Parameter& parameter) {
      return parameter.name == keyword.name && !parameter.is_variadic;
    });
    if (found == parameters.end()) {
      std::vector<std::string_view> names;
      for (const ast::Parameter& parameter : parameters) names.push_back(parameter.name);
      auto diagnostic = checker.report(keyword.name_range, DiagnosticId::UnknownKeyword, quoted, keyword.name);
      if (const std::string_view near = nearest(keyword.name, names); !near.empty()) diagnostic.fix(std::string(near));
      return refuse(diagnostic);
    }
    std::optional<Given>& slot = bound[static_cast<std::size_t>(found - parameters.begin())];
    if (slot) return refuse(checker.report(keyword.name_range, DiagnosticId::ArgumentTwice, quoted, keyword.name));
    slot = Given{argument_value(checker, checker.entity(*keyword.value), keyword.value->range), keyword.value->range,
                 ++turn};
  }
  std::vector<Given> result;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!bound[i] && !parameters[i].default_value)
      return refuse(checker.report(range, DiagnosticId::MissingArgument, quoted, parameters[i].name));
    if (!bound[i]) bound[i] = Given{default_of(checker, function, parameters[i], range), range, ++turn};
    result.push_back(std::move(*bound[i]));
  }
  return result;
}

/// The argument as the parameter takes it. An annotation converts scalars; of an array it states what must hold.
std::optional<Value> argument_for(FunctionChecker& checker, FunctionDecl& function, std::size_t index,
                                  const Value& given, SourceRange range) {
  if (!given.known()) return std::nullopt;
  read_types(checker.module, function);
  if (is_record_of_array(given) && changes_parameter(checker.module, function, index))
    return reference_to(checker, given, range);
  const std::optional<checked::Type> stated = function.parameter_types[index];
  if (!stated) {
    if (is_known_constant(given) && is_shape_parameter(checker.module, function, index))
      return constant_argument(checker, given, function.def->parameters[index].name, range);
    if (!given.type().is_none()) return given;
    checker.report(range, DiagnosticId::NotAValue, checker.scope.file().text(range), "None");
    return std::nullopt;
  }
  const checked::Type wanted = *stated;
  if (wanted.is_static()) return constant_argument(checker, given, function.def->parameters[index].name, range);
  if (wanted.is_scalar() && given.is_scalar()) {
    const Expr* converted = convert_for_assignment(checker, given, wanted->scalar, range);
    if (!converted) return std::nullopt;
    return TreeBuilder::strong(converted);
  }
  const bool is_complex = wanted.is_record() && wanted->record->kind == RecordType::Kind::Complex;
  if (is_complex && (given.is_scalar() || given.is_complex()))
    return convert_to(checker, given, InferredType::of(wanted), range);
  if (fits_parameter(wanted, given.type())) {
    if (!wanted->is_pointer || given.type()->is_pointer) return given;
    const checked::Type pointer = checker.types.pointer(given.type()->array, given.type()->space);
    return TreeBuilder::strong(checker.tree.make(pointer, range, checked::Cast{given.expr}));
  }
  if (wanted.is_tuple() && given.is_tuple() && wanted->elements.size() == given.type()->elements.size()) {
    const Value converted = convert_to(checker, given, InferredType::of(wanted), range);
    return converted.known() ? std::optional(converted) : std::nullopt;
  }
  const ast::Parameter& parameter = function.def->parameters[index];
  checker.report(range, DiagnosticId::ArgumentType, parameter.name, checked::to_string(wanted), describe(given))
      .label(function.scope->file(), parameter.range, "the parameter is declared here");
  return std::nullopt;
}

/// Each of `*args` as its annotation wants it.
std::optional<Value> variadic_argument(FunctionChecker& checker, FunctionDecl& function, std::size_t index,
                                       const Value& tuple) {
  if (!tuple.known()) return std::nullopt;
  std::vector<Value> converted;
  for (const Value& element : tuple.elements) {
    std::optional<Value> argument = argument_for(checker, function, index, element, element.range());
    if (!argument) return std::nullopt;
    converted.push_back(std::move(*argument));
  }
  return checker.tree.tuple(std::move(converted), tuple.range());
}

/// What to annotate the result of a function with that calls itself: what its other returns give, joined with the first
/// number that it takes.
std::string likely_result(const FunctionChecker& checker, const Specialization& specialization) {
  InferredType result = specialization.result;
  for (const InferredType& argument : specialization.arguments)
    if (argument.known && argument.type.is_scalar()) {
      join_into(result, argument, *checker.rules, checker.types);
      break;
    }
  if (!result.known) return "i64";
  settle(result);
  return checked::to_string(result.type);
}

}  // namespace

std::optional<Arguments> bind_arguments(FunctionChecker& checker, const ast::Call& call, SourceRange range,
                                        std::string_view name, std::span<const std::string_view> parameters,
                                        std::size_t required, std::string_view signature) {
  const auto explain = [&](Diagnostics::Builder diagnostic) {
    if (!signature.empty()) diagnostic.note("the signature is " + as_code(std::string(name) + std::string(signature)));
    return std::nullopt;
  };
  const std::string quoted = as_code(name);
  if (call.arguments.size() > parameters.size())
    return explain(
        checker.report(range, DiagnosticId::ArgumentCount, quoted,
                       std::to_string(parameters.size()) + (parameters.size() == 1 ? " argument" : " arguments"),
                       std::to_string(call.arguments.size())));
  Arguments bound(parameters.size(), nullptr);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) bound[i] = call.arguments[i].get();
  for (const ast::Keyword& keyword : call.keywords) {
    const auto found = std::find(parameters.begin(), parameters.end(), keyword.name);
    if (found == parameters.end()) {
      const std::string_view near = nearest(keyword.name, {parameters.begin(), parameters.end()});
      auto diagnostic = checker.report(keyword.name_range, DiagnosticId::UnknownKeyword, quoted, keyword.name);
      if (!near.empty()) diagnostic.fix(std::string(near));
      return explain(diagnostic);
    }
    const ast::Expr*& slot = bound[static_cast<std::size_t>(found - parameters.begin())];
    if (slot) return explain(checker.report(keyword.name_range, DiagnosticId::ArgumentTwice, quoted, keyword.name));
    slot = keyword.value.get();
  }
  for (std::size_t i = 0; i < required; ++i)
    if (!bound[i]) return explain(checker.report(range, DiagnosticId::MissingArgument, quoted, parameters[i]));
  return bound;
}

std::vector<checked::Let> kept_in_order(FunctionChecker& checker, std::vector<Given>& arguments) {
  const auto is_kept = [](const Given& given) {
    return given.value.known() && !given.value.type().is_static() && !is_simple(*given.value.expr);
  };
  std::vector<checked::Let> kept;
  if (std::ranges::is_sorted(arguments, {}, &Given::turn) || std::ranges::none_of(arguments, [&](const Given& given) {
        return is_kept(given) && has_effects(*given.value.expr);
      }))
    return kept;
  std::vector<Given*> in_turn;
  for (Given& given : arguments)
    if (is_kept(given)) in_turn.push_back(&given);
  std::ranges::sort(in_turn, {}, &Given::turn);
  for (Given* given : in_turn) {
    Value& value = given->value;
    kept.push_back({temporary(checker, value.type(), given->range), value.expr, nullptr});
    value = {checker.tree.make(value.type(), given->range, checked::VariableRef{kept.back().variable}),
             value.weak == Weak::Int ? Weak::No : value.weak,
             {}};
  }
  return kept;
}

Value behind(FunctionChecker& checker, const std::vector<checked::Let>& kept, const Value& call, SourceRange range) {
  Value result = call;
  for (auto let = kept.rbegin(); result.known() && let != kept.rend(); ++let)
    result = {
        checker.tree.make(result.type(), range, checked::Let{let->variable, let->value, result.expr}), result.weak, {}};
  return result;
}

bool has_no_keywords(FunctionChecker& checker, const ast::Call& call, std::string_view name) {
  if (call.keywords.empty()) return true;
  checker.report(call.keywords[0].name_range, DiagnosticId::UnknownKeyword, name, call.keywords[0].name);
  return false;
}

Entity call_type(FunctionChecker& checker, ScalarType type, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"x"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, to_string(type), kParameters, 1, "(x)");
  if (!arguments) return Unknown{};
  const ElementType element(type);
  if (!checker.function && (*arguments)[0]->as<ast::List>()) return table(checker, *(*arguments)[0], &element);
  if (type == ScalarType::Bool && checker.function) {  // of what `if` takes
    const Expr* truth = condition(checker, *(*arguments)[0]);
    return truth ? Entity(TreeBuilder::strong(truth)) : Unknown{};
  }
  const Entity given = checker.entity(*(*arguments)[0]);
  if (const auto* made = std::get_if<TableRef>(&given); made && !checker.function)
    return converted_constants(checker, *made->table, element, range);
  if (const auto* text = std::get_if<TextRef>(&given)) {
    const double infinity = std::numeric_limits<double>::infinity();
    if (text->text == "inf") return checker.tree.weak_real(infinity, range);
    if (text->text == "-inf") return checker.tree.weak_real(-infinity, range);
    if (text->text == "nan") return checker.tree.weak_real(std::numeric_limits<double>::quiet_NaN(), range);
    checker.report((*arguments)[0]->range, DiagnosticId::UnsupportedInKernel, "making a number of text")
        .note("write the number, or pass it to the kernel; `float` takes \"inf\", \"-inf\" and \"nan\"");
    return Unknown{};
  }
  const Value value = to_value(checker, given, (*arguments)[0]->range);
  if (!require_scalar(checker, value, "a cast")) return Unknown{};
  const std::string_view name = name_of_python(checker, *call.function);
  if (name == "int") type = checker.rules->to_int(value.scalar());
  if (name == "float") type = checker.rules->to_float(value.scalar());
  return cast_value(checker, value, type, range);
}

Value call_function(FunctionChecker& checker, FunctionDecl& function, const ast::Call& call,
                    const std::vector<Value>& captures, SourceRange range) {
  const ast::FunctionDef& def = *function.def;
  if (function.kind == FunctionDecl::Kind::Kernel && function.is_numba_kernel)
    return call_function(checker, device_function_of(checker.module, function), call, captures, range);
  const bool is_main = function.kind == FunctionDecl::Kind::Plain && def.name == "main";
  if (function.kind == FunctionDecl::Kind::Kernel || function.kind == FunctionDecl::Kind::Host || is_main) {
    const bool is_kernel = function.kind == FunctionDecl::Kind::Kernel;
    checker
        .report(range, DiagnosticId::NotADeviceFunction, def.name,
                is_kernel ? "a kernel"
                : is_main ? "what the host runs"
                          : "a test")
        .label(function.scope->file(), def.name_range, "declared here")
        .note(is_kernel ? "move the shared part into a function with `@device` and call that from both"
                        : "only device functions can be called from a kernel");
    return {};
  }
  std::optional<std::vector<Given>> arguments = given_arguments(checker, function, call, range);
  if (!arguments) return {};
  const std::vector<checked::Let> kept = kept_in_order(checker, *arguments);
  std::vector<Value> given;
  bool all_known = true;
  for (std::size_t i = 0; i < arguments->size(); ++i) {
    const auto& [value, place, turn] = (*arguments)[i];
    std::optional<Value> converted = def.parameters[i].is_variadic ? variadic_argument(checker, function, i, value)
                                                                   : argument_for(checker, function, i, value, place);
    all_known &= converted.has_value();
    if (converted) given.push_back(std::move(*converted));
  }
  if (!all_known) return {};
  if (function.is_external) return call_external(checker, function, given, range);
  given.insert(given.end(), captures.begin(), captures.end());
  return behind(checker, kept, call_specialized(checker, function, std::move(given), range), range);
}

/// What a function can be given: a value, or None or a type by its name, known where the function is compiled.
Value argument_value(FunctionChecker& checker, Entity given, SourceRange range) {
  if (const auto* text = std::get_if<TextRef>(&given)) {
    std::string error;
    if (const std::optional<ElementType> type = dtype_named(text->text, error))
      return static_value(checker, TypeRef{*type}, {}, range);
  }
  return std::holds_alternative<NoneRef>(given) ? static_value(checker, NoneRef{}, {}, range)
                                                : to_value(checker, std::move(given), range);
}

/// The shape of an array may be known better than stated, and contiguous is a case of any strides.
bool fits_parameter(checked::Type stated, checked::Type given) {
  if (stated.is_tuple() && given.is_tuple())
    return std::equal(stated->elements.begin(), stated->elements.end(), given->elements.begin(), given->elements.end(),
                      fits_parameter);
  if (!stated.is_array() || !given.is_array()) return stated == given;
  const ArrayType &wanted = stated->array, &array = given->array;
  if (wanted.element != array.element || wanted.rank() != array.rank()) return false;
  if (wanted.has_static_shape()) return wanted.extents == array.extents;
  if (wanted.layout == Layout::Strided || wanted.layout == array.layout) return true;
  return wanted.rank() <= 1 && array.layout != Layout::Strided;
}

/// Whether the function's result is, in Python, a record of an array, or one that the caller has already.
bool gives_shared_record(const Specialization& specialization, std::span<const Value> arguments) {
  return specialization.gives_shared_record || std::ranges::any_of(specialization.given_parameters, [&](int index) {
           const Value& argument = arguments[static_cast<std::size_t>(index)];
           return argument.is_array() || shares_record(*argument.expr);
         });
}

Value call_specialized(FunctionChecker& checker, FunctionDecl& function, std::vector<Value> arguments,
                       SourceRange range) {
  if (!checker.specialization) {
    checker.report(range, DiagnosticId::NotConstant, "the result of " + as_code(function.def->name))
        .note("constants are made of literals, other constants, casts and `math` functions; call it in the kernel");
    return {};
  }
  std::vector<InferredType> types;
  for (const Value& argument : arguments) {
    types.push_back(inferred_type(argument));
    if (!rules_of(function.dialect).has_weak_literals) settle(types.back());
  }
  if (checker.module.depth > kDeepest - 50 || checker.module.specialization_depth > kMostNestedSpecializations) {
    checker.report(range, DiagnosticId::NestedTooDeeply);
    return {};
  }
  if (!function.specializations.contains(types) &&
      ++checker.module.called_specializations > checker.module.limits.specializations) {
    checker.report(range, DiagnosticId::TooManySpecializations, checker.module.limits.specializations);
    return {};
  }
  Specialization& specialization = infer(checker.module, function, types);
  if (checker.is_trial) {
    if (&specialization == checker.specialization && checker.site >= 0)
      checker.specialization->result_readers.insert(checker.site);
    checker.met_own_call |= &specialization == checker.specialization && !specialization.result.known;
    if (!specialization.result.known) return {};
    checked::CallFunction node{nullptr, {}, gives_shared_record(specialization, arguments)};
    const Expr* call = checker.tree.make(specialization.result.type, range, std::move(node));
    return {call, weakness(specialization.result), {}};
  }
  const bool is_itself = &specialization == checker.specialization && specialization.result.known;
  if (specialization.is_emitting && !function.result_type && !is_itself) {
    checker.report(range, DiagnosticId::RecursionWithoutType, function.def->name)
        .label(function.scope->file(), function.def->name_range,
               "annotate the result here: " + as_code("-> " + likely_result(checker, specialization)));
    return {};
  }
  checker.specialization->callees.push_back(&specialization);
  checker.module.calls.push_back({&checker.scope.file(), range});
  checked::CallFunction node{
      emit(checker.module, function, specialization), {}, gives_shared_record(specialization, arguments)};
  checker.module.calls.pop_back();
  for (std::size_t i = 0; i < arguments.size(); ++i)
    node.arguments.push_back(convert_to(checker, arguments[i], types[i], range).expr);
  if (!specialization.result.known) return {};
  const Expr* call = checker.tree.make(specialization.result.type, range, std::move(node));
  return {call, weakness(specialization.result), {}};
}

}  // namespace pykc::checker
