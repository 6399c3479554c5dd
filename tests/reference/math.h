// The functions of the math library, by the host's libm: near to what a device computes, not the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ir/evaluate/evaluate.h"

namespace pykc::reference {

/// The bits of the result; none where `builtin` is no function of the math library.
std::optional<std::uint64_t> evaluate_math(BuiltinId builtin, std::span<const ir::Scalar> operands);

}  // namespace pykc::reference
