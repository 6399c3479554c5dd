// ptx("add.s32 %0, %1, %2;", i32, a, b): a piece of PTX in the middle of a kernel. %0 is the result, where a type for
// it is given; then come the operands; %% is a percent sign.
#include "frontend/check/calls/ptx.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/function_checker.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {
namespace {

/// The operand numbers of a text; -1 stands for a `%` that is followed by neither a digit nor another `%`.
std::vector<int> numbers_in(std::string_view text) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    ++i;
    if (i < text.size() && text[i] == '%') continue;
    int number = -1;
    for (; i < text.size() && is_digit(text[i]) && number < 1000; ++i)
      number = std::max(number, 0) * 10 + text[i] - '0';
    --i;
    numbers.push_back(number);
  }
  return numbers;
}

/// Why a text is no piece of a kernel: it would close the kernel, or take what follows with it. Empty where it is one.
std::string_view why_no_piece(std::string_view text) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos) return "a comment in it does not end";
      i = end + 1;
    } else if (text[i] == '{') {
      ++open;
    } else if (text[i] == '}' && --open < 0) {
      return "it closes a brace that it has not opened";
    }
  }
  return open > 0 ? "it does not close a brace" : "";
}

/// The registers of PTX have 16, 32 or 64 bits, or one.
bool has_register(const Value& value) {
  if (value.is_array()) return true;
  return value.is_scalar() && (value.scalar() == ScalarType::Bool || size_in_bytes(value.scalar()) >= 2);
}

/// A type, or a tuple of types; none where the argument is an operand.
std::optional<checked::Type> ptx_result(FunctionChecker& checker, const ast::Expr& argument) {
  const auto* tuple = argument.as<ast::Tuple>();
  const bool is_type = argument.as<ast::Name>() || argument.as<ast::Attribute>();
  if (!tuple && !is_type) return std::nullopt;
  std::vector<checked::Type> results;
  for (const ast::Expr* part : ast::parts_of(argument)) {
    const Entity given = checker.entity(*part);
    const auto* type = std::get_if<TypeRef>(&given);
    if (!type) return std::nullopt;
    const checked::Type element = results.emplace_back(checker.types.of(type->type));
    const bool fits =
        element.is_scalar() && (element->scalar == ScalarType::Bool || size_in_bytes(element->scalar) >= 2);
    if (!fits) checker.report(part->range, DiagnosticId::ArgumentValue, "ptx", "results of 16, 32 or 64 bits, or bool");
  }
  return tuple ? checker.types.tuple(std::move(results)) : results.front();
}

}  // namespace

Entity call_ptx(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kSignature = "ptx(text, [type of the result,] operands…)";
  if (!has_no_keywords(checker, call, "`ptx`")) return Unknown{};
  if (!may_leave_language(checker.module, checker.scope)) {
    checker.report(range, DiagnosticId::Untrusted, "ptx");
    return Unknown{};
  }
  const Entity first = call.arguments.empty() ? Entity(NoneRef{}) : checker.entity(*call.arguments[0]);
  const auto* text = std::get_if<TextRef>(&first);
  if (!text) {
    checker
        .report(call.arguments.empty() ? range : call.arguments[0]->range, DiagnosticId::ArgumentValue, "ptx",
                "its text, a string, first")
        .note("write " + as_code(kSignature));
    return Unknown{};
  }
  if (const std::string_view wrong = why_no_piece(text->text); !wrong.empty()) {
    checker.report(call.arguments[0]->range, DiagnosticId::PtxText, std::string(wrong));
    return Unknown{};
  }
  checked::InlinePtx node{text->text, {}};
  checked::Type result = checked::Type::none();
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const ast::Expr& argument = *call.arguments[i];
    if (const std::optional<checked::Type> type = i == 1 ? ptx_result(checker, argument) : std::nullopt) {
      result = *type;
      continue;
    }
    const Value operand = checker.value(argument);
    if (!operand.known()) return Unknown{};
    if (!has_register(operand)) {
      checker.report(
          argument.range, DiagnosticId::ArgumentValue, "ptx",
          "scalars of 16, 32 or 64 bits, bools, and arrays, whose address is meant; not " + describe(operand));
      return Unknown{};
    }
    node.operands.push_back(operand.expr);
  }
  const int results = result.is_tuple() ? static_cast<int>(result->elements.size()) : result.is_scalar() ? 1 : 0;
  const int count = static_cast<int>(node.operands.size()) + results;
  const std::vector<int> used = numbers_in(node.text);
  const auto is_wrong = [&](int number) { return number < 0 || number >= count; };
  if (const auto wrong = std::find_if(used.begin(), used.end(), is_wrong); wrong != used.end()) {
    const std::string what = *wrong < 0 ? "a `%` is followed by a number; for a percent sign write `%%`"
                                        : "there is no %" + std::to_string(*wrong) + " with " + std::to_string(count) +
                                              (count == 1 ? " operand" : " operands");
    checker.report(call.arguments[0]->range, DiagnosticId::PtxText, what);
    return Unknown{};
  }
  for (int number = 0; number < count; ++number) {
    if (std::find(used.begin(), used.end(), number) != used.end()) continue;
    checker.report(call.arguments[0]->range, DiagnosticId::PtxText,
                   "%" + std::to_string(number) + " does not occur in it");
    return Unknown{};
  }
  return TreeBuilder::strong(checker.tree.make(result, range, std::move(node)));
}

}  // namespace pykc::checker
