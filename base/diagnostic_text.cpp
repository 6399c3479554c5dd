// How a diagnostic looks:
//
//   vecadd.pyk:3:9: error E0201: `blockdim` is not defined
//     3 |     i = blockdim.x
//       |         ^^^^^^^^
//   help: write `blockDim`
//
// A source line is shown as it stands, but for what would move the carets away from the code or play tricks on a
// terminal: a tab becomes four spaces, a control character or broken UTF-8 becomes U+FFFD. A caret is as wide as the
// character above it.
#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "pykc/diagnostic.h"

namespace pykc {

namespace {

constexpr std::string_view kReplacement = "\uFFFD";

struct Style {
  bool color;
  std::string paint(const char* ansi, const std::string& text) const {
    return color ? "\x1b[" + std::string(ansi) + "m" + text + "\x1b[0m" : text;
  }
};
constexpr const char* kBold = "1";
constexpr const char* kBlue = "1;34";
constexpr const char* kCyan = "1;36";

struct SeverityLook {
  const char* word;
  const char* ansi;
};
SeverityLook look_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return {"error", "1;31"};
    case Severity::Warning:
      return {"warning", "1;35"};
    case Severity::Note:
      break;
  }
  return {"note", kCyan};
}

struct WidthRange {
  char32_t first, last;
  int width;
};
// What does not take one cell of a terminal: combining marks none, East Asian characters and emoji two.
constexpr WidthRange kWidths[] = {
    {0x0300, 0x036F, 0},   {0x1100, 0x115F, 2},   {0x200B, 0x200F, 0},   {0x20D0, 0x20FF, 0},
    {0x2E80, 0x303E, 2},   {0x3041, 0xA4CF, 2},   {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2},
    {0xFE00, 0xFE0F, 0},   {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},   {0xFFE0, 0xFFE6, 2},
    {0x1F300, 0x1F64F, 2}, {0x1F680, 0x1F6FF, 2}, {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2},
};
int width_of(char32_t code_point) {
  for (const WidthRange& range : kWidths)
    if (code_point >= range.first && code_point <= range.last) return range.width;
  return 1;
}

/// One character of a source line as it is shown.
struct Glyph {
  std::string text;
  int width;
  std::size_t bytes;
  int columns;  // a stray UTF-8 continuation byte has no column of its own
};
Glyph glyph_at(std::string_view line, std::size_t offset) {
  const CodePoint point = decode_utf8(line, offset);
  if (point.bytes == 0) return {std::string(kReplacement), 1, 1, is_utf8_continuation(line[offset]) ? 0 : 1};
  const auto bytes = static_cast<std::size_t>(point.bytes);
  if (point.value == '\t') return {"    ", 4, 1, 1};
  const bool is_control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0) ||
                          (point.value >= 0x202A && point.value <= 0x202E) ||
                          (point.value >= 0x2066 && point.value <= 0x2069);
  if (is_control) return {std::string(kReplacement), 1, bytes, 1};
  return {std::string(line.substr(offset, bytes)), width_of(point.value), bytes, 1};
}

/// Messages quote source text, so they are cleaned like source lines.
std::string clean(std::string_view text) {
  std::string result;
  for (std::size_t offset = 0; offset < text.size();) {
    const Glyph glyph = glyph_at(text, offset);
    result += text[offset] == '\n' ? "\n" : glyph.text;
    offset += glyph.bytes;
  }
  return result;
}

/// The source line with its number, and under it the markers.
std::string excerpt(const SourcePlace& place, char marker, const char* ansi, const Style& style) {
  const bool ends_here = place.end_line == place.line;
  std::string shown, markers;
  int column = place.source_line_column;
  for (std::size_t offset = 0; offset < place.source_line.size();) {
    const Glyph glyph = glyph_at(place.source_line, offset);
    const bool marked = column >= place.column && (!ends_here || column < place.end_column);
    if (marked) markers.append(static_cast<std::size_t>(glyph.width), marker);
    if (column < place.column) markers.append(static_cast<std::size_t>(glyph.width), ' ');
    shown += glyph.text;
    column += glyph.columns;
    offset += glyph.bytes;
  }
  if (markers.find(marker) == std::string::npos) markers += marker;  // an empty range, or the end of the line
  const std::size_t first = markers.find(marker);
  const std::string number = std::to_string(place.line);
  const std::string gutter(std::max<std::size_t>(number.size(), 3), ' ');
  return style.paint(kBlue, gutter.substr(number.size()) + number + " |") + (shown.empty() ? "" : " " + shown) + "\n" +
         style.paint(kBlue, gutter + " |") + " " + markers.substr(0, first) + style.paint(ansi, markers.substr(first)) +
         "\n";
}

std::string where(const SourcePlace& place) {
  if (place.line == 0) return place.file + ": ";
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

/// A fix that is a piece of code is put between backticks; one that has backticks of its own is a sentence.
std::string help(const std::string& fix) {
  return fix.find('`') == std::string::npos ? "write " + as_code(clean(fix)) : clean(fix);
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic, bool color) {
  const Style style{color};
  const SeverityLook look = look_of(diagnostic.severity);
  std::string heading = look.word;
  if (!diagnostic.code.empty()) heading += " " + diagnostic.code;
  std::string text = style.paint(kBold, where(diagnostic.place)) + style.paint(look.ansi, heading + ":") + " " +
                     style.paint(kBold, clean(diagnostic.message)) + "\n";
  if (diagnostic.place.line > 0) text += excerpt(diagnostic.place, '^', look.ansi, style);
  for (const DiagnosticLabel& label : diagnostic.labels) {
    text += style.paint(kBold, where(label.place)) + style.paint(kCyan, "note:") + " " + clean(label.text) + "\n";
    if (label.place.line > 0) text += excerpt(label.place, '-', kCyan, style);
  }
  for (const std::string& note : diagnostic.notes) text += style.paint(kCyan, "note:") + " " + clean(note) + "\n";
  if (!diagnostic.fix.empty()) text += style.paint(kCyan, "help:") + " " + help(diagnostic.fix) + "\n";
  return text;
}

}  // namespace pykc
