#include "base/message.h"

#include "base/text.h"
#include "base/utf8.h"

namespace pykc {

namespace {

static_assert(std::ranges::all_of(kDiagnosticMessages, is_well_formed));

constexpr std::size_t kLongestArgument = 120;

std::string text_of(const MessageArgument& argument) {
  if (const auto* number = std::get_if<std::int64_t>(&argument)) return std::to_string(*number);
  return abbreviate_utf8(std::get<std::string_view>(argument), kLongestArgument);
}

/// The message with `text_in(i)` in its i-th hole.
template <typename TextIn>
std::string filled(std::string_view message, TextIn text_in) {
  std::string text;
  for (std::size_t i = 0; const std::optional<Hole> hole = find_hole(message); ++i) {
    text += message.substr(0, hole->begin);
    text += hole->kind == HoleKind::Code ? as_code(text_in(i)) : text_in(i);
    message.remove_prefix(hole->end);
  }
  return text += message;
}

}  // namespace

std::string fill_message(std::string_view message, std::span<const MessageArgument> arguments) {
  return filled(message, [&](std::size_t i) { return text_of(arguments[i]); });
}

std::string headline(std::string_view message) {
  return filled(message, [](std::size_t) { return std::string("…"); });
}

}  // namespace pykc
