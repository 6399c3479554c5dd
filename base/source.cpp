#include "base/source.h"

#include <algorithm>

#include "base/utf8.h"

namespace pykc {

namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLongestLineShown = 480;
constexpr std::size_t kShownBeforeRange = 80;

std::uint32_t count_code_points(std::string_view text) {
  return static_cast<std::uint32_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !is_utf8_continuation(byte); }));
}

bool ends_line(std::string_view text, std::size_t offset) {
  if (text[offset] == '\n') return true;
  return text[offset] == '\r' && (offset + 1 == text.size() || text[offset + 1] != '\n');
}

}  // namespace

SourceFile::SourceFile(std::string name, std::string text, Origin origin)
    : name_(std::move(name)), text_(std::move(text)), origin_(std::move(origin)) {
  if (text_.size() > kMaximumBytes) text_.resize(kMaximumBytes + 1);
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (ends_line(text_, i)) line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  std::uint32_t code_points = 0;
  for (std::size_t i = 0; i <= text_.size(); i += kBlockBytes) {
    block_starts_.push_back(code_points);
    code_points += count_code_points(std::string_view(text_).substr(i, kBlockBytes));
  }
}

std::uint32_t SourceFile::code_points_before(std::uint32_t offset) const {
  const std::size_t block = offset / kBlockBytes;
  const std::size_t begin = block * kBlockBytes;
  return block_starts_[block] + count_code_points(std::string_view(text_).substr(begin, offset - begin));
}

SourceFile::LineColumn SourceFile::line_column(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::uint32_t column = code_points_before(offset) - code_points_before(*(after - 1)) + 1;
  const int line = origin_.line + static_cast<int>(after - line_starts_.begin()) - 1;
  return {line, static_cast<int>(column + indentation_of(line).size())};
}

std::string_view SourceFile::indentation_of(int line_number) const {
  return line_number == origin_.line ? std::string_view() : std::string_view(origin_.indentation);
}

std::string_view SourceFile::line(int line_number) const {
  const std::size_t index = static_cast<std::size_t>(line_number - origin_.line);
  const std::size_t begin = line_starts_[index];
  std::size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(begin, end - begin);
}

SourcePlace SourceFile::place(SourceRange range) const {
  const LineColumn begin = line_column(range.begin), end = line_column(range.end);
  SourcePlace place{name_, begin.line, begin.column, end.line, end.column, {}, 1};
  const std::string_view whole = line(begin.line);
  if (whole.size() <= kLongestLineShown) {
    place.source_line = std::string(indentation_of(begin.line)).append(whole);
    return place;
  }
  const std::uint32_t line_begin = line_starts_[static_cast<std::size_t>(begin.line - origin_.line)];
  const std::size_t offset = range.begin - line_begin;
  std::size_t first = offset - std::min(offset, kShownBeforeRange);
  while (first > 0 && first < whole.size() && is_utf8_continuation(whole[first])) --first;
  first = std::min(first, whole.size());
  place.source_line = abbreviate_utf8(whole.substr(first), kLongestLineShown);
  place.source_line_column = line_column(line_begin + static_cast<std::uint32_t>(first)).column;
  return place;
}

}  // namespace pykc
