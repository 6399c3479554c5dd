// The messages of the catalogue, and what fills them. A message has holes:
//
//   {}        text as it stands: words, or a description that quotes code itself ("`len`", "an array")
//   {code}    a piece of a program; the formatter puts the backticks around it
//   {number}  an integer
//
// Whether the arguments of a report fit the holes of its message is checked when the call is compiled.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace pykc {

enum class DiagnosticId : std::uint16_t {
#define DIAGNOSTIC(id, code, severity, message, explanation) id,
#include "base/diagnostics.def"
};

inline constexpr std::string_view kDiagnosticMessages[] = {
#define DIAGNOSTIC(id, code, severity, message, explanation) message,
#include "base/diagnostics.def"
};

inline constexpr std::string_view kDiagnosticCodes[] = {
#define DIAGNOSTIC(id, code, severity, message, explanation) code,
#include "base/diagnostics.def"
};

enum class HoleKind : std::uint8_t { Text, Code, Number };

struct Hole {
  HoleKind kind;
  std::size_t begin, end;  // where it stands in the message
};

/// The first hole of a text.
constexpr std::optional<Hole> find_hole(std::string_view text) {
  constexpr std::string_view kSpellings[] = {"{}", "{code}", "{number}"};  // in the order of HoleKind
  for (std::size_t begin = text.find('{'); begin != text.npos; begin = text.find('{', begin + 1))
    for (const HoleKind kind : {HoleKind::Text, HoleKind::Code, HoleKind::Number}) {
      const std::string_view spelling = kSpellings[static_cast<std::size_t>(kind)];
      if (text.substr(begin).starts_with(spelling)) return Hole{kind, begin, begin + spelling.size()};
    }
  return std::nullopt;
}

/// Are all braces those of holes, the backticks paired, and those around a hole that is code left to the formatter?
constexpr bool is_well_formed(std::string_view message) {
  bool is_in_code = false;
  const auto is_plain = [&](std::string_view text) {
    for (const char c : text) is_in_code ^= c == '`';
    return text.find_first_of("{}") == text.npos;
  };
  while (const std::optional<Hole> hole = find_hole(message)) {
    if (!is_plain(message.substr(0, hole->begin))) return false;
    const bool has_own_quotes =
        message.substr(0, hole->begin).ends_with('`') && message.substr(hole->end).starts_with('`');
    if (is_in_code && (hole->kind == HoleKind::Code || has_own_quotes)) return false;
    message.remove_prefix(hole->end);
  }
  return is_plain(message) && !is_in_code;
}

enum class ArgumentKind : std::uint8_t { Text, Number };

/// Does a message have one hole for each argument, of its kind and in this order?
constexpr bool takes(std::string_view message, std::initializer_list<ArgumentKind> arguments) {
  for (const ArgumentKind argument : arguments) {
    const std::optional<Hole> hole = find_hole(message);
    if (!hole || (hole->kind == HoleKind::Number) != (argument == ArgumentKind::Number)) return false;
    message.remove_prefix(hole->end);
  }
  return !find_hole(message);
}

/// Is not constexpr: the compiler's error names it where a report does not fit its message.
void the_arguments_do_not_fit_the_message();

/// The id of a diagnostic whose message takes arguments of these kinds. Made of any other, it does not compile.
template <ArgumentKind... kKinds>
class DiagnosticTaking {
 public:
  consteval DiagnosticTaking(DiagnosticId id) : id_(id) {
    if (!takes(kDiagnosticMessages[static_cast<std::size_t>(id)], {kKinds...})) the_arguments_do_not_fit_the_message();
  }
  constexpr operator DiagnosticId() const { return id_; }

 private:
  DiagnosticId id_;
};

template <typename T>
concept MessageNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;
template <typename T>
concept MessageText = std::convertible_to<const T&, std::string_view>;

template <typename T>
requires(MessageNumber<T> || MessageText<T>) inline constexpr ArgumentKind kArgumentKind = MessageNumber<T>
                                                                                               ? ArgumentKind::Number
                                                                                               : ArgumentKind::Text;

/// The identity: a call's Arguments are deduced from what fills the holes, never from the id.
template <typename... Arguments>
using DiagnosticFor = std::type_identity_t<DiagnosticTaking<kArgumentKind<Arguments>...>>;

/// What fills a hole; a text is not owned.
using MessageArgument = std::variant<std::string_view, std::int64_t>;

template <typename T>
MessageArgument message_argument(const T& value) {
  if constexpr (MessageNumber<T>)
    return static_cast<std::int64_t>(value);
  else
    return std::string_view(value);
}

/// The message with its holes filled. Long texts are cut.
std::string fill_message(std::string_view message, std::span<const MessageArgument> arguments);

/// The message with an ellipsis in each hole.
std::string headline(std::string_view message);

}  // namespace pykc
