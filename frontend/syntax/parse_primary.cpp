// Atoms, and what follows them: `.name`, `(arguments)`, `[index]`.
#include <set>

#include "frontend/syntax/parse.h"

namespace pykc {

using Kind = TokenKind;

ast::ExprPtr Parser::parse_postfix() {
  ExprPtr value = parse_atom();
  for (;;) {
    switch (kind()) {
      case Kind::Dot:
        value = parse_attribute(std::move(value));
        break;
      case Kind::LeftParen:
        value = parse_call(std::move(value));
        break;
      case Kind::LeftBracket:
        value = parse_subscript(std::move(value));
        break;
      default:
        return value;
    }
  }
}

ast::ExprPtr Parser::parse_attribute(ExprPtr value) {
  const std::uint32_t begin = value->range.begin;
  advance();
  const SourceRange name_range = current().range;
  std::string name = expect_name("a name after `.`");
  return make(since(begin), ast::Attribute{std::move(value), std::move(name), name_range});
}

ast::ExprPtr Parser::parse_call(ExprPtr function) {
  const std::uint32_t begin = function->range.begin;
  const SourceRange open = current().range;
  advance();
  ast::Call call;
  call.function = std::move(function);
  while (kind() != Kind::RightParen) {
    parse_argument(call);
    if (!accept(Kind::Comma)) break;
  }
  expect_close(Kind::RightParen, open);
  std::set<std::string_view> names;
  for (const ast::Keyword& keyword : call.keywords)
    if (!names.insert(keyword.name).second) report(keyword.name_range, DiagnosticId::RepeatedKeyword, keyword.name);
  return make(since(begin), std::move(call));
}

void Parser::parse_argument(ast::Call& call) {
  const std::uint32_t begin = current().range.begin;
  if (kind() == Kind::Identifier && kind_after() == Kind::Equal) {
    const SourceRange name_range = current().range;
    advance();
    advance();
    call.keywords.push_back({std::string(text_of(name_range)), name_range, parse_expression()});
    return;
  }
  if (accept(Kind::StarStar)) {
    parse_expression();
    call.arguments.push_back(make(since(begin), ast::Unsupported{"`**` in a call"}));
    return;
  }
  const bool is_starred = accept(Kind::Star);
  ExprPtr value = is_starred ? parse_expression() : parse_named_expression();
  if (is_starred) {
    value = make(since(begin), ast::Starred{std::move(value)});
  } else if (kind() == Kind::KwFor || kind() == Kind::KwAsync) {
    value = parse_comprehension(std::move(value), true, begin);
  } else if (!call.keywords.empty()) {
    report(value->range, DiagnosticId::PositionalAfterKeyword);
  }
  call.arguments.push_back(std::move(value));
}

/// `value[i]`, or `value[i, j]`, whose index is a tuple.
ast::ExprPtr Parser::parse_subscript(ExprPtr value) {
  const std::uint32_t begin = value->range.begin;
  const SourceRange open = current().range;
  advance();
  const std::uint32_t index_begin = current().range.begin;
  ExprPtr index = parse_subscript_element();
  if (kind() == Kind::Comma || index->as<ast::Starred>()) {
    ast::Tuple tuple;
    tuple.elements.push_back(std::move(index));
    while (accept(Kind::Comma) && kind() != Kind::RightBracket) tuple.elements.push_back(parse_subscript_element());
    index = make(since(index_begin), std::move(tuple));
  }
  expect_close(Kind::RightBracket, open);
  return make(since(begin), ast::Subscript{std::move(value), std::move(index)});
}

/// An index, or a slice `lower:upper:step`, each part of which may be missing.
ast::ExprPtr Parser::parse_subscript_element() {
  const std::uint32_t begin = current().range.begin;
  const auto part = [&]() -> ExprPtr { return starts_expression(kind()) ? parse_expression() : nullptr; };
  ExprPtr first = kind() == Kind::Colon ? nullptr : parse_star_expression();
  if (kind() != Kind::Colon) return first;
  ast::Slice slice;
  slice.lower = std::move(first);
  accept(Kind::Colon);
  slice.upper = part();
  if (accept(Kind::Colon)) slice.step = part();
  return make(since(begin), std::move(slice));
}

ast::ExprPtr Parser::parse_atom() {
  const SourceRange range = current().range;
  const auto word = [&](auto node) {
    advance();
    return make(range, std::move(node));
  };
  switch (kind()) {
    case Kind::Identifier:
      return word(ast::Name{std::string(text_of(range))});
    case Kind::Integer:
      return parse_integer();
    case Kind::Float:
    case Kind::Imaginary:
      return parse_float();
    case Kind::String:
    case Kind::FString:
      return parse_strings();
    case Kind::KwTrue:
      return word(ast::BoolLiteral{true});
    case Kind::KwFalse:
      return word(ast::BoolLiteral{false});
    case Kind::KwNone:
      return word(ast::NoneLiteral{});
    case Kind::Ellipsis:
      return word(ast::EllipsisLiteral{});
    case Kind::LeftParen:
      return deeper([&] { return parse_parenthesized(); });
    case Kind::LeftBracket:
      return deeper([&] { return parse_list(); });
    case Kind::LeftBrace:
      return deeper([&] { return parse_braces(); });
    default:
      fail_without_operand();
      return make_missing();
  }
}

void Parser::fail_without_operand() {
  const SourceRange last = previous().range;
  const bool is_doubled = (previous().kind == Kind::Plus || previous().kind == Kind::Minus) && next_ >= 2 &&
                          tokens_[next_ - 2].kind == previous().kind && tokens_[next_ - 2].range.end == last.begin;
  if (is_doubled && !panicking_)
    fail({tokens_[next_ - 2].range.begin, last.end}, DiagnosticId::Increment, text_of({last.begin - 1, last.end}),
         text_of(last), std::string(text_of(last)) + "= 1");
  else
    fail_expected("an expression");
}

/// `(a)`, a tuple, or a generator expression. The range of what stands in parentheses includes them.
ast::ExprPtr Parser::parse_parenthesized() {
  const SourceRange open = current().range;
  const std::uint32_t begin = open.begin;
  advance();
  if (accept(Kind::RightParen)) return make(since(begin), ast::Tuple{});
  const bool is_yield = kind() == Kind::KwYield;
  ExprPtr value = is_yield ? parse_yield() : parse_star_expressions();
  if (kind() == Kind::KwFor || kind() == Kind::KwAsync) {
    value = parse_comprehension(std::move(value), true, begin);
  }
  expect_close(Kind::RightParen, open);
  if (value->as<ast::Starred>()) {
    report(value->range, DiagnosticId::MisplacedStar);
    value = make_missing();
  }
  value->range = since(begin);
  return value;
}

ast::ExprPtr Parser::parse_list() {
  const SourceRange open = current().range;
  const std::uint32_t begin = open.begin;
  advance();
  ast::List list;
  while (kind() != Kind::RightBracket) {
    list.elements.push_back(parse_star_expression());
    if (list.elements.size() == 1 && (kind() == Kind::KwFor || kind() == Kind::KwAsync)) {
      ExprPtr comprehension = parse_comprehension(std::move(list.elements.front()), false, begin);
      expect_close(Kind::RightBracket, open);
      comprehension->range = since(begin);
      return comprehension;
    }
    if (!accept(Kind::Comma)) break;
  }
  expect_close(Kind::RightBracket, open);
  return make(since(begin), std::move(list));
}

/// A dict or a set, parsed over.
ast::ExprPtr Parser::parse_braces() {
  const SourceRange open = current().range;
  const std::uint32_t begin = open.begin;
  advance();
  bool is_dict = kind() == Kind::RightBrace;
  bool is_comprehension = false;
  while (kind() != Kind::RightBrace) {
    ExprPtr element;
    if (accept(Kind::StarStar)) {
      is_dict = true;
      element = parse_expression();
    } else {
      element = parse_star_expression();
      if (accept(Kind::Colon)) {
        is_dict = true;
        parse_expression();
      }
    }
    is_comprehension = kind() == Kind::KwFor || kind() == Kind::KwAsync;
    if (is_comprehension) parse_comprehension(std::move(element), false, begin);
    if (is_comprehension || !accept(Kind::Comma)) break;
  }
  expect_close(Kind::RightBrace, open);
  const std::string what = is_dict ? "a dict" : "a set";
  return make(since(begin), ast::Unsupported{is_comprehension ? what + " comprehension" : what});
}

/// `for targets in iterable if condition …`, behind the element.
ast::ExprPtr Parser::parse_comprehension(ExprPtr element, bool is_generator, std::uint32_t begin) {
  ast::Comprehension comprehension{.is_generator = is_generator, .element = std::move(element), .clauses = {}};
  bool is_async = false;
  while (kind() == Kind::KwFor || kind() == Kind::KwAsync) {
    ast::Comprehension::Clause& clause = comprehension.clauses.emplace_back();
    is_async |= accept(Kind::KwAsync);
    expect(Kind::KwFor);
    clause.target = parse_targets();
    expect(Kind::KwIn);
    clause.iterable = parse_logical(ast::BoolOp::Or);
    while (accept(Kind::KwIf)) clause.conditions.push_back(parse_logical(ast::BoolOp::Or));
  }
  if (is_async) return make(since(begin), ast::Unsupported{"`async`"});
  return make(since(begin), std::move(comprehension));
}

ast::ExprPtr Parser::parse_yield() {
  const SourceRange word = current().range;
  advance();
  if (accept(Kind::KwFrom) || starts_expression(kind())) parse_star_expressions();
  return make(since(word.begin), ast::Unsupported{"`yield`"});
}

ast::ExprPtr Parser::parse_await() {
  const std::uint32_t begin = current().range.begin;
  advance();
  parse_postfix();
  return make(since(begin), ast::Unsupported{"`await`"});
}

}  // namespace pykc
