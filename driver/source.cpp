// Text that stands inside a C++ file.
#include "pykc/source.h"

#include <algorithm>

#include "base/errors.h"
#include "driver/driver.h"

namespace pykc {
namespace {

constexpr std::string_view kWhiteSpace = " \t";

std::string_view common_start(std::string_view a, std::string_view b) {
  return a.substr(0, static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin()));
}

/// Calls `visit` with each line, its end included.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    visit(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// The white space at the start of every line that holds anything.
std::string common_indentation(std::string_view lines) {
  std::optional<std::string_view> common;
  for_each_line(lines, [&](std::string_view line) {
    const std::size_t first = line.find_first_not_of(kWhiteSpace);
    if (first == std::string_view::npos || line[first] == '\n' || line[first] == '\r') return;
    common = common ? common_start(*common, line.substr(0, first)) : line.substr(0, first);
  });
  return std::string(common.value_or(std::string_view()));
}

std::string without_indentation(std::string_view lines, std::string_view indentation) {
  std::string result;
  for_each_line(lines, [&](std::string_view line) {
    result += line.starts_with(indentation) ? line.substr(indentation.size()) : line;  // else it is blank
  });
  return result;
}

bool opens_block(std::string_view line) {
  const std::string_view code = line.substr(0, line.find('#'));
  const std::size_t last = code.find_last_not_of(" \t\r\n");
  return last != std::string_view::npos && code[last] == ':';
}

}  // namespace

driver::Dedented driver::dedent(const std::string& text) {
  constexpr std::size_t kBlock = 4;
  const std::size_t first_line = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view others = std::string_view(text).substr(first_line);
  std::string indentation = common_indentation(others);
  const std::size_t next = others.find_first_not_of("\r\n");
  const bool is_all_block =
      next != std::string_view::npos && others.find_first_not_of(kWhiteSpace, next) == next + indentation.size();
  if (is_all_block && opens_block(std::string_view(text).substr(0, first_line)))
    indentation.resize(indentation.size() - std::min(kBlock, indentation.size()));
  return {text.substr(0, first_line) + without_indentation(others, indentation), std::move(indentation)};
}

Source::Source(Literal literal) : name_(std::move(literal.name)), line_(literal.line) {
  driver::Dedented dedented = driver::dedent(literal.text);
  text_ = std::move(dedented.text);
  indentation_ = std::move(dedented.indentation);
}

Result<Source> Source::read(const std::string& path) try {
  ASSIGN_OR_RETURN(const std::shared_ptr<const SourceFile> file, driver::read_source(path));
  return Source(std::string(file->text()), path);
} catch (...) {
  return error_in_flight();
}

Source Source::followed_by(std::string_view text) const {
  Source longer = *this;
  longer.text_ += text;
  return longer;
}

std::shared_ptr<const SourceFile> driver::source_file(const Source& source) {
  return std::make_shared<const SourceFile>(
      source.name(), source.text(), SourceFile::Origin{.line = source.line(), .indentation = source.indentation()});
}

}  // namespace pykc
