#include "golden_file.h"

#include <cstdlib>
#include <map>
#include <regex>

namespace pykc::golden {

namespace {

constexpr std::string_view kRun = "# RUN:";
constexpr std::string_view kExpected = "# |";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// Words between spaces; a word may stand between double quotes.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = text.find_first_not_of(' '); i < text.size(); i = text.find_first_not_of(' ', i)) {
    const bool is_quoted = text[i] == '"';
    const std::size_t begin = is_quoted ? i + 1 : i;
    const std::size_t end = std::min(text.find(is_quoted ? '"' : ' ', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    i = std::min(is_quoted ? end + 1 : end, text.size());
  }
  return words;
}

Run parse_run(std::string_view line) {
  Run run;
  const std::vector<std::string> words = words_of(line);
  if (words.empty()) run.mistake = "the RUN line names no command";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (i == 0)
      run.command = words[i];
    else if (words[i] == "--function" && has_value)
      run.function = words[++i];
    else if (words[i] == "--target" && has_value)
      run.options.target = words[++i];
    else if (words[i] == "-O" && has_value)
      run.options.optimization = std::atoi(words[++i].c_str());
    else if (words[i] == "--sig" && has_value)
      run.options.signatures.push_back(words[++i]);
    else
      run.mistake = "the RUN line has an unknown option " + words[i];
  }
  return run;
}

std::size_t indentation_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

bool is_drawing(const std::string& line) {
  static const std::regex drawing(R"(#(~* | *\^+ )(error E|warning W)\d{4}: .*|# +(note|help): .*)");
  return std::regex_match(line, drawing);
}

std::string draw(const Diagnostic& diagnostic, const std::string& source_line) {
  const SourcePlace& place = diagnostic.place;
  int line_end = 1;
  for (const char c : source_line) line_end += (c & 0xC0) == 0x80 ? 0 : 1;
  const int end = place.end_line == place.line ? place.end_column : line_end;
  const auto width = static_cast<std::size_t>(std::max(end - place.column, 1));
  std::string text = "#";
  if (place.column == 1)
    text.append(width - 1, '~');
  else
    text.append(static_cast<std::size_t>(place.column - 2), ' ').append(width, '^');
  text +=
      (diagnostic.severity == Severity::Error ? " error " : " warning ") + diagnostic.code + ": " + diagnostic.message;
  const std::string margin = "\n#" + std::string(static_cast<std::size_t>(std::max(place.column - 2, 1)), ' ');
  for (const DiagnosticLabel& label : diagnostic.labels)
    text += margin + "note: line " + std::to_string(label.place.line) + ": " + label.text;
  for (const std::string& note : diagnostic.notes) text += margin + "note: " + note;
  if (!diagnostic.fix.empty()) text += margin + "help: " + diagnostic.fix;
  return text;
}

}  // namespace

GoldenFile parse_golden_file(const std::string& text) {
  GoldenFile file;
  file.run.mistake = "there is no RUN line";
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(kRun)) file.run = parse_run(std::string_view(line).substr(kRun.size()));
    if (!line.starts_with(kExpected))
      file.source += line + '\n';
    else
      file.expected += (line.size() > 4 ? line.substr(4) : "") + '\n';
  }
  return file;
}

std::string with_expected(const GoldenFile& file, const std::string& output) {
  std::string text = file.source;
  for (const std::string& line : lines_of(output)) (text += kExpected) += (line.empty() ? "" : " ") + line + '\n';
  return text;
}

std::string function_part(const std::string& output, const std::string& function) {
  const std::regex start("( *)(FunctionDef |kernel @?|function |device @)" + function + "(\\W.*)?");
  std::string part;
  std::size_t indentation = 0;
  for (const std::string& line : lines_of(output)) {
    if (part.empty()) {
      if (!std::regex_match(line, start)) continue;
      indentation = indentation_of(line);
    } else if (indentation_of(line) <= indentation && !line.empty()) {
      if (line == "}") part += "}\n";
      break;
    }
    part += line + '\n';
  }
  return part;
}

std::string without_drawings(const std::string& source) {
  std::string text;
  for (const std::string& line : lines_of(source))
    if (!is_drawing(line)) text += line + '\n';
  return text;
}

std::string with_drawings(const std::string& source, const std::vector<Diagnostic>& diagnostics) {
  std::multimap<int, const Diagnostic*> by_line;
  for (const Diagnostic& diagnostic : diagnostics) by_line.emplace(diagnostic.place.line, &diagnostic);
  const std::vector<std::string> lines = lines_of(source);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + '\n';
    const auto [begin, end] = by_line.equal_range(static_cast<int>(i) + 1);
    for (auto it = begin; it != end; ++it) text += draw(*it->second, lines[i]) + '\n';
  }
  // What is reported behind the last line.
  const auto behind = by_line.upper_bound(static_cast<int>(lines.size()));
  for (auto it = behind; it != by_line.end(); ++it) text += draw(*it->second, "") + '\n';
  return text;
}

}  // namespace pykc::golden
