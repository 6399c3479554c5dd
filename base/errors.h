// Errors that many places report, and how they are handed on.
//
//   ASSIGN_OR_RETURN(const Kernel kernel, module.kernel("vecadd"));  // the value, or the error to the caller
//   RETURN_IF_FAILED(kernel.launch(config, z, x, y));
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "pykc/error.h"

namespace pykc {

/// A value that makes no sense; the message says why.
inline Error invalid_argument(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }

/// What every door of the public API does with an exception, which its caller must not see: memory that is not there,
/// or what the standard library has to say of a thread or a file.
///
///   Result<Module> Device::load(const Artifact& artifact) const try {
///     …
///   } catch (...) {
///     return error_in_flight();
///   }
inline Error error_in_flight() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::OutOfMemory, "out of memory"};  // a text that needs none
  } catch (const std::length_error&) {
    return {ErrorCode::OutOfMemory, "out of memory"};
  } catch (const std::exception& exception) {
    return {ErrorCode::Internal, exception.what()};
  } catch (...) {
    return {ErrorCode::Internal, "an exception that says nothing"};
  }
}

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
