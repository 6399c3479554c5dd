#include "tests/random/expressions.h"

#include "tests/random/builtins.h"
#include "tests/random/functions.h"
#include "tests/random/memory.h"
#include "tests/random/values.h"

namespace pykc::random_test {
namespace {

void reconcile(Expression& a, const Expression& b) {
  if (!have_common_type(a.type, b.type)) a = converted(a, b.type);
}

Expression leaf(Writer& w, ScalarType type) {
  std::vector<const Variable*> fitting, scalars;
  for (const Variable& variable : w.place.variables) {
    if (!variable.type.is_scalar()) continue;
    scalars.push_back(&variable);
    if (variable.type.scalar == type) fitting.push_back(&variable);
  }
  if (!fitting.empty() && w.chance(65)) return {w.random.pick(fitting)->name, type};
  if (w.chance(45)) return element(w, type, 0);
  if (!scalars.empty() && w.chance(45)) return converted({w.random.pick(scalars)->name, type}, type);
  return literal(w.random, type);
}

Expression with_literal(Writer& w, const Expression& a, const char* op) {
  const bool is_real = is_float(a.type) && w.chance(50);
  const ScalarType type = is_narrow(a.type) ? ScalarType::I32 : a.type;
  return {"(" + a.text + op + (is_real ? "0.5" : std::to_string(w.number(100))) + ")", type};
}

Expression arithmetic(Writer& w, int depth) {
  static constexpr const char* kOperators[] = {" + ", " - ", " * ", " // ", " % ", " / "};
  Expression a = any(w, depth), b = any(w, depth);
  reconcile(a, b);
  const int op = w.number(std::size(kOperators));
  // A literal takes the type of what it meets.
  if (op < 3 && a.type != ScalarType::Bool && w.chance(20)) return with_literal(w, a, kOperators[op]);
  ScalarType type = joined(a.type, b.type);
  if (op == 5 && !is_float(type)) type = ScalarType::F64;
  return {"(" + a.text + kOperators[op] + b.text + ")", type};
}

Expression division_and_remainder(Writer& w, int depth) {
  Expression a = any(w, depth), b = any(w, depth);
  reconcile(a, b);
  return {"divmod(" + a.text + ", " + b.text + ")[" + std::to_string(w.number(2)) + "]", joined(a.type, b.type)};
}

Expression bitwise(Writer& w, int depth) {
  static constexpr const char* kOperators[] = {" & ", " | ", " ^ "};
  if (w.chance(15))
    return {"((" + condition(w, depth) + ")" + w.random.pick(kOperators) + "(" + condition(w, depth) + "))",
            ScalarType::Bool};
  Expression a = expression(w, w.any_of(kIntegers), depth), b = expression(w, w.any_of(kIntegers), depth);
  reconcile(a, b);
  return {"(" + a.text + w.random.pick(kOperators) + b.text + ")", joined(a.type, b.type)};
}

Expression shift(Writer& w, int depth) {
  const Expression a = expression(w, w.any_of(kIntegers), depth), b = expression(w, w.any_of(kIntegers), depth);
  const std::string count = w.chance(40)   ? std::to_string(w.number(70))
                            : w.chance(50) ? "(" + b.text + " & 31)"
                                           : b.text;
  return {"(" + a.text + (w.chance(50) ? " << " : " >> ") + count + ")", is_narrow(a.type) ? ScalarType::I32 : a.type};
}

Expression power(Writer& w, int depth) {
  if (w.chance(40)) {
    const Expression base = expression(w, w.any_of(kFloats), depth);
    return {"(" + base.text + " ** " + std::to_string(w.number(5)) + ")", base.type};
  }
  const Expression base = expression(w, w.any_of(kWideIntegers), depth);
  const std::string exponent = w.chance(50) ? std::to_string(w.number(17)) : expression(w, base.type, depth).text;
  return {"(" + base.text + " ** " + exponent + ")", base.type};
}

/// What is left of a number in 8 bits.
Expression rounded_to_8_bits(Writer& w, const Expression& a) {
  const ScalarType type = w.chance(50) ? ScalarType::F8E4M3 : ScalarType::F8E5M2;
  return converted(converted(a, type), w.any_type());
}

Expression unary(Writer& w, int depth) {
  Expression a = any(w, depth);
  if (w.is_enabled(Feature::NarrowTypes) && w.chance(15)) return rounded_to_8_bits(w, a);
  if (a.type == ScalarType::Bool) return {"(not " + a.text + ")", a.type};
  if (is_float(a.type)) return w.chance(70) ? Expression{"(-" + a.text + ")", a.type} : converted(a, w.any_type());
  if (is_narrow(a.type)) a = converted(a, w.random.pick(kWideIntegers));
  static constexpr const char* kOperators[] = {"(-", "(~", "(+", "abs("};
  return {w.random.pick(kOperators) + a.text + ")", a.type};
}

/// One of two that meet. In Numba's dialect a sum of narrow integers without sign is a u64, which meets those with one
/// in f64.
std::string operand(Writer& w, ScalarType type, int depth) {
  const Expression given = expression(w, type, depth);
  return w.is_enabled(Feature::NumbaDialect) ? converted(given, type).text : given.text;
}

Expression extreme(Writer& w, int depth) {
  const ScalarType type = w.chance(40) ? w.any_of(kFloats) : w.random.pick(kWideIntegers);
  std::string text = (w.chance(50) ? "min(" : "max(") + operand(w, type, depth);
  for (int i = 1 + w.number(2); i-- > 0;) text += ", " + operand(w, type, depth);
  return {text + ")", type};
}

Expression choice(Writer& w, int depth) {
  if (w.chance(20)) {  // of two types
    Expression a = any(w, depth), b = any(w, depth);
    reconcile(a, b);
    return converted({"(" + a.text + " if " + condition(w, depth) + " else " + b.text + ")", a.type}, w.any_type());
  }
  const ScalarType type = w.any_type();
  const std::string a = operand(w, type, depth), b = operand(w, type, depth);
  if (w.chance(30)) return {"selp(" + condition(w, depth) + ", " + a + ", " + b + ")", type};
  return {"(" + a + " if " + condition(w, depth) + " else " + b + ")", type};
}

/// One of two values, of the same type.
Expression either(Writer& w, int depth) {
  const ScalarType type = w.any_type();
  const std::string a = operand(w, type, depth), b = operand(w, type, depth);
  return {"(" + a + (w.chance(50) ? " or " : " and ") + b + ")", type};
}

Expression ufunc(Writer& w, int depth) {
  static constexpr const char* kOfNumbers[] = {"add",       "subtract", "multiply", "minimum",      "maximum",
                                               "fmin",      "fmax",     "less",     "floor_divide", "remainder",
                                               "not_equal", "copysign", "sign",     "logical_xor",  "square"};
  static constexpr const char* kOfIntegers[] = {"bitwise_and", "bitwise_or", "bitwise_xor", "left_shift",
                                                "right_shift", "invert",     "negative",    "absolute"};
  const bool is_of_numbers = w.chance(60);
  const std::string name = is_of_numbers ? w.random.pick(kOfNumbers) : w.random.pick(kOfIntegers);
  const bool takes_one =
      name == "sign" || name == "square" || name == "invert" || name == "negative" || name == "absolute";
  const ScalarType type = is_of_numbers && w.chance(50) ? w.any_of(kFloats) : w.any_of(kIntegers);
  const std::string a = operand(w, type, depth), b = operand(w, type, depth);
  // The sign of a NaN is nobody's promise.
  const std::string second = name == "copysign" && is_float(type) ? "max(" + b + ", -2)" : b;
  return converted({"np." + name + "(" + a + (takes_one ? "" : ", " + second) + ")", type}, w.any_type());
}

Expression rounded(Writer& w, int depth) {
  if (w.chance(30)) {
    const Expression x = expression(w, w.random.pick({ScalarType::F32, ScalarType::F64}), depth);
    return converted({"round(" + x.text + ", " + std::to_string(w.number(6) - 2) + ")", x.type}, x.type);
  }
  return {"round(" + expression(w, w.any_of(kFloats), depth).text + ")", ScalarType::I64};
}

/// Elements of one type, as text: "(a, b, c)".
std::string tuple_of(Writer& w, ScalarType type, int count, int depth) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "(") + expression(w, type, depth).text;
  return text + ")";
}

