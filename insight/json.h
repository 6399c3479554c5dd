// Objects and lists of JSON, of values that are JSON already.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace pykc::insight {

using Field = std::pair<std::string_view, std::string>;

inline std::string json_object(const std::vector<Field>& fields) {
  return "{" + list_text(fields, [](const Field& field) { return json_string(field.first) + ": " + field.second; }) +
         "}";
}

template <typename Items, typename ToJson>
std::string json_list(const Items& items, ToJson to_json) {
  return "[" + list_text(items, to_json, ",\n  ") + "]";
}

}  // namespace pykc::insight
