#include "tests/random/functions.h"

#include <utility>

#include "tests/random/expressions.h"
#include "tests/random/memory.h"
#include "tests/random/statements.h"
#include "tests/random/values.h"

namespace pykc::random_test {
namespace {

using FunctionKind = Function::Kind;
using Names = std::vector<std::string>;

/// Any two of these have a type in common, so a function without types takes them all.
constexpr ScalarType kMixable[] = {ScalarType::I8,  ScalarType::U8,  ScalarType::I16, ScalarType::I32, ScalarType::I64,
                                   ScalarType::U32, ScalarType::F16, ScalarType::F32, ScalarType::F64};

std::string mixable(Writer& w, int depth) { return expression(w, w.any_of(kMixable), depth).text; }

/// An expression on names whose types are not known: only what all numbers have.
std::string generic_expression(Writer& w, const Names& names, int depth) {
  if (depth <= 0) return w.chance(80) ? w.random.pick(names) : std::to_string(w.number(20));
  const auto operand = [&] { return generic_expression(w, names, depth - 1); };
  static constexpr const char* kOperators[] = {" + ", " - ", " * "};
  switch (w.number(7)) {
    case 0:
      return "min(" + w.random.pick(names) + ", " + operand() + ")";
    case 1:
      return "max(" + operand() + ", " + w.random.pick(names) + ")";
    case 2:
      return "(" + operand() + " if " + w.random.pick(names) + " < " + operand() + " else " + operand() + ")";
    case 3:
      return "(" + w.random.pick(names) + (w.chance(50) ? " // " : " % ") + std::to_string(1 + w.number(9)) + ")";
    case 4:
      return "abs(" + w.random.pick(names) + " - " + operand() + ")";
    default:
      return "(" + w.random.pick(names) + w.random.pick(kOperators) + operand() + ")";
  }
}

void begin_function(Writer& w, const std::string& header) {
  w.blank_lines();
  if (w.chance(70)) w.line("@device");
  w.line("def " + header + ":");
}

/// `def f(x: T[::], p: T, …) -> R`: statements, perhaps an early return.
void declare_typed(Writer& w) {
  Function function{FunctionKind::Typed, w.fresh("typed"), {}, storable_type(w)};
  function.array = w.any_type();
  std::string header = function.name + "(x: " + spelling(function.array) + "[::]";
  const Place outer = std::exchange(w.place, Place{});
  w.place.uniform = false;
  for (const Variable& constant : outer.variables) w.place.variables.push_back(constant);
  w.place.arrays.push_back({"x", function.array, {16}, Memory::Input, false});
  for (int i = 1 + w.number(3); i-- > 0;) {
    const ValueType type = storable_type(w);
    const std::string name = w.fresh("p");
    header += ", " + name + ": " + spelling(type);
    function.parameters.push_back(type);
    w.add_variable(name, type);
  }
  begin_function(w, header + ") -> " + spelling(function.result));
  w.indented([&] {
    w.budget = w.number(6);
    block(w, w.number(4));
    if (w.chance(40)) w.line("if " + condition(w, 1) + ": return " + value(w, function.result, 1));
    w.line("return " + value(w, function.result, 2));
  });
  w.place = outer;
  w.functions.push_back(std::move(function));
}

void declare_generic(Writer& w) {
  Function function{FunctionKind::Generic, w.fresh("generic"), {}, ScalarType::I32};
  function.gives_pair = w.chance(25);
  Names names;
  std::string header = function.name + "(";
  for (int i = 1 + w.number(3); i-- > 0;) {
    names.push_back(w.fresh("p"));
    header += (names.size() > 1 ? ", " : "") + names.back();
    function.parameters.push_back(ScalarType::I32);
  }
  begin_function(w, header + ")");
  w.indented([&] {
    const std::string sum = w.fresh("s");
    w.line(sum + " = " + generic_expression(w, names, 2));
    names.push_back(sum);
    if (w.chance(40)) {
      w.line("if isinstance(" + names[0] + ", int):");
      w.line("    return (" + names[0] + " & 7) + " + sum + (function.gives_pair ? ", " + names[0] : ""));
    }
    if (w.chance(40)) {
      w.line("for k in range(" + std::to_string(1 + w.number(4)) + "):");
      w.line("    " + sum + " = " + sum + " + " + generic_expression(w, names, 1));
    }
    w.line("return " + generic_expression(w, names, 2) +
           (function.gives_pair ? ", " + generic_expression(w, names, 1) : ""));
  });
  w.functions.push_back(std::move(function));
}

void declare_variable(Writer& w) {
  const Function function{FunctionKind::Variable, w.fresh("variable"), {}, w.any_of(kWideTypes)};
  const std::string type = spelling(function.result);
  begin_function(w, function.name + "(first, *rest)");
  w.indented([&] {
    w.line("s: " + type + " = " + type + "(first)");
    const bool with_numbers = w.chance(50);
    w.line(with_numbers ? "for k, x in enumerate(rest):" : "for x in rest:");
    w.line("    s = s * 3 + " + type + "(" + generic_expression(w, with_numbers ? Names{"x", "k"} : Names{"x"}, 1) +
           ")");
    w.line("return s + len(rest)");
  });
  w.functions.push_back(function);
}

/// `def f(a, b: T = 1, c=2)`.
void declare_defaults(Writer& w) {
  const ScalarType type = w.any_of(kWideTypes);
  const Function function{FunctionKind::Defaults, w.fresh("defaults"), {type}, type};
  begin_function(w, function.name + "(a, b: " + spelling(type) + " = " + std::to_string(w.number(9)) +
                        ", c=" + std::to_string(w.number(9)) + ")");
  w.indented([&] { w.line("return " + spelling(type) + "(" + generic_expression(w, {"a", "c"}, 2) + ") - b"); });
  w.functions.push_back(function);
}

/// `def f(x, n: constexpr)`: the number is good for shapes and unrolling.
void declare_constant(Writer& w) {
  const ScalarType type = w.any_of(kWideTypes);
  const Function function{FunctionKind::Constant, w.fresh("constant"), {}, type};
  begin_function(w, function.name + "(x, n: constexpr)");
  w.indented([&] {
    w.line("own = local.array(n + 1, " + spelling(type) + ")");
    w.line("own[0] = " + spelling(type) + "(x)");
    w.line(w.chance(60) ? "for k in unroll(range(n)):" : "for k in range(n):");
    w.line("    own[k + 1] = own[k] * " + std::to_string(2 + w.number(5)) + " - " + spelling(type) + "(k)");
    if (w.chance(50)) {
      w.line("if n > 2:");
      w.line("    return own[n] + own[n - 1]");
    }
    w.line("return own[n]");
  });
  w.functions.push_back(function);
}

/// `def f(g, x, y)`: a function is passed.
void declare_higher(Writer& w) {
  const Function function{FunctionKind::Higher, w.fresh("higher"), {}, ScalarType::I32};
  begin_function(w, function.name + "(g, x, y)");
  w.indented([&] {
    if (w.chance(50)) w.line("y = g(" + generic_expression(w, {"x", "y"}, 1) + ", y)");
    w.line("return " + generic_expression(w, {"x", "y", "g(x, y)"}, 2));
  });
  w.functions.push_back(function);
}

/// `def f(a, k)`: of any array; it looks at views that another function returns.
void declare_of_array(Writer& w) {
  const Function function{FunctionKind::Array, w.fresh("array"), {}, w.any_of(kWideTypes)};
  const std::string type = spelling(function.result), view = w.fresh("view");
  begin_function(w, view + "(a, k=1)");
  static constexpr const char* kViews[] = {"a[::-1]", "a[k:]", "a[::2]", "a[:-1]"};
  w.indented([&] { w.line(std::string("return ") + w.random.pick(kViews)); });
  begin_function(w, function.name + "(a, k)");
  w.indented([&] {
    w.line("s = " + type + "(len(a))");
    w.line(w.chance(50) ? "for v in a:" : "for v in " + view + "(a):");
    w.line("    s = s * 3 + " + type + "(v)");
    w.line("return s - " + type + "(" + (w.chance(50) ? "a" : view + "(a)") + "[k & 1])");
  });
  w.functions.push_back(function);
}

/// `def f(n: i32, x: T) -> T`, at most 8 levels deep.
void declare_recursive(Writer& w) {
  const ScalarType type = w.any_of(kWideTypes);
  const Function function{FunctionKind::Recursive, w.fresh("recursive"), {}, type};
  const std::string t = spelling(type),
                    call = function.name + "(n - 1, " + t + "(" + generic_expression(w, {"x"}, 1) + "))";
  begin_function(w, function.name + "(n: i32, x: " + t + ") -> " + t);
  w.indented([&] {
    w.line("if n <= 0:");
    w.line("    return x");
    if (w.chance(30)) w.line("if x < 3: return " + function.name + "(n - 2, " + t + "(x + 1))");
    w.line("return " + (w.chance(50) ? call : call + (w.chance(50) ? " - x" : " * 3 + " + t + "(n)")));
  });
  w.functions.push_back(function);
}

/// Something to pass where a function of two numbers is wanted.
std::string function_of_two(Writer& w) {
  if (w.chance(40)) return w.random.pick({"min", "max"});
  for (const Function& function : w.functions)
    if (function.kind == FunctionKind::Generic && function.parameters.size() == 2 && !function.gives_pair &&
        w.chance(50))
      return function.name;
  return "lambda u, v: " + generic_expression(w, {"u", "v"}, 2);
}

std::string arguments_of(Writer& w, const Function& function, int depth) {
  std::string text;
  switch (function.kind) {
    case FunctionKind::Typed:
      text = view(w, function.array, 16);
      for (const ValueType& type : function.parameters) text += ", " + value(w, type, depth);
      return text;
    case FunctionKind::Generic:
      for (std::size_t i = 0; i < function.parameters.size(); ++i) text += (i > 0 ? ", " : "") + mixable(w, depth);
      return text;
    case FunctionKind::Variable:
      text = mixable(w, depth);
      for (int i = w.number(4); i-- > 0;) text += ", " + mixable(w, depth - 1);
      return w.chance(20) ? text + ", *(" + mixable(w, 0) + ", " + mixable(w, 0) + ")" : text;
    case FunctionKind::Defaults:
      text = mixable(w, depth);
      if (w.chance(30)) return "b=" + expression(w, function.result.scalar, depth).text + ", a=" + text;
      if (w.chance(30)) return text + ", c=" + mixable(w, 0);
      return w.chance(50) ? text + ", " + expression(w, function.result.scalar, depth).text : text;
    case FunctionKind::Constant:
      return mixable(w, depth) + ", " + std::to_string(w.number(6));
    case FunctionKind::Higher:
      text = function_of_two(w);
      return text + ", " + mixable(w, depth) + ", " + mixable(w, depth);
    case FunctionKind::Array:
      return view(w, w.any_of(kMixable), 4 << w.number(2)) + ", " + std::to_string(w.number(4));
    case FunctionKind::Recursive:
      return "i32(" + any(w, depth).text + ") & 7, " + expression(w, function.result.scalar, depth).text;
  }
  return text;
}

struct DeclarationRow {
  Feature feature;
  void (*declare)(Writer&);
};
constexpr DeclarationRow kDeclarationRows[] = {{Feature::Functions, declare_typed},
                                               {Feature::Generics, declare_generic},
                                               {Feature::VariableArguments, declare_variable},
                                               {Feature::Defaults, declare_defaults},
                                               {Feature::ConstantParameters, declare_constant},
                                               {Feature::FunctionValues, declare_higher},
                                               {Feature::Recursion, declare_recursive},
                                               {Feature::ArrayFunctions, declare_of_array}};

}  // namespace

void declare_functions(Writer& w) {
  for (const DeclarationRow& row : kDeclarationRows) {
    if (!w.is_enabled(row.feature)) continue;
    row.declare(w);
    if (w.chance(35)) row.declare(w);
  }
}

Expression function_call(Writer& w, int depth) {
  const Function function = w.random.pick(w.functions);
  const std::string call = function.name + "(" + arguments_of(w, function, depth) + ")";
  if (function.kind == FunctionKind::Typed) return part(w, function.result, call);
  // What comes back has the types of what went in: a cast says which one is wanted.
  const std::string item = function.gives_pair ? "[" + std::to_string(w.number(2)) + "]" : "";
  return converted({call + item, ScalarType::I32}, w.any_type());
}

std::string call_for(Writer& w, const ValueType& type, int depth) {
  if (!w.place.in_kernel) return {};
  for (std::size_t i = 0; i < w.functions.size(); ++i) {
    const Function function = w.functions[i];
    if (function.kind == FunctionKind::Typed && function.result == type)
      return function.name + "(" + arguments_of(w, function, depth - 1) + ")";
  }
  return {};
}

void use_closure(Writer& w) {
  Names names = {"u"};
  for (int i = 0; i < 2; ++i) {
    const Variable variable = w.random.pick(w.place.variables);
    if (variable.type.is_scalar())
      names.push_back(converted({variable.name, ScalarType::I32}, w.any_of(kWideTypes)).text);
  }
  // One type for what is captured and for what is passed, so that all operators fit.
  const ScalarType type = w.any_of(kMixable);
  for (std::size_t i = 1; i < names.size(); ++i) names[i] = converted({names[i], type}, type).text;
  const std::string function = w.fresh("closure"), result = w.fresh("t"), body = generic_expression(w, names, 2);
  if (w.chance(50)) {
    w.line(function + " = lambda u: " + body);
  } else {
    w.line("def " + function + "(u):");
    w.line("    return " + body);
  }
  if (w.chance(40)) statement(w);  // what is captured may change before the call
  const ScalarType given = w.any_type();
  w.line(result + " = " + converted({function + "(" + mixable(w, 2) + ")", given}, given).text);
  w.place.variables.push_back({result, given});
}

/// The body is compiled for each function.
void loop_through_functions(Writer& w) {
  const ScalarType type = w.any_of(kMixable);
  const Variable captured = w.random.pick(w.place.variables);
  const std::string given = captured.type.is_scalar() ? converted({captured.name, type}, type).text : "3";
  const std::string function = w.fresh("each"), result = w.fresh("t");
  w.line(result + ": " + spelling(type) + " = " + expression(w, type, 1).text);
  w.line("for " + function + " in (lambda u: " + generic_expression(w, {"u", given}, 2) +
         ", abs, lambda u: " + generic_expression(w, {"u", given, result}, 1) + "):");
  w.line("    " + result + " = " + function + "(" + result + ")");
  w.place.variables.push_back({result, type});
}

}  // namespace pykc::random_test
