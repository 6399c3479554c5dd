// Simple statements: those on one line, without a block.
#include <algorithm>
#include <array>
#include <optional>

#include "frontend/syntax/ast_walk.h"
#include "frontend/syntax/parse.h"

namespace pykc {

namespace {

using Kind = TokenKind;

struct AugmentedOperator {
  TokenKind token;
  ast::BinaryOp op;
};
constexpr auto kAugmentedOperators = std::to_array<AugmentedOperator>({
    {Kind::PlusEqual, ast::BinaryOp::Add},
    {Kind::MinusEqual, ast::BinaryOp::Sub},
    {Kind::StarEqual, ast::BinaryOp::Mul},
    {Kind::SlashEqual, ast::BinaryOp::Div},
    {Kind::SlashSlashEqual, ast::BinaryOp::FloorDiv},
    {Kind::PercentEqual, ast::BinaryOp::Mod},
    {Kind::StarStarEqual, ast::BinaryOp::Pow},
    {Kind::AtEqual, ast::BinaryOp::MatMul},
    {Kind::AmpersandEqual, ast::BinaryOp::And},
    {Kind::PipeEqual, ast::BinaryOp::Or},
    {Kind::CaretEqual, ast::BinaryOp::Xor},
    {Kind::LeftShiftEqual, ast::BinaryOp::LeftShift},
    {Kind::RightShiftEqual, ast::BinaryOp::RightShift},
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

}  // namespace

void Parser::parse_statement(ast::Suite& into) {
  if (ast::StmtPtr compound = parse_compound_statement()) {
    into.push_back(std::move(compound));
    if (panicking_) recover();
  } else {
    parse_simple_statements(into);
  }
}

/// `statement; statement; …` up to the end of the line.
void Parser::parse_simple_statements(ast::Suite& into) {
  do {
    into.push_back(parse_simple_statement());
  } while (accept(Kind::Semicolon) && kind() != Kind::Newline);
  end_simple_statements(*into.back());
}

void Parser::end_simple_statements(const ast::Stmt& last) {
  if (!panicking_ && kind() != Kind::EndOfFile && !accept(Kind::Newline)) {
    const auto* expression = last.as<ast::ExprStmt>();
    const auto* name = expression ? expression->value->as<ast::Name>() : nullptr;
    if (name && name->id == "print" && starts_expression(kind()))
      fail(expression->value->range, DiagnosticId::PrintWithoutParentheses);
    else if (name && (name->id == "match" || name->id == "type") && starts_expression(kind()))
      fail_soft_keyword(*expression->value);
    else if (name)
      fail_expected("the end of the line after `" + name->id + "`", statement_word_like(name->id));
    else
      fail_expected("the end of the line");
  }
  if (panicking_) recover();
  if (std::exchange(skips_block_, false)) skip_block();
}

/// `match` and `type` are names, unless a statement starts like this.
void Parser::fail_soft_keyword(const ast::Expr& word) {
  skips_block_ = true;
  fail(word.range, DiagnosticId::UnsupportedSoftKeyword, text_of(word.range));
}

ast::StmtPtr Parser::parse_simple_statement() {
  switch (kind()) {
    case Kind::KwPass:
      advance();
      return make_stmt(previous().range, ast::Pass{});
    case Kind::KwBreak:
    case Kind::KwContinue:
      return parse_break_or_continue();
    case Kind::KwReturn:
      return parse_return();
    case Kind::KwAssert:
      return parse_assert();
    case Kind::KwRaise:
      return parse_raise();
    case Kind::KwImport:
      return parse_import();
    case Kind::KwFrom:
      return parse_import_from();
    case Kind::KwDel:
    case Kind::KwGlobal:
    case Kind::KwNonlocal:
      return parse_unsupported_simple();
    default:
      return parse_expression_statement();
  }
}

/// What may stand right of `=`: an expression, a tuple without parentheses, or `yield`.
ast::ExprPtr Parser::parse_value() {
  ExprPtr value = kind() == Kind::KwYield ? parse_yield() : parse_star_expressions();
  if (value->as<ast::Starred>()) report(value->range, DiagnosticId::MisplacedStar);
  return value;
}

ast::StmtPtr Parser::parse_expression_statement() {
  if (kind() == Kind::Identifier && kind_after() == Kind::ColonEqual)
    report(tokens_[next_ + 1].range, DiagnosticId::BareWalrus, {}, {}, "=");
  ExprPtr first = kind() == Kind::KwYield ? parse_yield() : parse_star_expressions();
  if (kind() == Kind::Equal) return parse_assignment(std::move(first));
  if (kind() == Kind::Colon) return parse_annotated(std::move(first));
  if (const auto op = augmented_operator(kind())) return parse_augmented(std::move(first), *op);
  if (first->as<ast::Starred>()) report(first->range, DiagnosticId::MisplacedStar);
  const SourceRange range = first->range;
  return make_stmt(range, ast::ExprStmt{std::move(first)});
}

ast::StmtPtr Parser::parse_assignment(ExprPtr first) {
  const std::uint32_t begin = first->range.begin;
  ast::Assign assign;
  assign.value = std::move(first);
  while (accept(Kind::Equal)) {
    check_target(*assign.value);
    assign.targets.push_back(std::move(assign.value));
    assign.value = parse_value();
  }
  return make_stmt(since(begin), std::move(assign));
}

ast::StmtPtr Parser::parse_annotated(ExprPtr target) {
  const std::uint32_t begin = target->range.begin;
  advance();
  if (kind() == Kind::Newline && !panicking_) {  // `els:`, `whlie(x):`, `match(x):`
    const auto* call = target->as<ast::Call>();
    const ast::Expr& word = call ? *call->function : *target;
    const auto* name = word.as<ast::Name>();
    if (name && name->id == "match")
      fail_soft_keyword(word);
    else
      fail_expected("a type after `:`", name ? statement_word_like(name->id) : "");
  }
  check_single_target(*target);
  ast::AnnotatedAssign assign{std::move(target), parse_expression(), nullptr};
  if (accept(Kind::Equal)) assign.value = parse_value();
  return make_stmt(since(begin), std::move(assign));
}

ast::StmtPtr Parser::parse_augmented(ExprPtr target, ast::BinaryOp op) {
  const std::uint32_t begin = target->range.begin;
  check_single_target(*target);
  advance();
  ast::AugmentedAssign assign{std::move(target), op, parse_value()};
  return make_stmt(since(begin), std::move(assign));
}

void Parser::check_target(const ast::Expr& target) {
  const auto* tuple = target.as<ast::Tuple>();
  const auto* list = target.as<ast::List>();
  if (!tuple && !list) return check_single_target(target);
  int stars = 0;
  for (const ExprPtr& element : tuple ? tuple->elements : list->elements) {
    const auto* starred = element->as<ast::Starred>();
    if (starred && ++stars == 2) report(element->range, DiagnosticId::MisplacedStar);
    check_target(starred ? *starred->value : *element);
  }
}

void Parser::check_single_target(const ast::Expr& target) {
  if (is_single_target(target) || is_unreadable(target)) return;
  const std::string_view what = std::visit(Naming{}, target.node);
  report(target.range, DiagnosticId::CannotAssign, what, {}, target.as<ast::Compare>() ? "=" : "");
}

ast::StmtPtr Parser::parse_return() {
  const SourceRange word = current().range;
  if (!context_.in_function) report(word, DiagnosticId::ReturnOutsideFunction);
  advance();
  ast::Return result;
  if (kind() != Kind::Newline && kind() != Kind::Semicolon) result.value = parse_value();
  return make_stmt(since(word.begin), std::move(result));
}

ast::StmtPtr Parser::parse_break_or_continue() {
  const SourceRange range = current().range;
  const bool is_break = kind() == Kind::KwBreak;
  if (!context_.in_loop) report(range, DiagnosticId::OutsideLoop, text_of(range));
  advance();
  return is_break ? make_stmt(range, ast::Break{}) : make_stmt(range, ast::Continue{});
}

ast::StmtPtr Parser::parse_assert() {
  const std::uint32_t begin = current().range.begin;
  advance();
  ast::Assert result;
  result.condition = parse_condition();
  if (accept(Kind::Comma)) result.message = parse_expression();
  return make_stmt(since(begin), std::move(result));
}

/// `raise`, `raise e`; the cause of `raise e from cause` is read and left out.
ast::StmtPtr Parser::parse_raise() {
  const std::uint32_t begin = current().range.begin;
  advance();
  ast::Raise result;
  if (kind() != Kind::Newline && kind() != Kind::Semicolon) {
    result.exception = parse_expression();
    if (accept(Kind::KwFrom)) parse_expression();
  }
  return make_stmt(since(begin), std::move(result));
}

ast::StmtPtr Parser::parse_unsupported_simple() {
  const SourceRange word = current().range;
  advance();
  const ast::ExprPtr named = parse_star_expressions();
  ast::UnsupportedStmt result{"`" + std::string(text_of(word)) + "`", {}};
  for (const ast::Expr* part : ast::parts_of(*named))
    if (const auto* name = part->as<ast::Name>()) result.names.push_back(name->id);
  return make_stmt(word, std::move(result));
}

std::string Parser::parse_dotted_name() {
  std::string name = expect_name("the name of a module");
  while (accept(Kind::Dot)) name += "." + expect_name("a name");
  return name;
}

ast::ImportAlias Parser::parse_alias(bool is_dotted) {
  const std::uint32_t begin = current().range.begin;
  ast::ImportAlias alias;
  alias.name = is_dotted ? parse_dotted_name() : expect_name("the name of what is imported");
  alias.as = accept(Kind::KwAs) ? expect_name("a name") : alias.name.substr(0, alias.name.find('.'));
  alias.range = since(begin);
  return alias;
}

ast::StmtPtr Parser::parse_import() {
  const std::uint32_t begin = current().range.begin;
  advance();
  ast::Import import;
  do import.names.push_back(parse_alias(true));
  while (accept(Kind::Comma));
  return make_import(since(begin), std::move(import));
}

/// An import whose names could not be read is none: nobody should look for a module without a name.
ast::StmtPtr Parser::make_import(SourceRange range, ast::Import import) {
  if (panicking_) return make_stmt(range, ast::UnsupportedStmt{});
  return make_stmt(range, std::move(import));
}

ast::StmtPtr Parser::parse_import_from() {
  const std::uint32_t begin = current().range.begin;
  advance();
  ast::Import import;
  import.is_from = true;
  while (kind() == Kind::Dot || kind() == Kind::Ellipsis) {
    import.module += kind() == Kind::Dot ? "." : "...";
    advance();
  }
  if (kind() != Kind::KwImport || import.module.empty()) import.module += parse_dotted_name();
  expect(Kind::KwImport);
  if (accept(Kind::Star)) {
    import.names.push_back({"*", "", previous().range});
    return make_import(since(begin), std::move(import));
  }
  const bool parenthesized = accept(Kind::LeftParen);
  const SourceRange open = previous().range;
  do {
    if (parenthesized && kind() == Kind::RightParen && !import.names.empty()) break;
    import.names.push_back(parse_alias(false));
  } while (accept(Kind::Comma));
  if (parenthesized) expect_close(Kind::RightParen, open);
  return make_import(since(begin), std::move(import));
}

}  // namespace pykc
