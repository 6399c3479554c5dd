// Errors that many places report.
#pragma once

#include <string>
#include <utility>

#include "pykc/error.h"

namespace pykc {

/// A value that makes no sense; the message says why.
inline Error invalid_argument(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }

}  // namespace pykc
