#include "frontend/syntax/parse.h"

#include <algorithm>

#include "frontend/frontend.h"

namespace pykc {

std::unique_ptr<ast::Module> parse(std::shared_ptr<const SourceFile> file, const std::vector<Token>& tokens,
                                   Diagnostics& diagnostics) {
  auto module = std::make_unique<ast::Module>();
  module->file = std::move(file);
  Parser(*module->file, tokens, diagnostics).parse_module(*module);
  return module;
}

namespace {

bool is_keyword(TokenKind kind) {
  switch (kind) {
#define KEYWORD(name, spelling) case TokenKind::name:
#include "frontend/syntax/tokens.def"
    return true;
    default:
      return false;
  }
}

}  // namespace

bool starts_expression(TokenKind kind) {
  switch (kind) {
    case TokenKind::Identifier:
    case TokenKind::Integer:
    case TokenKind::Float:
    case TokenKind::Imaginary:
    case TokenKind::String:
    case TokenKind::FString:
    case TokenKind::KwTrue:
    case TokenKind::KwFalse:
    case TokenKind::KwNone:
    case TokenKind::KwNot:
    case TokenKind::KwLambda:
    case TokenKind::KwAwait:
    case TokenKind::KwYield:
    case TokenKind::Ellipsis:
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::LeftBrace:
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::Tilde:
    case TokenKind::Star:
      return true;
    default:
      return false;
  }
}

std::string take_docstring(ast::Suite& body) {
  if (body.empty()) return {};
  auto* statement = std::get_if<ast::ExprStmt>(&body.front()->node);
  auto* text = statement ? std::get_if<ast::StringLiteral>(&statement->value->node) : nullptr;
  if (!text) return {};
  std::string docstring = std::move(text->value);
  body.erase(body.begin());
  return docstring;
}

void Parser::parse_module(ast::Module& module) {
  parse_statements(module.body);
  module.docstring = take_docstring(module.body);
}

ast::ExprPtr Parser::parse_embedded(int depth) {
  depth_ = depth;
  ExprPtr value = parse_value();
  if (kind() != Kind::EndOfFile) fail_expected("the end of the expression");
  return value;
}

SourceRange Parser::since(std::uint32_t begin) const { return {begin, std::max(begin, previous().range.end)}; }

void Parser::advance() {
  if (!panicking_ && next_ + 1 < tokens_.size()) ++next_;
}

bool Parser::accept(Kind wanted) {
  if (panicking_ || kind() != wanted) return false;
  advance();
  return true;
}

bool Parser::expect(Kind wanted) {
  if (accept(wanted)) return true;
  fail_expected(describe(wanted));
  return false;
}

std::string Parser::expect_name(std::string_view what) {
  if (kind() == Kind::Identifier) {
    advance();
    return std::string(text_of(previous().range));
  }
  if (is_keyword(kind()))
    fail(current().range, DiagnosticId::KeywordAsName, text_of(current().range));
  else
    fail_expected(what);
  return {};
}

void Parser::expect_colon(std::string_view after) {
  if (accept(Kind::Colon)) return;
  const std::uint32_t end = previous().range.end;
  if (kind() == Kind::Newline && !panicking_)
    report({end, end}, DiagnosticId::MissingColon, after, {}, ":");  // what follows is clear
  else if (kind() == Kind::Equal)
    fail(current().range, DiagnosticId::AssignmentInExpression, {}, {}, "==");
  else
    fail_expected("`:` after " + std::string(after));
}

void Parser::expect_close(Kind close, SourceRange open) {
  if (accept(close)) return;
  const std::string closing(describe(close));
  if (kind() == Kind::Equal) return fail(current().range, DiagnosticId::AssignmentInExpression, {}, {}, "==");
  const bool ends_header = kind() == Kind::Colon && is_last_on_line();
  if (!ends_header && !starts_expression(kind())) return fail_expected("`,` or " + closing);
  if (ends_header || starts_line_like(open))
    fail(open, DiagnosticId::UnclosedBracket, text_of(open));
  else
    fail(current().range, DiagnosticId::MissingComma, closing, describe_current());
}

/// Does the next token stand on another line?
bool Parser::is_last_on_line() const {
  const Token& next = tokens_[std::min(next_ + 1, tokens_.size() - 1)];
  return file_.line_column(next.range.begin).line != file_.line_column(current().range.begin).line;
}

/// Is the current token the first of a line that is not indented deeper than the line of `open`? Then that line is
/// probably a statement of its own.
bool Parser::starts_line_like(SourceRange open) const {
  const auto here = file_.line_column(current().range.begin), before = file_.line_column(previous().range.begin);
  if (here.line == before.line) return false;
  const auto indentation = [&](int line) { return file_.line(line).find_first_not_of(" \t\f"); };
  return indentation(here.line) <= indentation(file_.line_column(open.begin).line);
}

void Parser::report(SourceRange range, DiagnosticId id, std::string_view a, std::string_view b, std::string fix) {
  if (!panicking_) diagnostics_.report(file_, range, id, a, b).fix(std::move(fix));
}

void Parser::fail(SourceRange range, DiagnosticId id, std::string_view a, std::string_view b, std::string fix) {
  if (current().kind != Kind::Error) report(range, id, a, b, std::move(fix));  // the lexer reported an Error token
  panicking_ = true;
}

void Parser::fail_expected(std::string_view what, std::string fix) {
  fail(current().range, DiagnosticId::UnexpectedToken, what, describe_current(), std::move(fix));
}

/// Names and numbers by their text, what has no text by its kind.
std::string Parser::describe_current() const {
  const Token& token = current();
  const bool has_text = token.kind == Kind::Identifier || token.kind == Kind::Integer || token.kind == Kind::Float ||
                        token.kind == Kind::Imaginary;
  return has_text ? "`" + std::string(text_of(token.range)) + "`" : std::string(describe(token.kind));
}

void Parser::recover() {
  panicking_ = false;
  after_failure_ = true;
  while (kind() != Kind::Newline && kind() != Kind::EndOfFile) advance();
  accept(Kind::Newline);
}

/// Passes over an indented block without looking at it.
void Parser::skip_block() {
  if (kind() != Kind::Indent) return;
  int open = 0;
  do {
    open += kind() == Kind::Indent ? 1 : kind() == Kind::Dedent ? -1 : 0;
    advance();
  } while (open > 0 && kind() != Kind::EndOfFile);
}

void Parser::give_up() {
  next_ = tokens_.size() - 1;
  panicking_ = false;
}

/// Statements up to the end of the block.
void Parser::parse_statements(ast::Suite& into) {
  while (kind() != Kind::Dedent && kind() != Kind::EndOfFile) {
    if (kind() == Kind::Indent) {
      // Below a statement that was not understood, this may be its block; its own mistakes are still worth reporting.
      const Context outer = context_;
      if (after_failure_)
        context_ = {.in_loop = true, .in_function = true};
      else
        report(current().range, DiagnosticId::UnexpectedIndent);
      const bool was_after_failure = after_failure_;
      advance();
      parse_statements(into);
      accept(Kind::Dedent);
      context_ = outer;
      after_failure_ = was_after_failure;
      continue;
    }
    follows_failure_ = std::exchange(after_failure_, false);
    parse_statement(into);
  }
}

/// `: statements` on the same line, or `:` and an indented block. `after` names what the block belongs to.
ast::Suite Parser::parse_suite(std::string_view after) {
  ast::Suite body;
  expect_colon(after);
  const bool header_failed = panicking_;
  if (header_failed) {
    recover();
  } else if (!accept(Kind::Newline)) {
    parse_simple_statements(body);
    return body;
  }
  if (kind() != Kind::Indent) {
    const bool is_reported = header_failed || current().kind == Kind::Error;
    if (!is_reported) report(current().range, DiagnosticId::MissingBlock, after);
    return body;
  }
  advance();
  after_failure_ = false;
  ++statement_depth_;
  parse_statements(body);
  --statement_depth_;
  accept(Kind::Dedent);
  after_failure_ = false;
  return body;
}

ast::Suite Parser::parse_loop_suite(std::string_view after) {
  const Context outer = std::exchange(context_, {.in_loop = true, .in_function = context_.in_function});
  ast::Suite body = parse_suite(after);
  context_ = outer;
  return body;
}

ast::ExprPtr Parser::make(SourceRange range, decltype(ast::Expr::node) node) {
  auto expr = std::make_unique<ast::Expr>();
  expr->range = range;
  expr->height = height_of(node);
  if (expr->height > ast::kMostExpressionHeight) {
    fail(range, DiagnosticId::TooDeep, "expression");
    return make_missing();
  }
  expr->node = std::move(node);
  return expr;
}

/// Stands where an expression could not be read.
ast::ExprPtr Parser::make_missing() { return make(current().range, ast::Unsupported{}); }

ast::StmtPtr Parser::make_stmt(SourceRange range, decltype(ast::Stmt::node) node) {
  auto stmt = std::make_unique<ast::Stmt>();
  stmt->range = range;
  stmt->node = std::move(node);
  return stmt;
}

}  // namespace pykc
