// Simple statements: those on one line, without a block.
#include "frontend/syntax/parse_statements.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "frontend/syntax/ast_walk.h"
#include "frontend/syntax/parse.h"
#include "frontend/syntax/parse_compound.h"
#include "frontend/syntax/parse_expressions.h"
#include "frontend/syntax/parse_primary.h"

namespace pykc {
namespace {

struct AugmentedOperator {
  TokenKind token;
  ast::BinaryOp op;
};
constexpr auto kAugmentedOperators = std::to_array<AugmentedOperator>({
    {TokenKind::PlusEqual, ast::BinaryOp::Add},
    {TokenKind::MinusEqual, ast::BinaryOp::Sub},
    {TokenKind::StarEqual, ast::BinaryOp::Mul},
    {TokenKind::SlashEqual, ast::BinaryOp::Div},
    {TokenKind::SlashSlashEqual, ast::BinaryOp::FloorDiv},
    {TokenKind::PercentEqual, ast::BinaryOp::Mod},
    {TokenKind::StarStarEqual, ast::BinaryOp::Pow},
    {TokenKind::AtEqual, ast::BinaryOp::MatMul},
    {TokenKind::AmpersandEqual, ast::BinaryOp::And},
    {TokenKind::PipeEqual, ast::BinaryOp::Or},
    {TokenKind::CaretEqual, ast::BinaryOp::Xor},
    {TokenKind::LeftShiftEqual, ast::BinaryOp::LeftShift},
    {TokenKind::RightShiftEqual, ast::BinaryOp::RightShift},
});

std::optional<ast::BinaryOp> augmented_operator(TokenKind kind) {
  for (const AugmentedOperator& row : kAugmentedOperators)
    if (row.token == kind) return row.op;
  return std::nullopt;
}

/// The word that starts a statement and that `word` was probably meant to be.
std::string statement_word_like(std::string_view word) {
  return std::string(nearest(word, {"assert", "break", "class", "continue", "def", "elif", "else", "for", "from",
                                    "global", "if", "import", "pass", "raise", "return", "while", "with"}));
}

/// What to write for a line of C, C++ or CUDA C++ that begins with this word; "" where it is none of its words.
std::string_view instead_of_c(std::string_view word) {
  static constexpr std::string_view kQualifiers[] = {"__global__", "__device__",   "__host__",
                                                     "__shared__", "__constant__", "extern"};
  static constexpr std::string_view kTypes[] = {"void",  "bool", "int",  "unsigned", "float", "double",
                                                "const", "char", "long", "short",    "auto",  "size_t"};
  if (std::ranges::find(kQualifiers, word) != std::end(kQualifiers))
    return "kernels are written in Python: `@kernel` above `def f(x: f32[:]):`; docs/cuda.md has each word of CUDA C++";
  if (std::ranges::find(kTypes, word) != std::end(kTypes))
    return "a variable has the type of what it is given: `x = 0.5`; docs/cuda.md has each word of CUDA C++";
  if (word == "switch" || word == "case") return "choose with `if` and `elif`";
  if (word == "do") return "write `while True:`, and at the end of its body `if not …: break`";
  if (word == "goto") return "`break` leaves a loop, `return` the function";
  return {};
}

/// How a message names what cannot be assigned to.
struct Naming {
  std::string_view operator()(const ast::Call&) const { return "the result of a call"; }
  std::string_view operator()(const ast::Compare&) const { return "a comparison"; }
  std::string_view operator()(const ast::Conditional&) const { return "a conditional expression"; }
  std::string_view operator()(const ast::Lambda&) const { return "a lambda"; }
  std::string_view operator()(const ast::BoolLiteral&) const { return "`True` or `False`"; }
  std::string_view operator()(const ast::NoneLiteral&) const { return "`None`"; }
  std::string_view operator()(const ast::EllipsisLiteral&) const { return "`...`"; }
  std::string_view operator()(const ast::IntLiteral&) const { return "a number"; }
  std::string_view operator()(const ast::FloatLiteral&) const { return "a number"; }
  std::string_view operator()(const ast::ImaginaryLiteral&) const { return "a number"; }
  std::string_view operator()(const ast::StringLiteral&) const { return "a string"; }
  std::string_view operator()(const ast::BytesLiteral&) const { return "bytes"; }
  std::string_view operator()(const ast::FormattedString&) const { return "an f-string"; }
  std::string_view operator()(const ast::Starred&) const { return "a starred expression alone"; }
  std::string_view operator()(const ast::Tuple&) const { return "a tuple here"; }
  std::string_view operator()(const ast::List&) const { return "a list here"; }
  std::string_view operator()(const auto&) const { return "an expression"; }
};

bool is_single_target(const ast::Expr& e) {
  return e.as<ast::Name>() || e.as<ast::Attribute>() || e.as<ast::Subscript>();
}

bool is_unreadable(const ast::Expr& e) {
  const auto* unsupported = e.as<ast::Unsupported>();
  return unsupported && unsupported->what.empty();
}

/// `match` and `type` are names, unless a statement starts like this.
void fail_soft_keyword(Parser& parser, const ast::Expr& word) {
  parser.skips_block = true;
  const std::string_view keyword = parser.text_of(word.range);
  parser.fail(word.range, DiagnosticId::UnsupportedSoftKeyword, keyword)
      .note(keyword == "match" ? "choose with `if` and `elif`" : "name a type by plain assignment");
}

/// `(float)x`
bool follows_cast(const Parser& parser) {
  const std::size_t i = parser.position;
  const auto before = [&](std::size_t distance) { return parser.tokens[i - distance].kind; };
  return i >= 4 && parser.kind() != TokenKind::LeftBrace && starts_expression(parser.kind()) &&
         before(1) == TokenKind::RightParen && before(2) == TokenKind::Identifier &&
         before(3) == TokenKind::LeftParen && before(4) != TokenKind::Identifier;
}

/// Of a statement that goes on with what is no part of it: its value is not all that stands there.
void forget_value(Parser& parser, ast::Stmt& stmt) {
  std::visit(
      [&](auto& node) {
        if constexpr (requires { node.value = ast::ExprPtr(); })
          if (node.value) node.value = parser.make_missing();
      },
      stmt.node);
}

void end_simple_statements(Parser& parser, ast::Stmt& last) {
  if (!parser.panicking && parser.kind() != TokenKind::EndOfFile && !parser.accept(TokenKind::Newline)) {
    const auto* expression = last.as<ast::ExprStmt>();
    const auto* name = expression ? expression->value->as<ast::Name>() : nullptr;
    const auto* call = expression ? expression->value->as<ast::Call>() : nullptr;
    const auto* called = call ? call->function->as<ast::Name>() : nullptr;  // `switch (n) {`
    const std::string_view note = name ? instead_of_c(name->id) : called ? instead_of_c(called->id) : "";
    if (name && name->id == "print" && starts_expression(parser.kind()))
      parser.fail(expression->value->range, DiagnosticId::PrintWithoutParentheses);
    else if (name && (name->id == "match" || name->id == "type") && starts_expression(parser.kind()))
      fail_soft_keyword(parser, *expression->value);
    else if (!note.empty())
      parser.fail_expected("the end of the line after " + as_code((name ? name : called)->id)).note(std::string(note));
    else if (name)
      parser.fail_expected("the end of the line after " + as_code(name->id), statement_word_like(name->id));
    else if (parser.kind() == TokenKind::Arrow)
      parser.fail_expected("the end of the line").note("what an object has stands behind a dot: `x.name`");
    else if (follows_cast(parser))
      parser.fail_expected("the end of the line").note("a conversion is a call: `f32(x)`, `i32(x)`");
    else
      parser.fail_expected("the end of the line");
    if (name || called) forget_value(parser, last);
  }
  if (parser.panicking) parser.recover();
  if (std::exchange(parser.skips_block, false)) parser.skip_block();
}

ast::StmtPtr parse_assignment(Parser& parser, ast::ExprPtr first) {
  const std::uint32_t begin = first->range.begin;
  ast::Assign assign;
  assign.value = std::move(first);
  while (parser.accept(TokenKind::Equal)) {
    check_target(parser, *assign.value);
    assign.targets.push_back(std::move(assign.value));
    assign.value = parse_value(parser);
  }
  return parser.make_stmt(parser.since(begin), std::move(assign));
}

void check_single_target(Parser& parser, const ast::Expr& target) {
  if (is_single_target(target) || is_unreadable(target)) return;
  const std::string_view what = std::visit(Naming{}, target.node);
  parser.report(target.range, DiagnosticId::CannotAssign, what).fix(target.as<ast::Compare>() ? "=" : "");
}

ast::StmtPtr parse_annotated(Parser& parser, ast::ExprPtr target) {
  const std::uint32_t begin = target->range.begin;
  parser.advance();
  if (parser.kind() == TokenKind::Newline && !parser.panicking) {  // `els:`, `whlie(x):`, `match(x):`
    const auto* call = target->as<ast::Call>();
    const ast::Expr& word = call ? *call->function : *target;
    const auto* name = word.as<ast::Name>();
    if (name && name->id == "match")
      fail_soft_keyword(parser, word);
    else
      parser.fail_expected("a type after `:`", name ? statement_word_like(name->id) : "");
  }
  check_single_target(parser, *target);
  ast::AnnotatedAssign assign{std::move(target), parse_expression(parser), nullptr};
  if (parser.accept(TokenKind::Equal)) assign.value = parse_value(parser);
  return parser.make_stmt(parser.since(begin), std::move(assign));
}

ast::StmtPtr parse_augmented(Parser& parser, ast::ExprPtr target, ast::BinaryOp op) {
  const std::uint32_t begin = target->range.begin;
  check_single_target(parser, *target);
  parser.advance();
  ast::AugmentedAssign assign{std::move(target), op, parse_value(parser)};
  return parser.make_stmt(parser.since(begin), std::move(assign));
}

ast::StmtPtr parse_expression_statement(Parser& parser) {
  if (parser.kind() == TokenKind::Identifier && parser.kind_after() == TokenKind::ColonEqual)
    parser.report(parser.tokens[parser.position + 1].range, DiagnosticId::BareWalrus).fix("=");
  ast::ExprPtr first = parser.kind() == TokenKind::KwYield ? parse_yield(parser) : parse_star_expressions(parser);
  if (parser.kind() == TokenKind::Equal) return parse_assignment(parser, std::move(first));
  if (parser.kind() == TokenKind::Colon) return parse_annotated(parser, std::move(first));
  if (const auto op = augmented_operator(parser.kind())) return parse_augmented(parser, std::move(first), *op);
  if (first->as<ast::Starred>()) parser.report(first->range, DiagnosticId::MisplacedStar);
  const SourceRange range = first->range;
  return parser.make_stmt(range, ast::ExprStmt{std::move(first)});
}

ast::StmtPtr parse_return(Parser& parser) {
  const SourceRange word = parser.current().range;
  if (!parser.context.in_function) parser.report(word, DiagnosticId::ReturnOutsideFunction);
  parser.advance();
  ast::Return result;
  if (parser.kind() != TokenKind::Newline && parser.kind() != TokenKind::Semicolon) result.value = parse_value(parser);
  return parser.make_stmt(parser.since(word.begin), std::move(result));
}

ast::StmtPtr parse_break_or_continue(Parser& parser) {
  const SourceRange range = parser.current().range;
  const bool is_break = parser.kind() == TokenKind::KwBreak;
  if (!parser.context.in_loop) parser.report(range, DiagnosticId::OutsideLoop, parser.text_of(range));
  parser.advance();
  return is_break ? parser.make_stmt(range, ast::Break{}) : parser.make_stmt(range, ast::Continue{});
}

ast::StmtPtr parse_assert(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  ast::Assert result;
  result.condition = parse_condition(parser);
  if (parser.accept(TokenKind::Comma)) result.message = parse_expression(parser);
  return parser.make_stmt(parser.since(begin), std::move(result));
}

bool is_literal(const ast::Expr& e) {
  return e.as<ast::StringLiteral>() || e.as<ast::FormattedString>() || e.as<ast::BytesLiteral>() ||
         e.as<ast::IntLiteral>() || e.as<ast::FloatLiteral>() || e.as<ast::ImaginaryLiteral>() ||
         e.as<ast::BoolLiteral>() || e.as<ast::NoneLiteral>() || e.as<ast::Tuple>() || e.as<ast::List>();
}

/// `raise`, `raise e`; the cause of `raise e from cause` is read and left out.
ast::StmtPtr parse_raise(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  ast::Raise result;
  if (parser.kind() != TokenKind::Newline && parser.kind() != TokenKind::Semicolon) {
    result.exception = parse_expression(parser);
    if (is_literal(*result.exception))
      parser.report(result.exception->range, DiagnosticId::RaisesNoException)
          .fix("ValueError(" + std::string(parser.text_of(result.exception->range)) + ")");
    if (parser.accept(TokenKind::KwFrom)) parse_expression(parser);
  } else if (!parser.context.in_handler) {
    parser.report(parser.previous().range, DiagnosticId::RaisesNothing)
        .note("say what is wrong: `raise ValueError(\"n is negative\")`");
  }
  return parser.make_stmt(parser.since(begin), std::move(result));
}

ast::StmtPtr parse_unsupported_simple(Parser& parser) {
  const SourceRange word = parser.current().range;
  parser.advance();
  const ast::ExprPtr named = parse_star_expressions(parser);
  ast::UnsupportedStmt result{as_code(parser.text_of(word)), {}};
  for (const ast::Expr* part : ast::parts_of(*named))
    if (const auto* name = part->as<ast::Name>()) result.names.push_back(name->id);
  return parser.make_stmt(word, std::move(result));
}

std::string parse_dotted_name(Parser& parser) {
  std::string name = parser.expect_name("the name of a module");
  while (parser.accept(TokenKind::Dot)) name += "." + parser.expect_name("a name");
  return name;
}

ast::ImportAlias parse_alias(Parser& parser, bool is_dotted) {
  const std::uint32_t begin = parser.current().range.begin;
  ast::ImportAlias alias;
  alias.name = is_dotted ? parse_dotted_name(parser) : parser.expect_name("the name of what is imported");
  alias.as = parser.accept(TokenKind::KwAs) ? parser.expect_name("a name") : alias.name.substr(0, alias.name.find('.'));
  alias.range = parser.since(begin);
  return alias;
}

/// An import whose names could not be read is none: nobody should look for a module without a name.
ast::StmtPtr make_import(Parser& parser, SourceRange range, ast::Import import) {
  if (parser.panicking) return parser.make_stmt(range, ast::UnsupportedStmt{});
  return parser.make_stmt(range, std::move(import));
}

ast::StmtPtr parse_import(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  ast::Import import;
  do import.names.push_back(parse_alias(parser, true));
  while (parser.accept(TokenKind::Comma));
  return make_import(parser, parser.since(begin), std::move(import));
}

ast::StmtPtr parse_import_from(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  ast::Import import;
  import.is_from = true;
  while (parser.kind() == TokenKind::Dot || parser.kind() == TokenKind::Ellipsis) {
    import.module += parser.kind() == TokenKind::Dot ? "." : "...";
    parser.advance();
  }
  if (parser.kind() != TokenKind::KwImport || import.module.empty()) import.module += parse_dotted_name(parser);
  parser.expect(TokenKind::KwImport);
  if (parser.accept(TokenKind::Star)) {
    import.names.push_back({"*", "", parser.previous().range});
    return make_import(parser, parser.since(begin), std::move(import));
  }
  const bool parenthesized = parser.accept(TokenKind::LeftParen);
  const SourceRange open = parser.previous().range;
  do {
    if (parenthesized && parser.kind() == TokenKind::RightParen && !import.names.empty()) break;
    import.names.push_back(parse_alias(parser, false));
  } while (parser.accept(TokenKind::Comma));
  if (parenthesized) parser.expect_close(TokenKind::RightParen, open);
  return make_import(parser, parser.since(begin), std::move(import));
}

ast::StmtPtr parse_simple_statement(Parser& parser) {
  switch (parser.kind()) {
    case TokenKind::KwPass:
      parser.advance();
      return parser.make_stmt(parser.previous().range, ast::Pass{});
    case TokenKind::KwBreak:
    case TokenKind::KwContinue:
      return parse_break_or_continue(parser);
    case TokenKind::KwReturn:
      return parse_return(parser);
    case TokenKind::KwAssert:
      return parse_assert(parser);
    case TokenKind::KwRaise:
      return parse_raise(parser);
    case TokenKind::KwImport:
      return parse_import(parser);
    case TokenKind::KwFrom:
      return parse_import_from(parser);
    case TokenKind::KwDel:
    case TokenKind::KwGlobal:
    case TokenKind::KwNonlocal:
      return parse_unsupported_simple(parser);
    default:
      return parse_expression_statement(parser);
  }
}

}  // namespace

void parse_statement(Parser& parser, ast::Suite& into) {
  if (ast::StmtPtr compound = parse_compound_statement(parser)) {
    into.push_back(std::move(compound));
    if (parser.panicking) parser.recover();
  } else {
    parse_simple_statements(parser, into);
  }
}

/// `statement; statement; …` up to the end of the line.
void parse_simple_statements(Parser& parser, ast::Suite& into) {
  do {
    into.push_back(parse_simple_statement(parser));
  } while (parser.accept(TokenKind::Semicolon) && parser.kind() != TokenKind::Newline);
  if (parser.kind() == TokenKind::Error) forget_value(parser, *into.back());
  end_simple_statements(parser, *into.back());
}

/// What may stand right of `=`: an expression, a tuple without parentheses, or `yield`.
ast::ExprPtr parse_value(Parser& parser) {
  ast::ExprPtr value = parser.kind() == TokenKind::KwYield ? parse_yield(parser) : parse_star_expressions(parser);
  if (value->as<ast::Starred>()) parser.report(value->range, DiagnosticId::MisplacedStar);
  return value;
}

void check_target(Parser& parser, const ast::Expr& target) {
  const auto* tuple = target.as<ast::Tuple>();
  const auto* list = target.as<ast::List>();
  if (!tuple && !list) return check_single_target(parser, target);
  int stars = 0;
  for (const ast::ExprPtr& element : tuple ? tuple->elements : list->elements) {
    const auto* starred = element->as<ast::Starred>();
    if (starred && ++stars == 2) parser.report(element->range, DiagnosticId::MisplacedStar);
    check_target(parser, starred ? *starred->value : *element);
  }
}

}  // namespace pykc
