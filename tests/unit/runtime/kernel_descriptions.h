// KernelInfo values in one line each.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pykc/types.h"

namespace pykc::testing {

inline ParameterInfo scalar(std::string name, ScalarType type) {
  ParameterInfo parameter;
  parameter.name = std::move(name);
  parameter.value = type;
  return parameter;
}

inline ParameterInfo array(std::string name, ScalarType element, std::vector<std::int64_t> extents,
                           Layout layout = Layout::RowMajor) {
  ParameterInfo parameter;
  parameter.name = std::move(name);
  parameter.is_array = true;
  parameter.array = {element, layout, std::move(extents)};
  return parameter;
}

inline KernelInfo kernel(std::string name, std::vector<ParameterInfo> parameters) {
  KernelInfo info;
  info.symbol = name;
  info.name = std::move(name);
  info.parameters = std::move(parameters);
  return info;
}

/// A size that is the same for every launch.
inline LaunchExpression constant(std::int64_t value) { return {{{LaunchExpression::Op::Constant, value}}}; }

/// `bytes` for each thread of a row of the block.
inline LaunchExpression for_each_thread(std::int64_t bytes) {
  using Op = LaunchExpression::Op;
  return {{{Op::BlockDimX, 0}, {Op::Constant, bytes}, {Op::Multiply, 0}}};
}

inline constexpr std::int64_t kAny = ArrayType::kDynamic;

}  // namespace pykc::testing
