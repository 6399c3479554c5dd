#include "script/values/characters.h"

#include <algorithm>

#include "base/utf8.h"

namespace pykc::script {

Characters::Characters(std::string_view text) : text_(text) {
  if (std::ranges::none_of(text, is_utf8_continuation)) return;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 0 || !is_utf8_continuation(text[i])) starts_.push_back(i);
  starts_.push_back(text.size());
}

std::string_view Characters::operator[](std::size_t i) const { return text_.substr(start(i), start(i + 1) - start(i)); }

std::string_view Characters::first(std::size_t count) const { return text_.substr(0, start(std::min(count, size()))); }

}  // namespace pykc::script
