#include "base/diagnostics.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace pykc {

namespace {

bool is_same_report(const Diagnostic& a, const Diagnostic& b) {
  return a.code == b.code && a.place.file == b.place.file && a.place.line == b.place.line &&
         a.place.column == b.place.column && a.message == b.message;
}

}  // namespace

const std::vector<DiagnosticInfo>& all_diagnostics() {
  static const std::vector<DiagnosticInfo> rows = {
#define DIAGNOSTIC(id, code, severity, message, explanation) {code, Severity::severity, message, explanation},
#include "base/diagnostics.def"
  };
  return rows;
}

const DiagnosticInfo& info(DiagnosticId id) { return all_diagnostics()[static_cast<std::size_t>(id)]; }

Diagnostics::Builder& Diagnostics::Builder::label(const SourceFile& file, SourceRange range, std::string text) {
  if (diagnostic_) diagnostic_->labels.push_back({file.place(range), std::move(text)});
  return *this;
}

Diagnostics::Builder& Diagnostics::Builder::note(std::string text) {
  if (diagnostic_) diagnostic_->notes.push_back(std::move(text));
  return *this;
}

Diagnostics::Builder& Diagnostics::Builder::fix(std::string text) {
  if (diagnostic_) diagnostic_->fix = std::move(text);
  return *this;
}

Diagnostics::Builder& Diagnostics::Builder::did_you_mean(std::string_view name) {
  return name.empty() ? *this : note("did you mean " + as_code(name) + "?").fix(std::string(name));
}

Diagnostics::Builder Diagnostics::report_kept(const SourceFile& file, SourceRange range, DiagnosticId id,
                                              std::span<const MessageArgument> arguments) {
  const DiagnosticInfo& row = info(id);
  const SourcePlace place = muted_ ? SourcePlace{} : file.place(range);
  if (row.severity == Severity::Warning && is_silenced(row, place)) return {};
  const bool is_error = row.severity == Severity::Error || warnings_are_errors_;
  if (is_error) ++error_count_;
  if (muted_) return {};
  int& kept = is_error ? kept_errors_ : kept_others_;
  if (kept >= most_kept_) {
    ++dropped_;
    return {};
  }
  ++kept;
  Diagnostic& diagnostic = list_.emplace_back();
  diagnostic.code = row.code;
  diagnostic.severity = is_error ? Severity::Error : row.severity;
  diagnostic.message = fill_message(row.message, arguments);
  diagnostic.place = place;
  return Builder(&diagnostic);
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error) ++error_count_;
  list_.push_back(std::move(diagnostic));
}

bool Diagnostics::is_full() const { return kept_errors_ >= most_kept_; }

void Diagnostics::silence(std::string_view file, int line, std::string_view code) {
  silences_.push_back({std::string(file), line, std::string(code)});
}

/// A comment stands on the first line of what it is about.
bool Diagnostics::is_silenced(const DiagnosticInfo& row, const SourcePlace& place) const {
  return std::ranges::any_of(silences_, [&](const Silence& silence) {
    return silence.is_at(place) && (silence.code.empty() || silence.code == row.code);
  });
}

bool Diagnostics::is_silenced_by_name(std::string_view code, const SourcePlace& place) const {
  return std::ranges::any_of(silences_,
                             [&](const Silence& silence) { return silence.is_at(place) && silence.code == code; });
}

std::vector<Diagnostic> Diagnostics::take() {
  std::map<std::string_view, std::size_t> file_order;  // files in the order of their first report
  for (const Diagnostic& diagnostic : list_) file_order.try_emplace(diagnostic.place.file, file_order.size());
  const auto position = [&](const Diagnostic& d) {
    const std::size_t file = file_order.find(d.place.file)->second;
    return std::tuple(file, d.place.line, d.place.column, std::string_view(d.code), std::string_view(d.message), &d);
  };
  std::vector<const Diagnostic*> sorted;
  sorted.reserve(list_.size());
  for (const Diagnostic& diagnostic : list_) sorted.push_back(&diagnostic);
  std::sort(sorted.begin(), sorted.end(), [&](auto* a, auto* b) { return position(*a) < position(*b); });
  // Two specialisations of one function report the same mistake; a reader wants it once.
  sorted.erase(std::unique(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return is_same_report(*a, *b); }),
               sorted.end());
  std::vector<Diagnostic> result;
  result.reserve(sorted.size());
  for (const Diagnostic* diagnostic : sorted) result.push_back(*diagnostic);
  if (dropped_ > 0) result.back().notes.push_back("and " + std::to_string(dropped_) + " more, which are not shown");
  list_.clear();
  kept_errors_ = kept_others_ = dropped_ = 0;
  return result;
}

}  // namespace pykc
