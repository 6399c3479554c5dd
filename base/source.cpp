#include "base/source.h"

#include <algorithm>

namespace pykc {

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
}

SourceFile::LineColumn SourceFile::line_column(std::uint32_t offset) const {
  auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const int line = static_cast<int>(after - line_starts_.begin());
  int column = 1;
  for (std::uint32_t i = line_starts_[static_cast<std::size_t>(line - 1)]; i < offset && i < text_.size(); ++i)
    if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) ++column;
  return {line, column};
}

std::string_view SourceFile::line(int line_number) const {
  const std::size_t begin = line_starts_[static_cast<std::size_t>(line_number - 1)];
  std::size_t end = text_.find('\n', begin);
  if (end == std::string::npos) end = text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

SourcePlace SourceFile::place(SourceRange range) const {
  const LineColumn begin = line_column(range.begin), end = line_column(range.end);
  return {name_, begin.line, begin.column, end.line, end.column, std::string(line(begin.line))};
}

}  // namespace pykc
