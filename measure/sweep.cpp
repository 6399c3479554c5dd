#include "measure/sweep.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/errors.h"
#include "base/text.h"

namespace pykc::measure {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 48;  // elements that an axis has at most

Error misread(std::string_view text, const std::string& what) {
  return invalid_argument("`" + std::string(text) + "` is " + what);
}

/// Each part of a list; of a range, each of the values that double. `parse` reads one value.
template <typename T, typename Parse, typename Twice>
Result<std::vector<T>> parse_list(std::string_view text, Parse parse, Twice range) {
  std::vector<T> values;
  Result<void> parsed;
  for_each_part(text, ',', [&](std::string_view part) {
    if (!parsed) return;
    part = trim(part);
    if (const std::size_t dots = part.find(".."); dots != std::string_view::npos) {
      parsed = range(part.substr(0, dots), part.substr(dots + 2), values);
      return;
    }
    Result<T> value = parse(part);
    if (value)
      values.push_back(*value);
    else
      parsed = value.error();
  });
  if (!parsed) return parsed.error();
  return values;
}

Result<std::int64_t> parse_positive(std::string_view text) {
  Result<std::int64_t> value = parse_count(text);
  if (value && *value == 0) return misread(text, "no size: it must be at least 1");
  return value;
}

/// first, 2 * first, 4 * first … up to last.
Result<std::vector<std::int64_t>> doubling(std::string_view first_text, std::string_view last_text) {
  ASSIGN_OR_RETURN(const std::int64_t first, parse_positive(first_text));
  ASSIGN_OR_RETURN(const std::int64_t last, parse_positive(last_text));
  if (first > last)
    return misread(std::string(first_text) + ".." + std::string(last_text),
                   "an empty range: write the smaller number first");
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value *= 2) values.push_back(value);
  return values;
}

}  // namespace

Result<std::int64_t> parse_count(std::string_view text) {
  std::string digits(trim(text));
  std::erase(digits, '_');
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (!is_number || !(value >= 0) || value != std::floor(value) || value > static_cast<double>(kLargest))
    return misread(text, "no whole number from 0 to 2^48; write 65536, 65_536 or 1e6");
  return static_cast<std::int64_t>(value);
}

Result<std::vector<std::int64_t>> parse_sizes(std::string_view text) {
  return parse_list<std::int64_t>(
      text, parse_positive,
      [](std::string_view first, std::string_view last, std::vector<std::int64_t>& sizes) -> Result<void> {
        ASSIGN_OR_RETURN(const std::vector<std::int64_t> range, doubling(first, last));
        sizes.insert(sizes.end(), range.begin(), range.end());
        return {};
      });
}

Result<std::vector<Dim3>> parse_blocks(std::string_view text) {
  return parse_list<Dim3>(text, parse_extents,
                          [](std::string_view first, std::string_view last, std::vector<Dim3>& blocks) -> Result<void> {
                            ASSIGN_OR_RETURN(const std::vector<std::int64_t> range, doubling(first, last));
                            for (const std::int64_t threads : range) blocks.push_back({threads});
                            return {};
                          });
}

Result<Dim3> parse_extents(std::string_view text) {
  ASSIGN_OR_RETURN(const std::vector<std::int64_t> shape, parse_shape(text));
  if (shape.size() > 3) return misread(text, "no shape of threads: it has at most 3 axes, such as 8x8x4");
  Dim3 extents;
  std::int64_t* const axes[] = {&extents.x, &extents.y, &extents.z};
  for (std::size_t i = 0; i < shape.size(); ++i) *axes[i] = shape[i];
  return extents;
}

Result<std::vector<std::int64_t>> parse_shape(std::string_view text) {
  std::vector<std::int64_t> shape;
  Result<void> parsed;
  for_each_part(text, 'x', [&](std::string_view part) {
    const Result<std::int64_t> extent = parse_positive(part);
    if (!extent) parsed = misread(text, "no shape: write numbers from 1 on with x between them, such as 16x16");
    shape.push_back(extent ? *extent : 0);
  });
  if (!parsed) return parsed.error();
  return shape;
}

std::string with_values(std::string_view extents, const Configuration& configuration) {
  std::string text;
  while (!extents.empty()) {
    const Constant* longest = nullptr;  // `x` separates extents, but names may have one
    for (const Constant& constant : configuration.constants())
      if (extents.starts_with(constant.name) && (longest == nullptr || constant.name.size() > longest->name.size()))
        longest = &constant;
    text += longest != nullptr ? longest->text() : std::string(extents.substr(0, 1));
    extents.remove_prefix(longest != nullptr ? longest->name.size() : 1);
  }
  return text;
}

std::string extents_text(Dim3 extents) {
  std::string text = std::to_string(extents.x);
  if (extents.y != 1 || extents.z != 1) text += "x" + std::to_string(extents.y);
  if (extents.z != 1) text += "x" + std::to_string(extents.z);
  return text;
}

}  // namespace pykc::measure
