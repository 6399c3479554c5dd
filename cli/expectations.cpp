#include "cli/expectations.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace pykc::cli {
namespace {

constexpr std::string_view kExpect = "# expect:", kOptions = "# options:";

std::optional<int> positive(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

/// `E0203 @ 13` or `E0203 @ 7:13`.
std::optional<Expectation> parse_expectation(std::string_view text, int line) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view place = trim(text.substr(at + 1));
  if (const std::size_t colon = place.find(':'); colon != std::string_view::npos) {
    line = positive(place.substr(0, colon)).value_or(0);
    place = place.substr(colon + 1);
  }
  const std::optional<int> column = positive(place);
  const std::string_view code = trim(text.substr(0, at));
  if (!column || line == 0 || code.size() != 5) return std::nullopt;
  return Expectation{line, *column, std::string(code)};
}

void read_line(std::string_view text, int line, Expectations& result) {
  if (text.starts_with(kOptions)) result.options += std::string(text.substr(kOptions.size())) + " ";
  const std::size_t begin = text.rfind(kExpect);
  if (begin == std::string_view::npos) return;
  const std::string_view list = trim(text.substr(begin + kExpect.size()));
  if (list.find_first_of("\"'") != std::string_view::npos) return;  // not the line's last word: it stands in a string
  result.stated = true;
  if (list == "nothing") return;
  for_each_part(list, ',', [&](std::string_view part) {
    if (std::optional<Expectation> expectation = parse_expectation(part, line))
      result.diagnostics.insert(std::move(*expectation));
    else
      result.unreadable_lines.push_back(line);
  });
}

Expectation place_of(const Diagnostic& diagnostic) {
  return {diagnostic.place.line, diagnostic.place.column, diagnostic.code};
}

bool covers(const Expectations& expected, const std::string& path, const Diagnostic& diagnostic) {
  return diagnostic.place.file == path && expected.diagnostics.contains(place_of(diagnostic));
}

std::string place_text(const std::string& path, int line, int column) {
  return path + ":" + std::to_string(line) + ":" + std::to_string(column) + ": ";
}

}  // namespace

Expectations read_expectations(std::string_view text) {
  Expectations result;
  int line = 0;
  for_each_part(text, '\n', [&](std::string_view part) { read_line(part, ++line, result); });
  return result;
}

bool covers(const Expectations& expected, const std::string& path, const std::vector<Diagnostic>& reported) {
  return std::all_of(reported.begin(), reported.end(),
                     [&](const Diagnostic& diagnostic) { return covers(expected, path, diagnostic); });
}

std::vector<std::string> differences(const std::string& path, const Expectations& expected,
                                     const std::vector<Diagnostic>& reported, bool complete) {
  std::vector<std::string> lines;
  for (const int line : expected.unreadable_lines)
    lines.push_back(path + ":" + std::to_string(line) + ": an expectation is written `# expect: E0203 @ 13`");
  std::set<Expectation> missing = expected.diagnostics;
  std::set<std::string> unexpected;  // a specialisation may repeat what another said
  for (const Diagnostic& diagnostic : reported) {
    missing.erase(place_of(diagnostic));
    if (covers(expected, path, diagnostic)) continue;
    unexpected.insert(place_text(diagnostic.place.file, diagnostic.place.line, diagnostic.place.column) +
                      "not expected: " + diagnostic.code + ": " + diagnostic.message);
  }
  lines.insert(lines.end(), unexpected.begin(), unexpected.end());
  if (!complete) return lines;
  for (const Expectation& expectation : missing)
    lines.push_back(place_text(path, expectation.line, expectation.column) + "expected " + expectation.code +
                    ", which was not reported");
  return lines;
}

}  // namespace pykc::cli
