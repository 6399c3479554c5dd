// The methods of strings: those of Python's that need no tables of characters.
#include <algorithm>
#include <functional>

#include "script/functions/functions.h"
#include "script/functions/indexing.h"
#include "script/values/characters.h"

namespace pykc::script {
namespace {

bool is_too_long(const std::string& text) { return static_cast<std::int64_t>(text.size()) > kLongestSequence; }

/// What a method makes, unless it is longer than a program may have it.
Outcome<Value> text_of(std::string text) {
  if (is_too_long(text)) return fail(DiagnosticId::HostSequenceTooLong, static_cast<std::int64_t>(text.size()));
  return Value(std::move(text));
}

constexpr std::uint32_t kString = in(Library::StringMethod);

/// What Python's `str.isspace` is true for.
bool is_space(std::string_view character) {
  static constexpr std::string_view kSpaces[] = {
      " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\x1c",   "\x1d",   "\x1e",   "\x1f",
      "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
      "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  return std::ranges::find(kSpaces, character) != std::end(kSpaces);
}

/// Where the characters begin and end that `chars`, or else white space, leave at the sides.
template <bool kLeft, bool kRight>
Outcome<Value> strip(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string text, arguments.text(0));
  std::string chars;
  if (!arguments.is_none(1)) {
    ASSIGN_OR_RETURN(chars, arguments.text(1));
  }
  const Characters characters(text), taken(chars);
  const auto goes = [&](std::string_view character) {
    if (arguments.is_none(1)) return is_space(character);
    for (std::size_t i = 0; i < taken.size(); ++i)
      if (taken[i] == character) return true;
    return false;
  };
  std::size_t begin = 0, end = characters.size();
  while (kLeft && begin < end && goes(characters[begin])) ++begin;
  while (kRight && begin < end && goes(characters[end - 1])) --end;
  const std::size_t first_byte = characters.first(begin).size();
  return Value(text.substr(first_byte, characters.first(end).size() - first_byte));
}

/// Words between white space.
Value words_of(const std::string& text, std::int64_t most) {
  const Characters characters(text);
  std::vector<Value> words;
  std::size_t i = 0;
  while (true) {
    while (i < characters.size() && is_space(characters[i])) ++i;
    if (i == characters.size()) break;
    const std::size_t begin = i;
    const bool is_rest = most >= 0 && static_cast<std::int64_t>(words.size()) == most;
    while (i < characters.size() && (is_rest || !is_space(characters[i]))) ++i;
    std::size_t end = i;
    while (is_rest && is_space(characters[end - 1])) --end;
    const std::size_t first_byte = characters.first(begin).size();
    words.emplace_back(text.substr(first_byte, characters.first(end).size() - first_byte));
  }
  return make_list(std::move(words));
}

Outcome<Value> split(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string text, arguments.text(0));
  ASSIGN_OR_RETURN(const std::int64_t most, arguments.integer(2));
  if (arguments.is_none(1)) return words_of(text, most);
  ASSIGN_OR_RETURN(const std::string separator, arguments.text(1));
  if (separator.empty()) return arguments.wrong_type(1, "text that is not empty");
  std::vector<Value> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator);
       end != std::string::npos && (most < 0 || static_cast<std::int64_t>(parts.size()) < most);
       end = text.find(separator, begin)) {
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.emplace_back(text.substr(begin));
  return make_list(std::move(parts));
}

Outcome<Value> join(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string separator, arguments.text(0));
  ASSIGN_OR_RETURN(const std::vector<Value> items, all_items(arguments[1]));
  std::string joined;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto* text = items[i].as<std::string>();
    if (!text) return fail(DiagnosticId::HostWrongType, "iterable` of `join", "of strings", "of " + describe(items[i]));
    joined += (i > 0 ? separator : "") + *text;
    if (is_too_long(joined)) break;
  }
  return text_of(std::move(joined));
}

/// One text, or a tuple of them.
template <bool (*kTest)(std::string_view, std::string_view)>
Outcome<Value> tests_end(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string text, arguments.text(0));
  if (const auto* one = arguments[1].as<std::string>()) return Value(kTest(text, *one));
  const auto* several = arguments[1].as<TupleValue>();
  if (!several) return arguments.wrong_type(1, "a string, or a tuple of strings");
  for (const Value& item : several->sequence->items) {
    const auto* one = item.as<std::string>();
    if (!one) return arguments.wrong_type(1, "a string, or a tuple of strings");
    if (kTest(text, *one)) return Value(true);
  }
  return Value(false);
}
bool starts(std::string_view text, std::string_view part) { return text.starts_with(part); }
bool ends(std::string_view text, std::string_view part) { return text.ends_with(part); }

Outcome<Value> replace(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string text, arguments.text(0));
  ASSIGN_OR_RETURN(const std::string old, arguments.text(1));
  ASSIGN_OR_RETURN(const std::string with, arguments.text(2));
  if (old.empty()) return arguments.wrong_type(1, "text that is not empty");
  std::string result;
  std::size_t begin = 0;
  for (std::size_t end = text.find(old); end != std::string::npos; end = text.find(old, begin)) {
    result += text.substr(begin, end - begin) + with;
    begin = end + old.size();
    if (is_too_long(result)) break;
  }
  return text_of(result + text.substr(begin));
}

Outcome<Value> find(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string text, arguments.text(0));
  ASSIGN_OR_RETURN(const std::string part, arguments.text(1));
  const std::size_t place = text.find(part);
  if (place == std::string::npos) return Value(std::int64_t{-1});
  return Value(static_cast<std::int64_t>(Characters(std::string_view(text).substr(0, place)).size()));
}

/// Letters of ASCII alone: what others become depends on tables.
template <int (*kChange)(int)>
Outcome<Value> changed(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::string text, arguments.text(0));
  if (std::ranges::any_of(text, [](unsigned char c) { return c >= 0x80; }))
    return arguments.wrong_type(0, "text of ASCII's characters");
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(kChange(c)); });
  return Value(std::move(text));
}
int to_upper(int c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; }
int to_lower(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

constexpr HostFunction kStringFunctions[] = {
    {"strip", kString, "self, chars=None", strip<true, true>,
     "Without white space, or these characters, at both ends."},
    {"lstrip", kString, "self, chars=None", strip<true, false>, "The same at the beginning."},
    {"rstrip", kString, "self, chars=None", strip<false, true>, "The same at the end."},
    {"split", kString, "self, sep=None, maxsplit=-1", split, "The parts between separators, or between white space."},
    {"join", kString, "self, iterable", join, "Strings put together, with this one between them."},
    {"startswith", kString, "self, prefix", tests_end<starts>, "Whether it begins with a string, or one of a tuple."},
    {"endswith", kString, "self, suffix", tests_end<ends>, "Whether it ends with a string, or one of a tuple."},
    {"replace", kString, "self, old, new", replace, "With `new` wherever `old` stands."},
    {"find", kString, "self, sub", find, "Where it stands first, or -1."},
    {"upper", kString, "self", changed<to_upper>, "In capitals, of text of ASCII's characters."},
    {"lower", kString, "self", changed<to_lower>, "In small letters, of text of ASCII's characters."},
};

}  // namespace

std::span<const HostFunction> string_functions() { return kStringFunctions; }

}  // namespace pykc::script
