#include "frontend/check/calls/signatures.h"

#include <algorithm>

namespace pykc::checker {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

SignatureType read_type(std::string_view text) {
  SignatureType type;
  text = trim(text);
  if (text.ends_with("[...]")) {
    type.is_array = true;
    text.remove_suffix(5);
  }
  type.is_index = text == "index";
  if (text.size() == 1) type.letter = text.front();
  type.scalar = find_scalar_type(text);
  return type;
}

/// Calls `visit` for each part between commas.
template <typename Visit>
void for_each_part(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    visit(trim(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

SignatureParameter read_parameter(std::string_view text) {
  const std::size_t colon = text.find(':'), equals = text.find('=');
  SignatureParameter parameter;
  parameter.name = trim(text.substr(0, colon));
  parameter.type = read_type(text.substr(colon + 1, equals == text.npos ? text.npos : equals - colon - 1));
  if (equals != text.npos) parameter.default_text = trim(text.substr(equals + 1));
  return parameter;
}

}  // namespace

BuiltinSignature read_signature(std::string_view text) {
  BuiltinSignature signature;
  const std::size_t close = text.find(')'), arrow = text.find("->");
  for_each_part(text.substr(1, close - 1), [&](std::string_view part) {
    signature.parameters.push_back(read_parameter(part));
    if (signature.parameters.back().default_text.empty()) ++signature.required;
  });
  std::string_view result = trim(text.substr(arrow + 2));
  if (result.starts_with("tuple[")) {
    result.remove_prefix(6);
    result.remove_suffix(1);
  }
  if (result == "none") return signature;
  for_each_part(result, [&](std::string_view part) { signature.results.push_back(read_type(part)); });
  return signature;
}

const BuiltinSignature& SignatureTable::of(BuiltinId id) {
  const auto [entry, is_new] = signatures_.try_emplace(static_cast<int>(id));
  if (is_new) entry->second = read_signature(info(id).signature);
  return entry->second;
}

}  // namespace pykc::checker