Expression tuple_operation(Writer& w, int depth) {
  const int count = 2 + w.number(3);
  const ScalarType type = w.any_of(kWideTypes);
  static constexpr const char* kQuestions[] = {"any(", "all("};
  static constexpr const char* kReductions[] = {"sum(", "min(", "max("};
  switch (w.number(3)) {
    case 0:
      return {tuple_of(w, type, count, depth) + "[" + index(w, count, 0) + "]", type};
    case 1:
      return {w.random.pick(kQuestions) + tuple_of(w, ScalarType::Bool, count, depth) + ")", ScalarType::Bool};
    default:
      return converted({w.random.pick(kReductions) + tuple_of(w, type, count, depth) + ")", type}, type);
  }
}

Expression array_reduction(Writer& w, int) {
  static constexpr const char* kReductions[] = {"sum",    "prod",          "mean",   "var",    "std",
                                                "min",    "max",           "ptp",    "argmin", "argmax",
                                                "nansum", "count_nonzero", "nanmin", "nanmax", "nanmean"};
  const ScalarType type = w.chance(60) ? w.any_of(kFloats) : w.any_of(kWideIntegers);
  return converted({std::string("np.") + w.random.pick(kReductions) + "(" + view(w, type, 4 + w.number(5)) + ")", type},
                   w.any_type());
}

