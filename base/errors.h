// Errors that many places report, and how they are handed on.
//
//   ASSIGN_OR_RETURN(const Kernel kernel, module.kernel("vecadd"));  // the value, or the error to the caller
//   RETURN_IF_FAILED(kernel.launch(config, z, x, y));
#pragma once

#include <string>
#include <utility>

#include "pykc/error.h"

namespace pykc {

/// A value that makes no sense; the message says why.
inline Error invalid_argument(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }

/// What a failed result has to say. Host code has such a function for its own kind of result (script/values/outcome.h).
template <typename T>
Error failure_of(Result<T>& failed) {
  return std::move(failed.error());
}

}  // namespace pykc

#define PYKC_JOIN_NAMES(a, b) a##b
#define PYKC_UNIQUE_NAME(prefix, line) PYKC_JOIN_NAMES(prefix, line)
#define PYKC_OUTCOME PYKC_UNIQUE_NAME(outcome_, __LINE__)
/// Two statements: they stand in a block, and the value is there until its end.
#define ASSIGN_OR_RETURN(declaration, ...)            \
  auto PYKC_OUTCOME = (__VA_ARGS__);                  \
  if (!PYKC_OUTCOME) return failure_of(PYKC_OUTCOME); \
  declaration = *std::move(PYKC_OUTCOME)
#define RETURN_IF_FAILED(...)                                                              \
  do {                                                                                     \
    if (auto PYKC_OUTCOME = (__VA_ARGS__); !PYKC_OUTCOME) return failure_of(PYKC_OUTCOME); \
  } while (false)
