// Reads the text form word by word: numbers, names, types and descriptions. The first error ends the text.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/text/scanner.h"

namespace pykc::ir {

class TextCursor {
 protected:
  TextCursor(std::string_view text, std::vector<std::string>& errors) : scanner_(text), errors_(errors) { advance(); }

  void advance();
  bool has_failed() const { return failed_; }
  /// After the first error the text counts as ended, so that every loop ends by itself.
  void fail(const std::string& message);
  /// What was wrong stands before the current word.
  void fail_before(const std::string& message) { fail_at(last_line_, message); }
  void fail_at(int line, const std::string& message);

  bool accept(std::string_view punctuation);
  bool accept_name(std::string_view name);
  void expect(std::string_view punctuation);
  std::string expect_text(TextToken::Kind kind, std::string_view what);
  std::string expect_identifier();
  template <typename Number>
  Number expect_number();
  /// The number of the word in `words`.
  template <typename Words>
  int expect_one_of(const Words& words, std::string_view what);

  ScalarType parse_scalar();
  ElementType parse_element_type();
  Type parse_type();
  LaunchExpression parse_launch_expression();
  std::vector<std::int64_t> parse_extents();
  ArrayStorage parse_storage();
  /// The bytes that a string of hexadecimal digits stands for.
  std::string parse_hex();

  TextToken token_;

 private:
  RecordType parse_record(RecordType::Kind kind);

  TextScanner scanner_;
  std::vector<std::string>& errors_;
  bool failed_ = false;
  int record_depth_ = 0;
  int last_line_ = 1;  // of the word before the current one
};

template <typename Number>
Number TextCursor::expect_number() {
  Number value{};
  const char* last = token_.text.data() + token_.text.size();
  const auto [end, error] = std::from_chars(token_.text.data(), last, value);
  if (token_.kind != TextToken::Kind::Number || error != std::errc{} || end != last) {
    fail("expected a number before '" + token_.text + "'");
    return {};
  }
  advance();
  return value;
}

template <typename Words>
int TextCursor::expect_one_of(const Words& words, std::string_view what) {
  int index = 0;
  for (const std::string_view word : words) {
    if (accept_name(word)) return index;
    ++index;
  }
  fail("'" + token_.text + "' is no " + std::string(what));
  return 0;
}

}  // namespace pykc::ir
