#include "frontend/check/expressions/text.h"

#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/names/resolve.h"

namespace pykc::checker {

using checked::CompareOp;

namespace {

Value text_of(FunctionChecker& checker, ScalarType character, std::u32string_view numbers, SourceRange range) {
  if (numbers.size() > kMostNumbers) {
    checker
        .report(range, DiagnosticId::UnsupportedInKernel,
                "text of more than " + std::to_string(kMostNumbers) + " characters")
        .note("an array of `u8` holds longer ones");
    return {};
  }
  std::vector<Value> characters;
  for (const char32_t number : numbers)
    characters.push_back(TreeBuilder::strong(checker.tree.integer(number, character, range)));
  if (characters.empty()) characters.push_back(TreeBuilder::strong(checker.tree.integer(0, character, range)));
  const RecordRef type = text_type(character, static_cast<std::int64_t>(characters.size()));
  return checker.tree.record(type, {checker.tree.tuple(std::move(characters), range)}, range);
}

/// The characters of a text, each to be used once; the text itself is evaluated once.
template <typename Make>
const Expr* with_characters(FunctionChecker& checker, const Value& text, Make make_body) {
  return with_parts(checker, text,
                    [&](const std::vector<Value>& parts) { return with_parts(checker, parts.front(), make_body); });
}

/// The characters of a text that is made of constants.
std::optional<std::string> spelled_in(const Expr& text) {
  const auto* record = text.type.is_record() && is_text(text.type->record) ? text.as<checked::TupleExpr>() : nullptr;
  const auto* characters = record ? record->elements.front()->as<checked::TupleExpr>() : nullptr;
  if (!characters || character_of(text.type->record) != ScalarType::U32) return std::nullopt;
  std::string result;
  for (const checked::ExprRef& character : characters->elements) {
    if (!character->as<checked::Constant>()) return std::nullopt;
    append_utf8(result, static_cast<char32_t>(integer_of(*character)));
  }
  return result;
}

}  // namespace

std::optional<std::string> constant_text(FunctionChecker& checker, const ast::Expr& expr) {
  if (const auto* literal = expr.as<ast::StringLiteral>()) return literal->value;
  const auto* name = expr.as<ast::Name>();
  if (!name) return std::nullopt;
  if (const std::optional<int> index = local_index(checker, name->id, expr.range)) {
    const std::optional<Value>& item = checker.locals[static_cast<std::size_t>(*index)].bound;
    return item ? spelled_in(*item->expr) : std::nullopt;
  }
  if (!checker.scope.find(name->id)) return std::nullopt;
  const Entity found = checker.entity(expr);
  const auto* text = std::get_if<TextRef>(&found);
  return text ? std::optional(text->text) : std::nullopt;
}

Value text_literal(FunctionChecker& checker, std::string_view text, SourceRange range) {
  return text_of(checker, ScalarType::U32, code_points(text), range);
}

Value bytes_literal(FunctionChecker& checker, std::string_view bytes, SourceRange range) {
  return text_of(checker, ScalarType::U8, code_points_of_bytes(bytes), range);
}

Value to_text(FunctionChecker& checker, const Value& text, const RecordRef& type, SourceRange range) {
  if (text.type()->record == type) return text;
  const Expr* made = with_characters(checker, text, [&](std::vector<Value> characters) {
    const Value zero = TreeBuilder::strong(checker.tree.integer(0, character_of(type), range));
    characters.resize(static_cast<std::size_t>(width_of(type)), zero);
    return checker.tree.record(type, {checker.tree.tuple(std::move(characters), range)}, range).expr;
  });
  return TreeBuilder::strong(made);
}

Value compare_text(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right,
                   SourceRange range) {
  const bool is_equality = op == ast::CompareOp::Eq || op == ast::CompareOp::Ne;
  const bool is_less = op == ast::CompareOp::Lt || op == ast::CompareOp::Le;
  const CompareOp decides = is_equality ? CompareOp::Ne : is_less ? CompareOp::Lt : CompareOp::Gt;
  const Expr* zero = checker.tree.integer(0, character_of(left.type()->record), range);
  const Expr* result = with_characters(checker, left, [&](const std::vector<Value>& as) {
    return with_characters(checker, right, [&](const std::vector<Value>& bs) {
      const auto compared = [&](CompareOp how, std::size_t i) {
        return checker.tree.compare(how, i < as.size() ? as[i].expr : zero, i < bs.size() ? bs[i].expr : zero, range);
      };
      // From the end, as the first characters that differ decide.
      std::size_t i = std::max(as.size(), bs.size()) - 1;
      const Expr* holds = compared(static_cast<CompareOp>(op), i);
      while (i-- > 0) {
        if (op != ast::CompareOp::Ne) holds = checker.tree.logical(true, compared(CompareOp::Eq, i), holds, range);
        if (op != ast::CompareOp::Eq) holds = checker.tree.logical(false, compared(decides, i), holds, range);
      }
      return holds;
    });
  });
  return TreeBuilder::strong(result);
}

Value text_length(FunctionChecker& checker, const Value& text, SourceRange range) {
  const Expr* zero = checker.tree.integer(0, character_of(text.type()->record), range);
  return TreeBuilder::strong(with_characters(checker, text, [&](const std::vector<Value>& characters) {
    const Expr* length = checker.tree.integer(0, ScalarType::I64, range);
    for (std::size_t i = 0; i < characters.size(); ++i)
      length =
          checker.tree.conditional(checker.tree.compare(CompareOp::Ne, characters[i].expr, zero, range),
                                   checker.tree.integer(static_cast<Int128>(i + 1), ScalarType::I64, range), length);
    return length;
  }));
}

Value number_of_character(FunctionChecker& checker, const Value& text) {
  return TreeBuilder::strong(with_characters(checker, text, [&](const std::vector<Value>& characters) {
    return checker.tree.convert(characters.front(), ScalarType::I64);
  }));
}

}  // namespace pykc::checker
