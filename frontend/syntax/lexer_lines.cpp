// Indentation and brackets; lexer.h tells the rules.
#include <algorithm>
#include <limits>

#include "frontend/syntax/lexer.h"

namespace pykc {

namespace {

char opening_of(TokenKind close) {
  return close == TokenKind::RightParen ? '(' : close == TokenKind::RightBracket ? '[' : '{';
}

bool closes_bracket(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightBracket || kind == TokenKind::RightBrace;
}

/// Does a statement that starts with this have a block?
bool has_body(TokenKind kind) {
  switch (kind) {
    case TokenKind::KwAsync:
    case TokenKind::KwClass:
    case TokenKind::KwDef:
    case TokenKind::KwElif:
    case TokenKind::KwElse:
    case TokenKind::KwExcept:
    case TokenKind::KwFor:
    case TokenKind::KwIf:
    case TokenKind::KwWhile:
    case TokenKind::KwWith:
      return true;
    default:
      return false;
  }
}

}  // namespace

/// Reads the white space at the start of a line. A blank line, or one with a comment alone, has no indentation.
void Lexer::lex_indentation() {
  const std::size_t begin = pos_;
  const Indent indent = measure_indentation();
  if (peek() == '#') skip_to_line_end();
  if (at_end()) return;
  if (at_newline()) return skip_newline();
  at_line_start_ = false;
  line_is_broken_ = false;
  if (std::string_view(")]}").find(peek()) == std::string_view::npos) orphans_ = 0;
  apply_indentation(indent, range_from(begin));
  statement_token_ = tokens_.size();
  if (peek() == '%' || peek() == '!') lex_notebook_command();
}

/// What notebooks do with each of their commands, and a file otherwise.
struct NotebookCommand {
  std::string_view name, instead;
};
constexpr NotebookCommand kNotebookCommands[] = {
    {"%time", "measure with `time.perf_counter()`, or with events: `start.record()`, `cuda.event_elapsed_time`"},
    {"%timeit", "measure a loop with `time.perf_counter()`, or with events: `cuda.event_elapsed_time(start, end)`"},
    {"%matplotlib", "delete the line; `save(\"x.npy\", x)` writes an array for a plot elsewhere"},
    {"%env", "set the variable in the shell that starts the program"},
    {"%load_ext", "delete the line"},
    {"%bash", "run the lines below it in a shell"},
    {"%sh", "run the lines below it in a shell"},
    {"%cd", "run the command in a shell"},
    {"%pip", "run the command in a shell"},
    {"%conda", "run the command in a shell"},
    {"%writefile", "write the lines below it to that file"},
    {"%run", "import the file's functions: `from name import f`"},
    {"!", "run the command in a shell"},
};

/// `%timeit f(x)`, `%%time`, `!nvidia-smi`: lines that Jupyter reads before Python does.
void Lexer::lex_notebook_command() {
  const std::size_t begin = pos_;
  skip_to_line_end();
  const std::string_view line = text_of(range_from(begin));
  std::string_view word = line.substr(0, line.find_first_of(" \t"));
  const auto range = SourceRange{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + word.size())};
  auto diagnostic = report(range, DiagnosticId::NotebookCommand, word);
  if (word.starts_with("%%")) word.remove_prefix(1);
  const auto* const row = std::ranges::find_if(kNotebookCommands, [&](const NotebookCommand& command) {
    return command.name == word || (command.name == "!" && word.front() == '!');
  });
  diagnostic.note(row == std::end(kNotebookCommands) ? "delete the line" : std::string(row->instead));
  push(TokenKind::Error, range);
}

Lexer::Indent Lexer::measure_indentation() {
  Indent indent;
  Indent before_backslash;  // a line that a backslash continues has the indentation of its first part
  for (;; ++pos_) {
    const char c = peek();
    if (c == ' ') {
      ++indent.column;
      ++indent.alternative;
    } else if (c == '\t') {
      indent.column = (indent.column / 8 + 1) * 8;
      ++indent.alternative;
    } else if (c == '\f') {
      indent = {};
    } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
      if (before_backslash.column == 0) before_backslash = indent;
      if (peek(1) == '\r' && peek(2) == '\n') ++pos_;
      ++pos_;
    } else {
      return before_backslash.column > 0 ? before_backslash : indent;
    }
  }
}

void Lexer::apply_indentation(Indent indent, SourceRange range) {
  const Indent current = indents_.back();
  const SourceRange here = {range.end, range.end};
  const auto inconsistent = [&] { report(range, DiagnosticId::InconsistentTabs); };
  if (indent.column == current.column) {
    if (indent.alternative != current.alternative) inconsistent();
    return;
  }
  if (indent.column > current.column) {
    if (indent.alternative <= current.alternative) inconsistent();
    if (indents_.size() == kMostIndents) {
      report(range, DiagnosticId::TooManyIndents, kMostIndents);
      return stop();
    }
    indents_.push_back(indent);
    return push(TokenKind::Indent, range);
  }
  while (indent.column < indents_.back().column) {
    indents_.pop_back();
    push(TokenKind::Dedent, here);
  }
  if (indent.column != indents_.back().column)
    report(range, DiagnosticId::BadDedent);  // and read on as if the line stood in the block that it comes nearest to
  else if (indent.alternative != indents_.back().alternative)
    inconsistent();
}