std::string membership(Writer& w, int depth) {
  const std::string x = expression(w, ScalarType::I64, depth).text, in = w.chance(70) ? " in " : " not in ";
  if (w.chance(50))
    return x + in + "(" + std::to_string(w.number(5)) + ", " + expression(w, ScalarType::I64, 0).text + ")";
  return x + in + "range(" + std::to_string(w.number(4) - 2) + ", " + std::to_string(w.number(90)) + ")";
}

Expression python_number(Writer& w, int depth) {
  const Expression a = any(w, depth);
  if (w.chance(50)) return {"int(" + a.text + ")", ScalarType::I64};
  if (w.chance(50) || !is_integer(a.type)) return {"float(" + a.text + ")", ScalarType::F64};
  return converted({"(" + a.text + ").bit_count()", ScalarType::I32}, ScalarType::I32);
}

Expression truth(Writer& w, int depth) { return {"(" + condition(w, depth) + ")", ScalarType::Bool}; }

struct OperationRow {
  int weight;
  Feature feature;
  bool (*allowed)(const Writer&);
  Expression (*make)(Writer&, int);
};

bool has_functions(const Writer& w) { return w.place.in_kernel && !w.functions.empty(); }

constexpr OperationRow kOperationRows[] = {
    {30, Feature::Always, always, arithmetic},
    {10, Feature::Always, always, truth},
    {10, Feature::Always, always, unary},
    {9, Feature::Always, always, extreme},
    {9, Feature::Always, always, choice},
    {4, Feature::Always, always, either},
    {9, Feature::Ufuncs, always, ufunc},
    {2, Feature::Always, always, rounded},
    {3, Feature::Always, always, division_and_remainder},
    {4, Feature::Always, always, python_number},
    {10, Feature::Tuples, always, tuple_operation},
    {8, Feature::Reductions, in_kernel, array_reduction},
    {18, Feature::Bits, always, bitwise},
    {14, Feature::Bits, always, shift},
    {9, Feature::Powers, always, power},
    {18, Feature::Builtins, always, builtin_call},
    {10, Feature::Mathematics, always, builtin_call},
    {16, Feature::Always, has_functions, function_call},
    {20, Feature::Always, has_composed, part_of_value},
};

}  // namespace

