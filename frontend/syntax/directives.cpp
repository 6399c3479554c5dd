#include "frontend/syntax/directives.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/syntax/token.h"

namespace pykc {
namespace {

/// "W0505": our own form; what other linters call their rules is no business of ours.
bool has_form_of_code(std::string_view word) {
  return word.size() == 5 && (word[0] == 'W' || word[0] == 'E') && std::all_of(word.begin() + 1, word.end(), is_digit);
}

/// A warning, or what the sanitizer reports.
bool can_be_ignored(std::string_view code) {
  return std::ranges::any_of(all_diagnostics(), [&](const DiagnosticInfo& row) {
    return row.code == code && (row.severity == Severity::Warning || code.starts_with(kSanitizerCodes));
  });
}

class DirectiveReader {
 public:
  DirectiveReader(const SourceFile& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  /// Between two tokens there are blanks and comments alone. A comment may say several things: `# noqa: W0505  # why`.
  void read_gap(std::uint32_t begin, std::uint32_t end) {
    const std::string_view text = file_.text();
    while (begin < end) {
      const std::size_t hash = text.substr(0, end).find('#', begin);  // no further: a file may have a million gaps
      if (hash == std::string_view::npos) return;
      const std::size_t stop = std::min(text.find_first_of("#\r\n", hash + 1), text.size());
      read_comment({static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(stop)});
      begin = static_cast<std::uint32_t>(stop);
    }
  }

  Directives take() { return std::move(directives_); }

 private:
  void read_comment(SourceRange range) {
    const std::string_view comment = trim(file_.text(range).substr(1));
    if (comment.starts_with("pykc:")) return read_own(trim(comment.substr(5)), range);
    if (comment == "noqa") return silence(line_of(range), "");
    if (comment.starts_with("noqa:")) read_noqa(comment.substr(5), range);
  }

  void read_own(std::string_view text, SourceRange range) {
    if (text == "checked" || text == "sanitize") {
      (text == "checked" ? directives_.checked : directives_.sanitize) = true;
      return;
    }
    const std::size_t open = text.find('['), close = text.find(']');
    const std::string_view name = trim(text.substr(0, open));
    const bool is_list = open != std::string_view::npos && close == text.size() - 1;
    if (!is_list || (name != "ignore" && name != "ignore-file")) {
      diagnostics_.report(file_, range, DiagnosticId::UnknownDirective, text);
      return;
    }
    const int line = name == "ignore" ? line_of(range) : 0;
    for_each_word(text.substr(open + 1, close - open - 1), [&](std::string_view code) { add(line, code, range); });
  }

  void read_noqa(std::string_view text, SourceRange range) {
    for_each_word(text, [&](std::string_view code) {
      if (has_form_of_code(code)) add(line_of(range), code, range);
    });
  }

  template <typename Visit>
  static void for_each_word(std::string_view text, Visit visit) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(", \t"), text.size());
      if (end > 0) visit(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void add(int line, std::string_view code, SourceRange range) {
    if (can_be_ignored(code)) return silence(line, code);
    diagnostics_.report(file_, range, DiagnosticId::UnknownWarning, code);
  }

  void silence(int line, std::string_view code) { directives_.silences.push_back({line, std::string(code)}); }
  int line_of(SourceRange range) const { return file_.line_column(range.begin).line; }

  const SourceFile& file_;
  Diagnostics& diagnostics_;
  Directives directives_;
};

}  // namespace

Directives read_directives(const SourceFile& file, const std::vector<Token>& tokens, Diagnostics& diagnostics) {
  DirectiveReader reader(file, diagnostics);
  std::uint32_t end_of_last = 0;
  for (const Token& token : tokens) {
    if (token.range.begin > end_of_last) reader.read_gap(end_of_last, token.range.begin);
    end_of_last = std::max(end_of_last, token.range.end);
  }
  return reader.take();
}

void apply(const Directives& directives, const SourceFile& file, Diagnostics& diagnostics) {
  for (const Directives::Silence& silence : directives.silences)
    diagnostics.silence(file.name(), silence.line, silence.code);
}

}  // namespace pykc