/// Half a statement would be judged as if it were all.
void Lexer::forget_statement() {
  const auto ends_statement = [](const Token& token) {
    return token.kind == TokenKind::Newline || token.kind == TokenKind::Indent || token.kind == TokenKind::Dedent;
  };
  while (!tokens_.empty() && !ends_statement(tokens_.back())) tokens_.pop_back();
}

void Lexer::open_bracket(TokenKind kind) {
  const SourceRange range = range_from(pos_ - 1);
  if (brackets_.size() == kMostBrackets) {
    report(range, DiagnosticId::TooManyBrackets, kMostBrackets);
    forget_statement();
    return stop();
  }
  brackets_.push_back({text_[range.begin], range, tokens_.size()});
  push(kind, range);
}

void Lexer::close_bracket(TokenKind kind) {
  const SourceRange range = range_from(pos_ - 1);
  if (brackets_.empty()) {
    if (orphans_ > 0)
      --orphans_;
    else if (!line_is_broken_)
      report(range, DiagnosticId::UnmatchedBracket, text_of(range));
    line_is_broken_ = true;
    return push(TokenKind::Error, range);
  }
  const Bracket open = brackets_.back();
  const char wanted = opening_of(kind);
  if (open.open == wanted) {
    brackets_.pop_back();
    return push(kind, range);
  }
  const auto matches = [&](const Bracket& bracket) { return bracket.open == wanted; };
  const auto outer = std::find_if(brackets_.rbegin(), brackets_.rend(), matches);
  if (outer != brackets_.rend()) {  // `f(a[1)`: the one to blame was opened later
    report(open.range, DiagnosticId::UnclosedBracket, text_of(open.range))
        .label(file_, range, "this closes a bracket around it");
    orphans_ += static_cast<int>(outer - brackets_.rbegin());
    brackets_.erase(outer.base() - 1, brackets_.end());
  } else {
    report(range, DiagnosticId::MismatchedBracket, text_of(range), text_of(open.range))
        .label(file_, open.range, "opened here");
    brackets_.pop_back();
    ++orphans_;
  }
  push(TokenKind::Error, range);
}

/// After a string that is not closed, which may hold what would close the brackets of its line. Those of earlier lines
/// stay open if the next line is indented like a part of them.
void Lexer::forget_brackets_of_line() {
  const std::size_t line_begin = text_.find_last_of("\r\n", pos_ - 1) + 1;
  std::erase_if(brackets_, [&](const Bracket& bracket) { return bracket.range.begin >= line_begin; });
  if (brackets_.empty()) return;
  std::size_t next = pos_;
  int column = 0;
  for (; next < text_.size() && std::string_view(" \t\f\r\n").find(text_[next]) != std::string_view::npos; ++next)
    column = text_[next] == '\n' || text_[next] == '\r' ? 0 : text_[next] == '\t' ? (column / 8 + 1) * 8 : column + 1;
  const bool closes = next < text_.size() && std::string_view(")]}").find(text_[next]) != std::string_view::npos;
  if (column <= indents_.back().column && !closes) brackets_.clear();
}

/// The tokens after `after` that are the first of their physical line.
std::vector<std::size_t> Lexer::line_starters(std::size_t after) const {
  std::vector<std::size_t> starters;
  for (std::size_t i = after + 1; i < tokens_.size(); ++i) {
    const std::uint32_t gap = tokens_[i - 1].range.end;
    if (text_.substr(gap, tokens_[i].range.begin - gap).find_first_of("\r\n") != std::string_view::npos)
      starters.push_back(i);
  }
  return starters;
}

int Lexer::column_of(std::size_t token) const {
  int column = 0;
  const std::size_t end = tokens_[token].range.begin;
  for (std::size_t i = text_.find_last_of("\r\n", end) + 1; i < end; ++i)
    column = text_[i] == '\t' ? (column / 8 + 1) * 8 : column + 1;
  return column;
}

void Lexer::recover_from_unclosed_bracket() {
  const Bracket open = brackets_.front();
  brackets_.clear();
  report(open.range, DiagnosticId::UnclosedBracket, text_of(open.range));
  if (embedded_) return stop();
  std::vector<std::size_t> lines = line_starters(open.token);
  std::erase_if(lines, [&](std::size_t token) { return closes_bracket(tokens_[token].kind); });
  // A line of the same block starts a new statement, and so does the body of a compound statement: its indentation is
  // the least of the lines that are deeper than the header.
  int statement_column = indents_.back().column;
  if (has_body(tokens_[statement_token_].kind)) {
    int body_column = std::numeric_limits<int>::max();
    for (const std::size_t line : lines) {
      if (column_of(line) <= statement_column) break;
      body_column = std::min(body_column, column_of(line));
    }
    if (body_column != std::numeric_limits<int>::max()) statement_column = body_column;
  }
  const auto starts_statement = [&](std::size_t token) { return column_of(token) <= statement_column; };
  const auto next = std::find_if(lines.begin(), lines.end(), starts_statement);
  std::size_t resume = pos_;
  if (next != lines.end()) {
    resume = tokens_[*next].range.begin;
    tokens_.resize(*next);
  }
  bytes_read_twice_ += pos_ - resume;
  if (bytes_read_twice_ > 8 * text_.size() + 65536) return stop();
  tokens_[open.token].kind = TokenKind::Error;  // what stands behind it is not to be judged
  pos_ = resume;
  if (!at_end()) pos_ = text_.find_last_of("\r\n", pos_) + 1;
  push(TokenKind::Newline, range_from(pos_));
  at_line_start_ = first_on_line_ = true;
}

}  // namespace pykc
