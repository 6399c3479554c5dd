// What host code's functions of arrays are as expressions of kernels.
#pragma once

#include <optional>
#include <string_view>

#include "pykc/reduction.h"
#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/reductions.h"

namespace pykc::script {

struct DeviceExpression {
  std::string_view text;  // over elements x and y
  bool is_exact = true;   // whether kernels give the bits of the host's C library
};
/// The operation on elements that all have `type`.
DeviceExpression device_expression(BinaryFunction function, ScalarType type);
DeviceExpression device_expression(UnaryFunction function, ScalarType type);
/// The reduction of elements x of `type`; the variance and its root take their mean as y. Nothing where the host
/// computes.
std::optional<ReductionSource> device_reduction(Reduction reduction, ScalarType type, std::int64_t degrees);

}  // namespace pykc::script
