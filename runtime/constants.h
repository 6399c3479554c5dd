// Constant memory of loaded modules that the host fills.
#pragma once

#include "pykc/runtime.h"

namespace pykc::detail {

/// Refuses a description that code generation does not write.
Result<void> check_constant(const ConstantInfo& constant);

/// The bytes that a constant takes; it has been checked.
std::int64_t bytes_of(const ConstantInfo& constant);

/// The error of a constant that is described, and that the artifact's code does not have.
Error no_such_constant(const ConstantInfo& constant);

}  // namespace pykc::detail
