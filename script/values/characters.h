// A string of host code as the sequence that it is in Python: of characters, while its memory holds UTF-8.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace pykc::script {

/// The characters of a text, each as the bytes that it has there. Bytes that continue nothing belong to what stands in
/// front of them.
class Characters {
 public:
  explicit Characters(std::string_view text);
  std::size_t size() const { return starts_.empty() ? text_.size() : starts_.size() - 1; }
  std::string_view operator[](std::size_t i) const;
  /// The first of them, at most so many.
  std::string_view first(std::size_t count) const;

 private:
  std::size_t start(std::size_t i) const { return starts_.empty() ? i : starts_[i]; }

  std::string_view text_;
  std::vector<std::size_t> starts_;  // and the text's end; empty where each byte is a character
};

}  // namespace pykc::script
