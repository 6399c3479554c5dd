// Kernels that stand in C++ source as raw strings, and are compiled when the program runs.
//
//   using namespace pykc::literals;
//   const pykc::Source saxpy = R"pyk(
//     @kernel
//     def saxpy(a: T, x: T[:], y: T[:]):
//         i = grid(1)
//         if i < len(x):
//             y[i] += a * x[i]
//   )pyk"_pyk;
//   auto artifact = pykc::compile(saxpy, {.target = "sm_90", .constants = {{"T", pykc::ScalarType::F32}}});
//
// Diagnostics, and the messages of a kernel's asserts, name the C++ file and the line in it. The text may be indented
// as the code around it is: the white space that all its lines begin with is taken off, but for text on the line of the
// opening quote, whose columns count from the quote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "pykc/artifact.h"
#include "pykc/compiler.h"
#include "pykc/error.h"

namespace [[gnu::visibility("default")]] pykc {

/// A string of a C++ file and where it stands: what `R"pyk(…)pyk"_pyk` gives. All of it is worked out by the C++
/// compiler.
template <std::size_t N>
struct SourceLiteral {
  static constexpr std::size_t kLongestName = 255;  // of a longer one its end is kept
  char text[N] = {};
  char file[kLongestName + 1] = {};
  std::uint_least32_t line = 0;

  // By builtins: clang 14 lacks what libstdc++ makes std::source_location of.
  consteval SourceLiteral(const char (&string)[N], const char* name = __builtin_FILE(),
                          std::uint_least32_t place = __builtin_LINE())
      : line(place) {
    for (std::size_t i = 0; i < N; ++i) text[i] = string[i];
    std::size_t length = 0;
    while (name[length] != '\0') ++length;
    const std::size_t first = length > kLongestName ? length - kLongestName : 0;
    for (std::size_t i = first; i < length; ++i) file[i - first] = name[i];
  }
};

inline namespace literals {
/// The location is that of the literal, since it is here that the compiler makes a SourceLiteral of it.
template <SourceLiteral Literal>
consteval auto operator""_pyk() {
  return Literal;
}
}  // namespace literals

/// Source text of kernels, with its name and place. A value: copies are independent.
class Source {
 public:
  static constexpr std::string_view kNoName = "<memory>";
  /// `name` is what diagnostics show. Imports are looked for in its folder; one in brackets has none.
  explicit Source(std::string text, std::string name = std::string(kNoName))
      : text_(std::move(text)), name_(std::move(name)) {}
  /// A part of a larger file, such as a function of a Python program: the line of the file on which the text begins, 0
  /// or less where lines were put before it, and the white space that was taken off its lines.
  Source(std::string text, std::string name, int line, std::string indentation)
      : text_(std::move(text)), name_(std::move(name)), indentation_(std::move(indentation)), line_(line) {}
  template <std::size_t N>
  Source(const SourceLiteral<N>& literal)
      : Source(Literal{std::string(literal.text, N - 1), literal.file, static_cast<int>(literal.line)}) {}
  /// A .pyk file.
  static Result<Source> read(const std::string& path);

  /// The source with more text behind it.
  Source followed_by(std::string_view text) const;

  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  /// The line of the file `name` on which the text begins, and the white space that was taken off its further lines.
  int line() const { return line_; }
  const std::string& indentation() const { return indentation_; }

 private:
  struct Literal {
    std::string text, name;
    int line;
  };
  explicit Source(Literal literal);  // takes the indentation off
  std::string text_;
  std::string name_;
  std::string indentation_;
  int line_ = 1;
};

Result<Artifact> compile(const Source& source, const CompileOptions& options = {});
Result<CompileOutput> compile_to(Emit emit, const Source& source, const CompileOptions& options = {});

}  // namespace pykc
