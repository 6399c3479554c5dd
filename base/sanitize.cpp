#include "pykc/sanitize.h"

#include <algorithm>
#include <iterator>

namespace pykc {
namespace {

struct Name {
  std::string_view text;
  bool Sanitize::*looks_for;
};
constexpr Name kNames[] = {{"bounds", &Sanitize::bounds},
                           {"races", &Sanitize::races},
                           {"uninitialised", &Sanitize::uninitialised},
                           {"divergence", &Sanitize::divergence}};

}  // namespace

std::optional<Sanitize> Sanitize::parse(std::string_view list) {
  if (list == "all") return all();
  Sanitize sanitize;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const auto* const row = std::ranges::find(kNames, list.substr(begin, end - begin), &Name::text);
    if (row == std::end(kNames)) return std::nullopt;
    sanitize.*row->looks_for = true;
    begin = end + 1;
  }
  return sanitize;
}

}  // namespace pykc
