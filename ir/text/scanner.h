// The words of the text form, one after the other.
#pragma once

#include <string>
#include <string_view>

namespace pykc::ir {

struct TextToken {
  enum class Kind : unsigned char { End, Name, Number, String, Punctuation, Broken };
  Kind kind = Kind::End;
  std::string text;          // String: decoded; Broken: what is wrong
  bool starts_line = false;  // the first word of its line
  int line = 1;

  bool is(std::string_view punctuation) const { return kind == Kind::Punctuation && text == punctuation; }
  bool is_name(std::string_view name) const { return kind == Kind::Name && text == name; }
};

class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}
  TextToken next();

 private:
  bool at_end() const { return position_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }
  bool skip_space();
  void scan_name(TextToken& token);
  void scan_number(TextToken& token);
  void scan_string(TextToken& token);
  bool scan_escape(std::string& out);
  void scan_punctuation(TextToken& token);

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
};

}  // namespace pykc::ir
