// ptx("add.s32 %0, %1, %2;", i32, a, b): a piece of PTX in the middle of a kernel. %0 is the result, where a type for
// it is given; then come the operands; %% is a percent sign. ptx("add.s32 %0, %0, %1;", b, tied=a): %0 is a, and what
// it becomes.
#include "frontend/check/calls/ptx.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/expression.h"
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
bool is_register(checked::Type type) {
  return type.is_scalar() && (type->scalar == ScalarType::Bool || size_in_bytes(type->scalar) >= 2);
}
bool has_register(const Value& value) { return value.is_array() || is_register(value.type()); }

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
    if (!is_register(element))
      checker.report(part->range, DiagnosticId::ArgumentValue, "ptx", "results of 16, 32 or 64 bits, or bool");
  }
  return tuple ? checker.types.tuple(std::move(results)) : results.front();
}

/// What an f-string of constants says.
std::optional<std::string> formatted(FunctionChecker& checker, const ast::FormattedString& text) {
  std::string result = text.parts[0];
  for (std::size_t i = 0; i < text.values.size(); ++i) {
    const std::optional<Int128> value = constant_integer(checker, *text.values[i], "what stands in the text of `ptx`");
    if (!value) return std::nullopt;
    if (text.formats[i]) {
      checker.report(text.values[i]->range, DiagnosticId::ArgumentValue, "ptx", "whole numbers without a format");
      return std::nullopt;
    }
    result += std::to_string(static_cast<std::int64_t>(*value)) + text.parts[i + 1];
  }
  return result;
}

/// `%0:%3` is a list of numbers, `%0, %1, %2, %3`.
std::string with_lists_spelled_out(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int first = 0, last = 0, length = 0;
    const bool is_list = text[i] == '%' && std::sscanf(text.c_str() + i, "%%%3d:%%%3d%n", &first, &last, &length) == 2;
    if (!is_list || length == 0) {
      result += text[i];
      if (text[i] == '%' && i + 1 < text.size() && text[i + 1] == '%') result += text[++i];
      continue;
    }
    for (int number = first; number <= last; ++number)
      result += (number == first ? "%" : ", %") + std::to_string(number);
    i += static_cast<std::size_t>(length) - 1;
  }
  return result;
}

/// The text, which comes first.
std::optional<std::string> text_of(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kSignature = "ptx(text, [type of the result,] operands…, [tied=values])";
  const auto* format = call.arguments.empty() ? nullptr : call.arguments[0]->as<ast::FormattedString>();
  Entity first = NoneRef{};
  if (format != nullptr) {
    std::optional<std::string> text = formatted(checker, *format);
    if (!text) return std::nullopt;
    first = TextRef{*std::move(text)};
  } else if (!call.arguments.empty()) {
    first = checker.entity(*call.arguments[0]);
  }
  const auto* text = std::get_if<TextRef>(&first);
  if (!text) {
    checker
        .report(call.arguments.empty() ? range : call.arguments[0]->range, DiagnosticId::ArgumentValue, "ptx",
                "its text, a string, first")
        .note("write " + as_code(kSignature));
    return std::nullopt;
  }
  if (const std::string_view wrong = why_no_piece(text->text); !wrong.empty()) {
    checker.report(call.arguments[0]->range, DiagnosticId::PtxText, std::string(wrong));
    return std::nullopt;
  }
  return with_lists_spelled_out(text->text);
}

/// Adds an operand, or, of `*words`, several.
bool add_ptx_operands(FunctionChecker& checker, const ast::Expr& argument,
                      std::vector<const checked::Expr*>& operands) {
  std::vector<Value> values;
  if (const auto* starred = argument.as<ast::Starred>()) {
    if (!add_unpacked(checker, *starred, values)) return false;
  } else {
    values.push_back(checker.value(argument));
  }
  for (const Value& value : values) {
    if (!value.known()) return false;
    if (!has_register(value)) {
      checker.report(argument.range, DiagnosticId::ArgumentValue, "ptx",
                     "scalars of 16, 32 or 64 bits, bools, and arrays, whose address is meant; not " + describe(value));
      return false;
    }
    operands.push_back(value.expr);
  }
  return true;
}

/// `tied=`: a scalar or a tuple of scalars that the text reads and changes.
std::optional<Value> tied_operand(FunctionChecker& checker, const ast::Call& call) {
  const ast::Keyword& keyword = call.keywords[0];
  if (keyword.name != "tied" || call.keywords.size() > 1) {
    const ast::Keyword& wrong = keyword.name == "tied" ? call.keywords[1] : keyword;
    checker.report(wrong.name_range, DiagnosticId::UnknownKeyword, "`ptx`", wrong.name);
    return std::nullopt;
  }
  const Value tied = checker.value(*keyword.value);
  if (!tied.known()) return std::nullopt;
  const checked::Type type = tied.type();
  const bool fits =
      type.is_tuple() ? !type->elements.empty() && std::ranges::all_of(type->elements, is_register) : is_register(type);
  if (fits) return tied;
  checker.report(keyword.value->range, DiagnosticId::ArgumentValue, "ptx",
                 "for `tied` a scalar of 16, 32 or 64 bits, a bool, or a tuple of them; not " + describe(tied));
  return std::nullopt;
}

/// Which number in the text stands for nothing, or what does not occur in it. Empty where all is well.
std::string wrong_number(std::string_view text, int count) {
  const std::vector<int> used = numbers_in(text);
  const auto is_wrong = [&](int number) { return number < 0 || number >= count; };
  if (const auto wrong = std::ranges::find_if(used, is_wrong); wrong != used.end())
    return *wrong < 0 ? "a `%` is followed by a number; for a percent sign write `%%`"
                      : "there is no %" + std::to_string(*wrong) + " with " + std::to_string(count) +
                            (count == 1 ? " operand" : " operands");
  for (int number = 0; number < count; ++number)
    if (std::ranges::find(used, number) == used.end()) return "%" + std::to_string(number) + " does not occur in it";
  return {};
}

}  // namespace

Entity call_ptx(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  if (!may_leave_language(checker.module, checker.scope)) {
    checker.report(range, DiagnosticId::Untrusted, "ptx");
    return Unknown{};
  }
  const std::optional<std::string> text = text_of(checker, call, range);
  if (!text) return Unknown{};
  checked::InlinePtx node{*text, {}};
  checked::Type result = checked::Type::none();
  std::size_t next = 1;
  if (!call.keywords.empty()) {
    const std::optional<Value> tied = tied_operand(checker, call);
    if (!tied) return Unknown{};
    result = tied->type();
    node.operands.push_back(tied->expr);
    node.is_tied = true;
  } else if (call.arguments.size() > 1) {
    const std::optional<checked::Type> type = ptx_result(checker, *call.arguments[1]);
    if (type) result = *type, next = 2;
  }
  const int results = result.is_tuple() ? static_cast<int>(result->elements.size()) : result.is_scalar() ? 1 : 0;
  const std::size_t tied = node.operands.size();
  for (std::size_t i = next; i < call.arguments.size(); ++i)
    if (!add_ptx_operands(checker, *call.arguments[i], node.operands)) return Unknown{};
  const int count = results + static_cast<int>(node.operands.size() - tied);
  if (const std::string wrong = wrong_number(node.text, count); !wrong.empty()) {
    checker.report(call.arguments[0]->range, DiagnosticId::PtxText, wrong);
    return Unknown{};
  }
  return TreeBuilder::strong(checker.tree.make(result, range, std::move(node)));
}

}  // namespace pykc::checker
