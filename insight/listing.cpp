#include "insight/listing.h"

#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"

namespace pykc::insight {
namespace {

int number_of(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// What stands behind `before`, up to `end`; nothing where `before` is not there.
std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view end) {
  const std::size_t found = text.find(before);
  if (found == std::string_view::npos) return std::nullopt;
  text.remove_prefix(found + before.size());
  return text.substr(0, text.find(end));
}

/// Names of files as places have them: debug information puts their folder in front.
std::string file_of(std::string_view name) { return std::string(name.starts_with("./") ? name.substr(2) : name); }

/// `.file 1 "./vecadd.pyk"`, for all files of PTX.
std::map<int, std::string> files_of(std::string_view ptx) {
  std::map<int, std::string> files;
  for_each_part(ptx, '\n', [&](std::string_view line) {
    if (const auto number = between(line, "\t.file\t", " "))
      files[number_of(*number)] = file_of(between(line, "\"", "\"").value_or(""));
  });
  return files;
}

/// Labels that begin and end what debuggers know.
bool is_for_tools(std::string_view line) { return line.starts_with("$L__tmp") || line.starts_with("$L__func_"); }

}  // namespace

Listing list_ir(std::string_view ir) {
  Listing listing;
  for_each_part(ir, '\n', [&](std::string_view line) {
    const std::size_t comment = line.rfind("  // "), colon = line.rfind(':');
    const bool has_place = comment < colon && colon != std::string_view::npos && is_digit(line.back());
    if (!has_place) return listing.push_back({std::string(line)});
    const std::string_view file = line.substr(comment + 5, colon - comment - 5);
    listing.push_back({std::string(line.substr(0, comment)), std::string(file), number_of(line.substr(colon + 1))});
  });
  return listing;
}

Listing list_ptx(std::string_view ptx, std::string_view symbol) {
  const std::map<int, std::string> files = files_of(ptx);
  const std::string entry = ".entry " + std::string(symbol) + "(";
  Listing listing;
  ListedLine place;
  bool is_inside = false;
  for_each_part(ptx, '\n', [&](std::string_view line) {
    is_inside |= line.find(entry) != std::string_view::npos;
    if (!is_inside || is_for_tools(line)) return;
    if (const auto location = between(line, "\t.loc\t", ",")) {
      const auto file = files.find(number_of(*location));
      const int number = number_of(between(*location, " ", " ").value_or(""));
      place = file == files.end() ? ListedLine() : ListedLine{"", file->second, number};
      return;
    }
    const bool is_code = line.starts_with('\t') && !line.starts_with("\t.");
    if (!trim(line).empty())
      listing.push_back(is_code ? ListedLine{std::string(line.substr(1)), place.file, place.line}
                                : ListedLine{std::string(line)});
    if (line == "}") is_inside = false;
  });
  return listing;
}

Listing list_sass(std::string_view sass, std::string_view symbol) {
  const std::string section = "\t.section\t.text." + std::string(symbol) + ",";
  Listing listing;
  ListedLine place;
  bool is_inside = false;
  for_each_part(sass, '\n', [&](std::string_view line) {
    if (line.starts_with("\t.section")) is_inside = line.starts_with(section);
    if (!is_inside) return;
    if (const auto file = between(line, "//## File \"", "\"")) {
      place = {"", file_of(*file), number_of(between(line, "\", line ", " ").value_or(""))};
    } else if (const auto address = between(line, "        /*", "*/")) {
      constexpr std::size_t kMargin = 12;  // blanks of what is left of predicates
      const std::size_t code = std::min(line.size(), line.find("*/") + 2 + kMargin);
      const std::string_view text = line.substr(code, line.find_last_not_of(" ;") + 1 - code);
      listing.push_back({std::string(*address) + std::string(text), place.file, place.line});
    } else if (line.starts_with(".L_")) {
      listing.push_back({std::string(line)});
    }
  });
  while (!listing.empty() && (listing.back().text.ends_with(" NOP") || listing.back().text.ends_with(':')))
    listing.pop_back();  // what fills the section up
  return listing;
}

}  // namespace pykc::insight
