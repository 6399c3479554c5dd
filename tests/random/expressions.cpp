#include <algorithm>

#include "tests/random/program.h"

namespace pykc::random_test {
namespace {

std::string name_of(ScalarType type) { return std::string(to_string(type)); }

bool is_narrow(ScalarType type) { return !is_float(type) && size_in_bytes(type) < 4; }

/// Rule 2.6 of the reference, for two types that have one in common.
ScalarType joined(ScalarType a, ScalarType b) {
  if (is_float(a) && is_float(b)) {
    if (a == b) return a;
    if (size_in_bytes(a) == size_in_bytes(b)) return ScalarType::F32;  // f16 and bf16
    return size_in_bytes(a) > size_in_bytes(b) ? a : b;
  }
  if (is_float(a) || is_float(b)) return is_float(a) ? a : b;
  if (is_narrow(a) && is_narrow(b)) return ScalarType::I32;
  if (a == ScalarType::Bool) return b;
  if (b == ScalarType::Bool) return a;
  if (is_signed_integer(a) == is_signed_integer(b)) return size_in_bytes(a) > size_in_bytes(b) ? a : b;
  const ScalarType with_sign = is_signed_integer(a) ? a : b, without = is_signed_integer(a) ? b : a;
  if (size_in_bytes(with_sign) > size_in_bytes(without)) return with_sign;
  return ScalarType::I64;  // u32 and a signed type
}

bool have_common_type(ScalarType a, ScalarType b) {
  const auto clashes = [](ScalarType one, ScalarType other) {
    return one == ScalarType::U64 && is_signed_integer(other);
  };
  return !clashes(a, b) && !clashes(b, a);
}

Expression converted(const Expression& value, ScalarType type) {
  return {name_of(type) + "(" + value.text + ")", type};
}

}  // namespace

Expression ProgramWriter::expression(ScalarType type, int depth) {
  if (depth <= 0 || chance(15)) return leaf(type);
  const Expression value = operation(depth);
  return value.type == type ? value : converted(value, type);
}

Expression ProgramWriter::leaf(ScalarType type) {
  std::vector<const Variable*> fitting;
  for (const Variable& variable : variables_)
    if (variable.type == type) fitting.push_back(&variable);
  if (!fitting.empty() && chance(70)) return {pick(fitting)->name, type};
  if (in_kernel_ && chance(40)) return element(type, 0);
  if (!variables_.empty() && chance(40)) return converted({pick(variables_).name, type}, type);
  return literal(type);
}

Expression ProgramWriter::literal(ScalarType type) {
  static constexpr const char* kReals[] = {"0.0",      "-0.0",      "1.5",      "-2.75", "0.1",
                                           "1e-3",     "65504.0",   "3e38",     "1e-40", "16777217.0",
                                           "math.inf", "-math.inf", "math.nan", "4096.5"};
  if (type == ScalarType::Bool) return {chance(50) ? "True" : "False", type};
  if (is_float(type)) return {name_of(type) + "(" + kReals[number(std::size(kReals))] + ")", type};
  const int bits = size_in_bits(type) - (is_signed_integer(type) ? 1 : 0);
  const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t edges[] = {0, 1, 2, 3, 7, most, most - 1, most / 2 + 1, 100};
  std::string text = std::to_string(std::min(most, edges[number(std::size(edges))]));
  if (is_signed_integer(type) && chance(30)) text = chance(20) ? "-" + std::to_string(most + 1) : "-" + text;
  return {name_of(type) + "(" + text + ")", type};
}

Expression ProgramWriter::element(ScalarType type, int depth) {
  for (std::size_t i = 0; i < local_.size(); ++i)
    if (local_[i] == type && chance(50)) return {"mine" + std::to_string(i) + "[" + index(4, depth) + "]", type};
  if (chance(25)) return {view(type, 16) + "[" + index(16, depth) + "]", type};
  return {"in_" + name_of(type) + "[" + index(64, depth) + "]", type};
}

std::string ProgramWriter::view(ScalarType type, int size) {
  const std::string array = "in_" + name_of(type);
  const int step = 1 + number(3), start = number(64 - size * step);
  const std::string first = std::to_string(start), last = std::to_string(start + size * step);
  switch (number(4)) {
    case 0:
      return array + "[" + first + ":" + last + ":" + std::to_string(step) + "]";
    case 1:
      return array + "[" + std::to_string(64 - size) + ":][::-1]";
    case 2:
      return array + "[" + std::to_string(start + size - 1) +
             (start == 0 ? "::-1]" : ":" + std::to_string(start - 1) + ":-1]");
    default:
      return array + "[" + std::to_string(start - 64) + ":][:" + std::to_string(size) + "]";
  }
}

std::string ProgramWriter::index(int size, int depth) {
  const std::string last = std::to_string(size - 1), text = expression(pick(integers_), depth).text;
  switch (number(4)) {
    case 0:
      return "i64(" + text + ") % " + std::to_string(size);
    case 1:
      return "(i64(" + text + ") & " + last + ") - " + std::to_string(size);
    case 2:
      return text + " & " + last;
    default:
      return std::to_string(number(2 * size) - size);
  }
}

Expression ProgramWriter::operation(int depth) {
  using Make = Expression (ProgramWriter::*)(int);
  static constexpr Make kMakes[] = {&ProgramWriter::arithmetic,
                                    &ProgramWriter::arithmetic,
                                    &ProgramWriter::arithmetic,
                                    &ProgramWriter::bitwise,
                                    &ProgramWriter::shift,
                                    &ProgramWriter::power,
                                    &ProgramWriter::unary,
                                    &ProgramWriter::function_of_float,
                                    &ProgramWriter::extreme,
                                    &ProgramWriter::choice,
                                    &ProgramWriter::function_of_integer,
                                    &ProgramWriter::call};
  if (chance(12)) return {"(" + condition(depth - 1) + ")", ScalarType::Bool};
  return (this->*kMakes[number(std::size(kMakes))])(depth - 1);
}

void ProgramWriter::reconcile(Expression& a, const Expression& b) {
  if (!have_common_type(a.type, b.type)) a = converted(a, b.type);
}

Expression ProgramWriter::arithmetic(int depth) {
  static constexpr const char* kOperators[] = {" + ", " - ", " * ", " // ", " % ", " / "};
  Expression a = any(depth), b = any(depth);
  reconcile(a, b);
  const int op = number(std::size(kOperators));
  ScalarType type = joined(a.type, b.type);
  if (op == 5 && !is_float(type)) type = ScalarType::F64;
  if (chance(20) && op < 3 && a.type != ScalarType::Bool) {  // a literal takes the type of what it meets
    const bool is_real = is_float(a.type) && chance(50);
    type = is_narrow(a.type) ? ScalarType::I32 : a.type;
    return {"(" + a.text + kOperators[op] + (is_real ? "0.5" : std::to_string(number(100))) + ")", type};
  }
  return {"(" + a.text + kOperators[op] + b.text + ")", type};
}

Expression ProgramWriter::bitwise(int depth) {
  static constexpr const char* kOperators[] = {" & ", " | ", " ^ "};
  Expression a = expression(pick(integers_), depth), b = expression(pick(integers_), depth);
  if (chance(15)) return {"((" + condition(depth) + ") ^ (" + condition(depth) + "))", ScalarType::Bool};
  reconcile(a, b);
  return {"(" + a.text + kOperators[number(3)] + b.text + ")", joined(a.type, b.type)};
}

Expression ProgramWriter::shift(int depth) {
  const Expression a = expression(pick(integers_), depth), b = expression(pick(integers_), depth);
  const std::string count = chance(40) ? std::to_string(number(70)) : chance(50) ? "(" + b.text + " & 31)" : b.text;
  return {"(" + a.text + (chance(50) ? " << " : " >> ") + count + ")", is_narrow(a.type) ? ScalarType::I32 : a.type};
}

Expression ProgramWriter::power(int depth) {
  if (chance(40)) {
    const Expression base = expression(pick(floats_), depth);
    return {"(" + base.text + " ** " + std::to_string(number(5)) + ")", base.type};
  }
  const Expression base = expression(pick(wide_integers_), depth);
  const std::string exponent = chance(50) ? std::to_string(number(17)) : expression(base.type, depth).text;
  return {"(" + base.text + " ** " + exponent + ")", base.type};
}

Expression ProgramWriter::unary(int depth) {
  Expression a = any(depth);
  if (a.type == ScalarType::Bool) return {"(not " + a.text + ")", a.type};
  if (is_float(a.type)) return chance(70) ? Expression{"(-" + a.text + ")", a.type} : converted(a, pick(all_));
  if (is_narrow(a.type)) a = converted(a, pick(wide_integers_));
  static constexpr const char* kOperators[] = {"(-", "(~", "(+", "abs("};
  return {kOperators[number(4)] + a.text + ")", a.type};
}

Expression ProgramWriter::function_of_float(int depth) {
  static constexpr const char* kFunctions[] = {"math.floor", "math.ceil", "math.trunc",
                                               "math.fabs",  "math.sqrt", "abs"};
  const Expression a = expression(pick(floats_), depth);
  if (chance(15)) return {"round(" + a.text + ")", ScalarType::I64};
  if (chance(15)) return {"math.isnan(" + a.text + ")", ScalarType::Bool};
  if (chance(15)) {
    const std::string b = expression(a.type, depth).text, c = expression(a.type, depth).text;
    return {"math.fma(" + a.text + ", " + b + ", " + c + ")", a.type};
  }
  return {kFunctions[number(std::size(kFunctions))] + ("(" + a.text + ")"), a.type};
}

Expression ProgramWriter::function_of_integer(int depth) {
  static constexpr const char* kFunctions[] = {"popc", "clz", "ffs"};
  const Expression a = expression(pick(integers_), depth);
  if (chance(30)) return {"brev(" + a.text + ")", a.type};
  return {kFunctions[number(3)] + ("(" + a.text + ")"), ScalarType::I32};
}

Expression ProgramWriter::extreme(int depth) {
  const ScalarType type = chance(40) ? pick(floats_) : pick(wide_integers_);
  std::string text = (chance(50) ? "min(" : "max(") + expression(type, depth).text;
  for (int i = 1 + number(2); i-- > 0;) text += ", " + expression(type, depth).text;
  return {text + ")", type};
}

Expression ProgramWriter::choice(int depth) {
  const ScalarType type = pick(all_);
  const std::string a = expression(type, depth).text, b = expression(type, depth).text;
  if (chance(30)) return {"selp(" + condition(depth) + ", " + a + ", " + b + ")", type};
  return {"(" + a + " if " + condition(depth) + " else " + b + ")", type};
}

Expression ProgramWriter::call(int depth) {
  if (functions_.empty()) return arithmetic(depth);
  const DeviceFunction function = pick(functions_);
  if (!in_kernel_) return arithmetic(depth);  // there are no arrays to pass
  std::string text = function.name + "(" + view(function.array, 16);
  for (const ScalarType type : function.parameters) text += ", " + expression(type, depth).text;
  return {text + ")", function.result};
}

std::string ProgramWriter::condition(int depth) {
  static constexpr const char* kOperators[] = {" < ", " <= ", " == ", " != ", " > ", " >= "};
  if (depth > 0 && chance(30))
    return "(" + condition(depth - 1) + (chance(50) ? " and " : " or ") + condition(depth - 1) + ")";
  if (chance(10)) return "not (" + condition(depth - 1) + ")";
  const Expression a = any(depth), b = any(depth);
  if (chance(10)) return a.text + kOperators[number(6)] + b.text + kOperators[number(6)] + any(0).text;
  if (chance(15)) return a.type == ScalarType::Bool ? a.text : "bool(" + a.text + ")";
  return a.text + kOperators[number(6)] + b.text;
}

std::string ProgramWriter::uniform_integer() {
  std::vector<std::string> known = {"n",
                                    "blockIdx.x",
                                    "blockDim.x",
                                    "gridDim.x",
                                    "i64(" + std::to_string(number(10)) + ")",
                                    "i64(in_i16[" + std::to_string(number(64)) + "])"};
  for (const Variable& variable : variables_)
    if (variable.uniform) known.push_back("i64(" + variable.name + ")");
  const std::string a = pick(known);
  if (chance(50)) return a;
  static constexpr const char* kOperators[] = {" + ", " - ", " * ", " & ", " % ", " ^ "};
  return "(" + a + kOperators[number(6)] + pick(known) + ")";
}

std::string ProgramWriter::uniform_condition() {
  static constexpr const char* kOperators[] = {" < ", " == ", " != ", " >= "};
  return uniform_integer() + kOperators[number(4)] + uniform_integer();
}

}  // namespace pykc::random_test
