#include "frontend/syntax/parse.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "frontend/frontend.h"
#include "frontend/syntax/parse_statements.h"

namespace pykc {
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

/// Statements up to the end of the block.
void parse_statements(Parser& parser, ast::Suite& into) {
  while (parser.kind() != TokenKind::Dedent && parser.kind() != TokenKind::EndOfFile) {
    if (parser.kind() == TokenKind::Indent) {
      // Below a statement that was not understood, this may be its block; its own mistakes are still worth reporting.
      const Parser::Context outer = parser.context;
      if (parser.after_failure)
        parser.context = {.in_loop = true, .in_function = true};
      else
        parser.report(parser.current().range, DiagnosticId::UnexpectedIndent);
      const bool was_after_failure = parser.after_failure;
      parser.advance();
      parse_statements(parser, into);
      parser.accept(TokenKind::Dedent);
      parser.context = outer;
      parser.after_failure = was_after_failure;
      continue;
    }
    parser.follows_failure = std::exchange(parser.after_failure, false);
    parse_statement(parser, into);
  }
}

void parse_module(Parser& parser, ast::Module& module) {
  parse_statements(parser, module.body);
  module.docstring = take_docstring(module.body);
}

}  // namespace

std::unique_ptr<ast::Module> parse(std::shared_ptr<const SourceFile> file, const std::vector<Token>& tokens,
                                   Diagnostics& diagnostics) {
  auto module = std::make_unique<ast::Module>();
  module->file = std::move(file);
  Parser parser(*module->file, tokens, diagnostics);
  parse_module(parser, *module);
  return module;
}

bool starts_expression(TokenKind kind) {
  switch (kind) {
    case TokenKind::Identifier:
    case TokenKind::Integer:
    case TokenKind::Float:
    case TokenKind::Imaginary:
    case TokenKind::String:
    case TokenKind::FString:
    case TokenKind::Bytes:
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

ast::ExprPtr parse_embedded(Parser& parser, int depth) {
  parser.depth = depth;
  ast::ExprPtr value = parse_value(parser);
  if (parser.kind() != TokenKind::EndOfFile) parser.fail_expected("the end of the expression");
  return value;
}

SourceRange Parser::since(std::uint32_t begin) const { return {begin, std::max(begin, previous().range.end)}; }

void Parser::advance() {
  if (!panicking && position + 1 < tokens.size()) ++position;
}

bool Parser::accept(TokenKind wanted) {
  if (panicking || kind() != wanted) return false;
  advance();
  return true;
}

bool Parser::expect(TokenKind wanted) {
  if (accept(wanted)) return true;
  fail_expected(describe(wanted));
  return false;
}

std::string Parser::expect_name(std::string_view what) {
  if (kind() == TokenKind::Identifier) {
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
  if (accept(TokenKind::Colon)) return;
  const std::uint32_t end = previous().range.end;
  if (kind() == TokenKind::Newline && !panicking)
    report({end, end}, DiagnosticId::MissingColon, after).fix(":");  // what follows is clear
  else if (kind() == TokenKind::Equal)
    fail(current().range, DiagnosticId::AssignmentInExpression).fix("==");
  else if (kind() == TokenKind::LeftBrace)
    fail_expected("`:` after " + std::string(after)).note("a block is what is indented below the `:`, without braces");
  else
    fail_expected("`:` after " + std::string(after));
}

void Parser::expect_close(TokenKind close, SourceRange open) {
  if (accept(close)) return;
  const std::string closing(describe(close));
  if (kind() == TokenKind::Equal) {
    fail(current().range, DiagnosticId::AssignmentInExpression).fix("==");
    return;
  }
  const bool ends_header = kind() == TokenKind::Colon && is_last_on_line();
  if (!ends_header && !starts_expression(kind())) {
    fail_expected("`,` or " + closing);
    return;
  }
  if (ends_header || starts_line_like(open))
    fail(open, DiagnosticId::UnclosedBracket, text_of(open));
  else
    fail(current().range, DiagnosticId::MissingComma, closing, describe_current());
}

/// Does the next token stand on another line?
bool Parser::is_last_on_line() const {
  const Token& next = tokens[std::min(position + 1, tokens.size() - 1)];
  return file.line_column(next.range.begin).line != file.line_column(current().range.begin).line;
}

/// Is the current token the first of a line that is not indented deeper than the line of `open`? Then that line is
/// probably a statement of its own.
bool Parser::starts_line_like(SourceRange open) const {
  const auto here = file.line_column(current().range.begin), before = file.line_column(previous().range.begin);
  if (here.line == before.line) return false;
  const auto indentation = [&](int line) { return file.line(line).find_first_not_of(" \t\f"); };
  return indentation(here.line) <= indentation(file.line_column(open.begin).line);
}

Diagnostics::Builder Parser::fail_expected(std::string_view what, std::string fix) {
  Diagnostics::Builder builder = fail(current().range, DiagnosticId::UnexpectedToken, what, describe_current());
  builder.fix(std::move(fix));
  return builder;
}

/// Names and numbers by their text, what has no text by its kind.
std::string Parser::describe_current() const {
  const Token& token = current();
  const bool has_text = token.kind == TokenKind::Identifier || token.kind == TokenKind::Integer ||
                        token.kind == TokenKind::Float || token.kind == TokenKind::Imaginary;
  return has_text ? as_code(text_of(token.range)) : std::string(describe(token.kind));
}

void Parser::recover() {
  panicking = false;
  after_failure = true;
  while (kind() != TokenKind::Newline && kind() != TokenKind::EndOfFile) advance();
  accept(TokenKind::Newline);
}

/// Passes over an indented block without looking at it.
void Parser::skip_block() {
  if (kind() != TokenKind::Indent) return;
  int open = 0;
  do {
    open += kind() == TokenKind::Indent ? 1 : kind() == TokenKind::Dedent ? -1 : 0;
    advance();
  } while (open > 0 && kind() != TokenKind::EndOfFile);
}

void Parser::give_up() {
  position = tokens.size() - 1;
  panicking = false;
}

/// `: statements` on the same line, or `:` and an indented block. `after` names what the block belongs to.
ast::Suite parse_suite(Parser& parser, std::string_view after) {
  ast::Suite body;
  parser.expect_colon(after);
  const bool header_failed = parser.panicking;
  if (header_failed) {
    parser.recover();
  } else if (!parser.accept(TokenKind::Newline)) {
    parse_simple_statements(parser, body);
    return body;
  }
  if (parser.kind() != TokenKind::Indent) {
    const bool is_reported = header_failed || parser.current().kind == TokenKind::Error;
    if (!is_reported) parser.report(parser.current().range, DiagnosticId::MissingBlock, after);
    return body;
  }
  parser.advance();
  parser.after_failure = false;
  ++parser.statement_depth;
  parse_statements(parser, body);
  --parser.statement_depth;
  parser.accept(TokenKind::Dedent);
  parser.after_failure = false;
  return body;
}

ast::Suite parse_loop_suite(Parser& parser, std::string_view after) {
  const Parser::Context outer =
      std::exchange(parser.context, {.in_loop = true, .in_function = parser.context.in_function});
  ast::Suite body = parse_suite(parser, after);
  parser.context = outer;
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
