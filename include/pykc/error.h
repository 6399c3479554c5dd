// Result<T>: what every call of the public API that can fail returns. pykc throws no exceptions.
//
//   pykc::Result<pykc::Device> device = pykc::Device::open("cuda:0");
//   if (!device) { std::cerr << device.error().message << '\n'; return 1; }
//   device->synchronize();
//
// `value()` on a failed result ends the program with the error's text on stderr (a programmer's error, like
// reading past the end of a vector); test first, or use `value_or`.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pykc/diagnostic.h"

namespace pykc {

enum class ErrorCode : std::uint8_t {
  InvalidSource,      // the .pyk source has errors; see `diagnostics`
  InvalidArgument,    // a value passed to the API makes no sense
  InvalidLaunch,      // launch configuration or kernel arguments do not fit the kernel
  NotFound,           // no such file, kernel or device
  InputOutput,        // a file could not be read or written, or its contents are broken
  DriverUnavailable,  // no NVIDIA driver or no GPU
  DriverError,        // a call of the CUDA driver failed; the message names it
  OutOfMemory,        // the device or the host has no memory left
  KernelFault,        // an assert, a raise or a failed check inside a kernel
  Unsupported,        // the target cannot do this
  Internal,           // a defect of pykc: please report it
};

struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  std::vector<Diagnostic> diagnostics = {};
};

namespace detail {
[[noreturn]] inline void terminate_with(const Error& error) {
  std::fprintf(stderr, "pykc: value() of a failed result: %s\n", error.message.c_str());
  std::abort();
}
}  // namespace detail

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    require();
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    require();
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    require();
    return std::move(*std::get_if<0>(&state_));
  }
  T value_or(T other) && { return has_value() ? std::move(*std::get_if<0>(&state_)) : std::move(other); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Only for a failed result.
  const Error& error() const { return *std::get_if<1>(&state_); }
  Error& error() { return *std::get_if<1>(&state_); }

 private:
  void require() const {
    if (!has_value()) detail::terminate_with(error());
  }
  std::variant<T, Error> state_;
};

/// Success is a null pointer, so that a call which mostly succeeds costs next to nothing.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  bool has_value() const { return error_ == nullptr; }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (!has_value()) detail::terminate_with(*error_);
  }
  const Error& error() const { return *error_; }
  Error& error() { return *error_; }

 private:
  std::unique_ptr<Error> error_;
};

}  // namespace pykc
