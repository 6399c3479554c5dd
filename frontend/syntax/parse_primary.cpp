// Atoms, and what follows them: `.name`, `(arguments)`, `[index]`.
#include "frontend/syntax/parse_primary.h"

#include <set>

#include "frontend/syntax/parse.h"
#include "frontend/syntax/parse_expressions.h"
#include "frontend/syntax/parse_literals.h"

namespace pykc {
namespace {

ast::ExprPtr parse_attribute(Parser& parser, ast::ExprPtr value) {
  const std::uint32_t begin = value->range.begin;
  parser.advance();
  const SourceRange name_range = parser.current().range;
  std::string name = parser.expect_name("a name after `.`");
  return parser.make(parser.since(begin), ast::Attribute{std::move(value), std::move(name), name_range});
}

ast::ExprPtr parse_call(Parser& parser, ast::ExprPtr function) {
  const std::uint32_t begin = function->range.begin;
  const SourceRange open = parser.current().range;
  parser.advance();
  ast::Call call;
  call.function = std::move(function);
  while (parser.kind() != TokenKind::RightParen) {
    parse_argument(parser, call);
    if (!parser.accept(TokenKind::Comma)) break;
  }
  parser.expect_close(TokenKind::RightParen, open);
  std::set<std::string_view> names;
  for (const ast::Keyword& keyword : call.keywords)
    if (!names.insert(keyword.name).second)
      parser.report(keyword.name_range, DiagnosticId::RepeatedKeyword, keyword.name);
  return parser.make(parser.since(begin), std::move(call));
}

/// An index, or a slice `lower:upper:step`, each part of which may be missing.
ast::ExprPtr parse_subscript_element(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  const auto part = [&]() -> ast::ExprPtr {
    return starts_expression(parser.kind()) ? parse_expression(parser) : nullptr;
  };
  ast::ExprPtr first = parser.kind() == TokenKind::Colon ? nullptr : parse_star_expression(parser);
  if (parser.kind() != TokenKind::Colon) return first;
  ast::Slice slice;
  slice.lower = std::move(first);
  parser.accept(TokenKind::Colon);
  slice.upper = part();
  if (parser.accept(TokenKind::Colon)) slice.step = part();
  return parser.make(parser.since(begin), std::move(slice));
}

/// `value[i]`, or `value[i, j]`, whose index is a tuple.
ast::ExprPtr parse_subscript(Parser& parser, ast::ExprPtr value) {
  const std::uint32_t begin = value->range.begin;
  const SourceRange open = parser.current().range;
  parser.advance();
  const std::uint32_t index_begin = parser.current().range.begin;
  ast::ExprPtr index = parse_subscript_element(parser);
  if (parser.kind() == TokenKind::Comma || index->as<ast::Starred>()) {
    ast::Tuple tuple;
    tuple.elements.push_back(std::move(index));
    while (parser.accept(TokenKind::Comma) && parser.kind() != TokenKind::RightBracket)
      tuple.elements.push_back(parse_subscript_element(parser));
    index = parser.make(parser.since(index_begin), std::move(tuple));
  }
  parser.expect_close(TokenKind::RightBracket, open);
  return parser.make(parser.since(begin), ast::Subscript{std::move(value), std::move(index)});
}

void fail_without_operand(Parser& parser) {
  const SourceRange last = parser.previous().range;
  const bool is_doubled = (parser.previous().kind == TokenKind::Plus || parser.previous().kind == TokenKind::Minus) &&
                          parser.position >= 2 && parser.tokens[parser.position - 2].kind == parser.previous().kind &&
                          parser.tokens[parser.position - 2].range.end == last.begin;
  if (is_doubled && !parser.panicking)
    parser
        .fail({parser.tokens[parser.position - 2].range.begin, last.end}, DiagnosticId::Increment,
              parser.text_of({last.begin - 1, last.end}), parser.text_of(last))
        .fix(std::string(parser.text_of(last)) + "= 1");
  else if (parser.kind() == TokenKind::Less && parser.previous().kind == TokenKind::LeftShift)
    parser.fail_expected("an expression").note("a launch is `kernel[grid, block](x)`");
  else if (parser.kind() == TokenKind::RightBracket && parser.previous().kind == TokenKind::LeftBracket)
    parser.fail_expected("an index")
        .note("an element is `a[i]`; the type of an array is `f32[:]`, of two axes `f32[:, :]`");
  else if (parser.kind() == TokenKind::SlashSlash)
    parser.fail_expected("an expression").note("a comment begins with `#`");
  else
    parser.fail_expected("an expression");
}

/// `for targets in iterable if condition …`, behind the element.
ast::ExprPtr parse_comprehension(Parser& parser, ast::ExprPtr element, bool is_generator, std::uint32_t begin) {
  ast::Comprehension comprehension{.is_generator = is_generator, .element = std::move(element), .clauses = {}};
  bool is_async = false;
  while (parser.kind() == TokenKind::KwFor || parser.kind() == TokenKind::KwAsync) {
    ast::Comprehension::Clause& clause = comprehension.clauses.emplace_back();
    is_async |= parser.accept(TokenKind::KwAsync);
    parser.expect(TokenKind::KwFor);
    clause.target = parse_targets(parser);
    parser.expect(TokenKind::KwIn);
    clause.iterable = parse_logical(parser, ast::BoolOp::Or);
    while (parser.accept(TokenKind::KwIf)) clause.conditions.push_back(parse_logical(parser, ast::BoolOp::Or));
  }
  if (is_async) return parser.make(parser.since(begin), ast::Unsupported{"`async`"});
  return parser.make(parser.since(begin), std::move(comprehension));
}

/// `(a)`, a tuple, or a generator expression. The range of what stands in parentheses includes them.
ast::ExprPtr parse_parenthesized(Parser& parser) {
  const SourceRange open = parser.current().range;
  const std::uint32_t begin = open.begin;
  parser.advance();
  if (parser.accept(TokenKind::RightParen)) return parser.make(parser.since(begin), ast::Tuple{});
  const bool is_yield = parser.kind() == TokenKind::KwYield;
  ast::ExprPtr value = is_yield ? parse_yield(parser) : parse_star_expressions(parser);
  if (parser.kind() == TokenKind::KwFor || parser.kind() == TokenKind::KwAsync) {
    value = parse_comprehension(parser, std::move(value), true, begin);
  }
  parser.expect_close(TokenKind::RightParen, open);
  if (value->as<ast::Starred>()) {
    parser.report(value->range, DiagnosticId::MisplacedStar);
    value = parser.make_missing();
  }
  value->range = parser.since(begin);
  return value;
}

ast::ExprPtr parse_list(Parser& parser) {
  const SourceRange open = parser.current().range;
  const std::uint32_t begin = open.begin;
  parser.advance();
  ast::List list;
  while (parser.kind() != TokenKind::RightBracket) {
    list.elements.push_back(parse_star_expression(parser));
    if (list.elements.size() == 1 && (parser.kind() == TokenKind::KwFor || parser.kind() == TokenKind::KwAsync)) {
      ast::ExprPtr comprehension = parse_comprehension(parser, std::move(list.elements.front()), false, begin);
      parser.expect_close(TokenKind::RightBracket, open);
      comprehension->range = parser.since(begin);
      return comprehension;
    }
    if (!parser.accept(TokenKind::Comma)) break;
  }
  parser.expect_close(TokenKind::RightBracket, open);
  return parser.make(parser.since(begin), std::move(list));
}

/// A dict or a set, parsed over.
ast::ExprPtr parse_braces(Parser& parser) {
  const SourceRange open = parser.current().range;
  const std::uint32_t begin = open.begin;
  parser.advance();
  bool is_dict = parser.kind() == TokenKind::RightBrace;
  bool is_comprehension = false;
  while (parser.kind() != TokenKind::RightBrace) {
    ast::ExprPtr element;
    if (parser.accept(TokenKind::StarStar)) {
      is_dict = true;
      element = parse_expression(parser);
    } else {
      element = parse_star_expression(parser);
      if (parser.accept(TokenKind::Colon)) {
        is_dict = true;
        parse_expression(parser);
      }
    }
    is_comprehension = parser.kind() == TokenKind::KwFor || parser.kind() == TokenKind::KwAsync;
    if (is_comprehension) parse_comprehension(parser, std::move(element), false, begin);
    if (is_comprehension || !parser.accept(TokenKind::Comma)) break;
  }
  parser.expect_close(TokenKind::RightBrace, open);
  const std::string what = is_dict ? "a dict" : "a set";
  return parser.make(parser.since(begin), ast::Unsupported{is_comprehension ? what + " comprehension" : what});
}

ast::ExprPtr parse_atom(Parser& parser) {
  const SourceRange range = parser.current().range;
  const auto word = [&](auto node) {
    parser.advance();
    return parser.make(range, std::move(node));
  };
  switch (parser.kind()) {
    case TokenKind::Identifier:
      return word(ast::Name{std::string(parser.text_of(range))});
    case TokenKind::Integer:
      return parse_integer(parser);
    case TokenKind::Float:
    case TokenKind::Imaginary:
      return parse_float(parser);
    case TokenKind::String:
    case TokenKind::FString:
      return parse_strings(parser);
    case TokenKind::Bytes:
      return parse_bytes(parser);
    case TokenKind::KwTrue:
      return word(ast::BoolLiteral{true});
    case TokenKind::KwFalse:
      return word(ast::BoolLiteral{false});
    case TokenKind::KwNone:
      return word(ast::NoneLiteral{});
    case TokenKind::Ellipsis:
      return word(ast::EllipsisLiteral{});
    case TokenKind::LeftParen:
      return parser.deeper([&] { return parse_parenthesized(parser); });
    case TokenKind::LeftBracket:
      return parser.deeper([&] { return parse_list(parser); });
    case TokenKind::LeftBrace:
      return parser.deeper([&] { return parse_braces(parser); });
    default:
      fail_without_operand(parser);
      return parser.make_missing();
  }
}

}  // namespace

ast::ExprPtr parse_postfix(Parser& parser) {
  ast::ExprPtr value = parse_atom(parser);
  for (;;) {
    switch (parser.kind()) {
      case TokenKind::Dot:
        value = parse_attribute(parser, std::move(value));
        break;
      case TokenKind::LeftParen:
        value = parse_call(parser, std::move(value));
        break;
      case TokenKind::LeftBracket:
        value = parse_subscript(parser, std::move(value));
        break;
      default:
        return value;
    }
  }
}

void parse_argument(Parser& parser, ast::Call& call) {
  const std::uint32_t begin = parser.current().range.begin;
  if (parser.kind() == TokenKind::Identifier && parser.kind_after() == TokenKind::Equal) {
    const SourceRange name_range = parser.current().range;
    parser.advance();
    parser.advance();
    call.keywords.push_back({std::string(parser.text_of(name_range)), name_range, parse_expression(parser)});
    return;
  }
  if (parser.accept(TokenKind::StarStar)) {
    parse_expression(parser);
    call.arguments.push_back(parser.make(parser.since(begin), ast::Unsupported{"`**` in a call"}));
    return;
  }
  const bool is_starred = parser.accept(TokenKind::Star);
  ast::ExprPtr value = is_starred ? parse_expression(parser) : parse_named_expression(parser);
  if (is_starred) {
    value = parser.make(parser.since(begin), ast::Starred{std::move(value)});
  } else if (parser.kind() == TokenKind::KwFor || parser.kind() == TokenKind::KwAsync) {
    value = parse_comprehension(parser, std::move(value), true, begin);
  } else if (!call.keywords.empty()) {
    parser.report(value->range, DiagnosticId::PositionalAfterKeyword);
  }
  call.arguments.push_back(std::move(value));
}

ast::ExprPtr parse_yield(Parser& parser) {
  const SourceRange word = parser.current().range;
  parser.advance();
  if (parser.accept(TokenKind::KwFrom) || starts_expression(parser.kind())) parse_star_expressions(parser);
  return parser.make(parser.since(word.begin), ast::Unsupported{"`yield`"});
}

ast::ExprPtr parse_await(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  parse_postfix(parser);
  return parser.make(parser.since(begin), ast::Unsupported{"`await`"});
}

}  // namespace pykc
