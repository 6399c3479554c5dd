// Source text and places in it.
//
// A SourceLocation is one 32-bit offset into the text of its file; line and column are worked out on demand, when a
// diagnostic is shown. Lines end as in Python: with "\n", "\r\n" or "\r".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/diagnostic.h"

namespace pykc {

/// Half-open range of byte offsets into one SourceFile.
struct SourceRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(SourceRange, SourceRange) = default;
};

/// The range from the start of `a` to the end of `b`.
constexpr SourceRange join(SourceRange a, SourceRange b) { return {a.begin, b.end}; }

class SourceFile {
 public:
  /// The lexer refuses a longer text. Of such a text only the start is kept, just long enough to be refused.
  static constexpr std::size_t kMaximumBytes = std::size_t{64} << 20;

  /// Where the text stands in a larger file, such as a string in C++ source: the line of its first character, and the
  /// white space that was taken off the start of each further line. Places are told as those of the larger file.
  struct Origin {
    int line = 1;
    std::string indentation = {};
    bool is_built_in = false;  // a module of the library that comes with the compiler
  };
  static Origin built_in() { return {.is_built_in = true}; }

  SourceFile(std::string name, std::string text) : SourceFile(std::move(name), std::move(text), Origin()) {}
  SourceFile(std::string name, std::string text, Origin origin);

  const std::string& name() const { return name_; }
  const Origin& origin() const { return origin_; }
  std::string_view text() const { return text_; }
  std::string_view text(SourceRange range) const { return text().substr(range.begin, range.end - range.begin); }

  /// Line (from 1) and column (from 1, in code points) of an offset.
  struct LineColumn {
    int line, column;
  };
  LineColumn line_column(std::uint32_t offset) const;
  /// The text of a line without its newline.
  std::string_view line(int line_number) const;
  /// The range with everything that a reader needs. Of a very long line it holds only the part around the range.
  SourcePlace place(SourceRange range) const;

 private:
  /// How many code points begin before this offset.
  std::uint32_t code_points_before(std::uint32_t offset) const;

  /// White space that stood before the line in the larger file.
  std::string_view indentation_of(int line_number) const;

  std::string name_;
  std::string text_;
  Origin origin_;
  std::vector<std::uint32_t> line_starts_;
  std::vector<std::uint32_t> block_starts_;  // code points before each block of kBlockBytes, so that columns are cheap
};

}  // namespace pykc
