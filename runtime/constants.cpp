#include "runtime/constants.h"

#include <algorithm>

#include "base/errors.h"
#include "base/text.h"
#include "runtime/device.h"

namespace pykc {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

std::string declaration(const ConstantInfo& constant) {
  return "constant `" + constant.name + "`, " + to_string(constant.type) + ",";
}

Error unknown(std::string_view name, const std::vector<ConstantInfo>& constants) {
  const std::string known = list_text(constants, &ConstantInfo::name);
  return Error{ErrorCode::NotFound,
               "the module has no constant `" + std::string(name) + "` that the host sets; " +
                   (known.empty() ? "`" + std::string(name) +
                                        " = const.array(shape, dtype)` at the top level of its source declares one"
                                  : "it has: " + known)};
}

/// A C++ struct may stand for a record of its size: the program knows what is in it.
bool fits(const ElementType& type, const detail::ConstantElement& element) {
  return element.is_scalar ? type.is(element.type) : type.is_record() && size_in_bytes(type) == element.bytes;
}

std::string describe(const detail::ConstantElement& element) {
  return element.is_scalar ? std::string(to_string(element.type))
                           : "a C++ class of " + std::to_string(element.bytes) + " bytes";
}

}  // namespace

Result<void> detail::check_constant(const ConstantInfo& constant) {
  const auto damaged = [&](const std::string& what) {
    return Error{ErrorCode::InputOutput, "the artifact is damaged: constant `" + constant.name + "` " + what};
  };
  const ArrayType& type = constant.type;
  if (type.layout != Layout::RowMajor || type.extents.empty() || type.rank() > Argument::kMaxRank)
    return damaged("is no row-major array of 1 to 8 axes");
  std::int64_t bytes = size_in_bytes(type.element);
  if (bytes < 1) return damaged("has elements of no size");
  for (const std::int64_t extent : type.extents)
    if (extent < 1 || __builtin_mul_overflow(bytes, extent, &bytes) || bytes > kMostBytes)
      return damaged("has an impossible shape");
  return {};
}

std::int64_t detail::bytes_of(const ConstantInfo& constant) {
  return constant.type.count() * size_in_bytes(constant.type.element);
}

Error detail::no_such_constant(const ConstantInfo& constant) {
  return Error{ErrorCode::InputOutput, "the artifact is damaged: its code has no variable `" + constant.symbol +
                                           "` of " + std::to_string(bytes_of(constant)) + " bytes"};
}

const std::vector<ConstantInfo>& Module::constants() const { return state_->constants; }

Result<Buffer> Module::constant_bytes(std::string_view name) const try {
  const auto found = std::ranges::find(state_->constants, name, &ConstantInfo::name);
  if (found == state_->constants.end()) return unknown(name, state_->constants);
  const auto index = static_cast<std::size_t>(found - state_->constants.begin());
  return state_->device->wrap_buffer(state_->constant_addresses[index], detail::bytes_of(*found), state_);
} catch (...) {
  return error_in_flight();
}

Result<detail::ConstantMemory> Module::constant_memory(std::string_view name, const detail::ConstantElement& element,
                                                       std::int64_t given) const try {
  ASSIGN_OR_RETURN(Buffer buffer, constant_bytes(name));
  const auto found = std::ranges::find(state_->constants, name, &ConstantInfo::name);
  const ArrayType& type = found->type;
  if (!fits(type.element, element))
    return invalid_argument(declaration(*found) + " is no array of " + describe(element));
  if (given >= 0 && given != type.count())
    return invalid_argument(declaration(*found) + " has " + std::to_string(type.count()) + " elements, and " +
                            std::to_string(given) + " are given; to set a part of it, copy to a slice of constant()");
  ASSIGN_OR_RETURN(const Mapping mapping, Mapping::dense(type.extents));
  return detail::ConstantMemory{std::move(buffer), mapping};
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