Expression expression(Writer& w, ScalarType type, int depth) {
  if (depth <= 0 || w.chance(15)) return leaf(w, type);
  const Expression value = operation(w, depth);
  return value.type == type ? value : converted(value, type);
}

Expression operation(Writer& w, int depth) {
  const OperationRow* row = w.random.pick_weighted(
      std::span<const OperationRow>(kOperationRows),
      [&](const OperationRow& candidate) { return w.is_enabled(candidate.feature) && candidate.allowed(w); });
  return row->make(w, depth - 1);
}

std::string condition(Writer& w, int depth) {
  static constexpr const char* kOperators[] = {" < ", " <= ", " == ", " != ", " > ", " >= "};
  if (depth > 0 && w.chance(30))
    return "(" + condition(w, depth - 1) + (w.chance(50) ? " and " : " or ") + condition(w, depth - 1) + ")";
  if (w.chance(10)) return "not (" + condition(w, depth - 1) + ")";
  if (has_composed(w) && w.chance(8)) return equality_of_values(w, depth);
  if (w.is_enabled(Feature::Tuples) && w.chance(8)) return membership(w, depth);
  const Expression a = any(w, depth), b = any(w, depth);
  if (w.chance(10)) return a.text + w.random.pick(kOperators) + b.text + w.random.pick(kOperators) + any(w, 0).text;
  if (w.chance(15)) return a.type == ScalarType::Bool ? a.text : "bool(" + a.text + ")";
  if (w.chance(8) && a.type != ScalarType::Bool)
    return a.text + w.random.pick(kOperators) + std::to_string(w.number(5) - 2);
  return a.text + w.random.pick(kOperators) + b.text;
}

std::string in_place(Writer& w, ScalarType type) {
  static constexpr const char* kOfIntegers[] = {
      " += ", " -= ", " *= ", " //= ", " %= ", " &= ", " |= ", " ^= ", " <<= ", " >>= "};
  static constexpr const char* kOfFloats[] = {" += ", " -= ", " *= ", " /= ", " //= ", " %= "};
  return (is_float(type) ? w.random.pick(kOfFloats) : w.random.pick(kOfIntegers)) + operand(w, type, 2);
}

std::string uniform_integer(Writer& w) {
  std::vector<std::string> known = {"blockIdx.x",
                                    "blockDim.x",
                                    "gridDim.x",
                                    "i64(" + std::to_string(w.number(10)) + ")",
                                    "i64(" + uniform_element(w) + ")",
                                    "len(in_i32)"};
  if (w.is_enabled(Feature::Clusters)) known.emplace_back("cluster_ctarank()");
  for (const Variable& variable : w.place.variables)
    if (variable.uniform) known.push_back("i64(" + variable.name + ")");
  const std::string a = w.random.pick(known);
  if (w.chance(50)) return a;
  static constexpr const char* kOperators[] = {" + ", " - ", " * ", " & ", " % ", " ^ "};
  return "(" + a + w.random.pick(kOperators) + w.random.pick(known) + ")";
}

std::string uniform_condition(Writer& w) {
  static constexpr const char* kOperators[] = {" < ", " == ", " != ", " >= "};
  return uniform_integer(w) + w.random.pick(kOperators) + uniform_integer(w);
}

std::string index(Writer& w, int size, int depth) {
  const bool may_be_negative = !w.is_enabled(Feature::NoWraparound);
  const bool is_power_of_two = (size & (size - 1)) == 0;
  const std::string last = std::to_string(size - 1), text = expression(w, w.any_of(kIntegers), depth).text;
  switch (w.number(4)) {
    case 0:
      return "i64(" + text + ") % " + std::to_string(size);
    case 1:
      if (is_power_of_two && may_be_negative) return "(i64(" + text + ") & " + last + ") - " + std::to_string(size);
      return "i64(" + text + ") % " + std::to_string(size);
    case 2:
      return is_power_of_two ? text + " & " + last : "i64(" + text + ") % " + std::to_string(size);
    default:
      return std::to_string(may_be_negative ? w.number(2 * size) - size : w.number(size));
  }
}

}  // namespace pykc::random_test
