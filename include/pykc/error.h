// Result<T>: what every call of the public API that can fail returns. pykc throws no exceptions: where the host has no
// memory left, that is an error like any other, and the call may be made again once there is some.
//
//   pykc::Result<pykc::Device> device = pykc::Device::open("cuda:0");
//   if (!device) { std::cerr << device.error().message << '\n'; return 1; }
//   device->synchronize();
//
// `value()` on a failed result ends the program with the error's text on stderr (a programmer's error, like
// reading past the end of a vector); test first, or use `value_or`. So does `error()` on a successful one. Of a result
// that is a temporary, both give a value of its own, which a reference may be bound to.
//
// Steps that may fail are strung together by `and_then`, which hands the value to a function that returns a Result, and
// an error past it:
//
//   const auto load = [&](const pykc::Artifact& artifact) { return device.load(artifact); };
//   pykc::Result<pykc::Module> module = pykc::compile_file("vecadd.pyk").and_then(load);
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pykc/diagnostic.h"

namespace [[gnu::visibility("default")]] pykc {

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
  Cancelled,          // the kernel was stopped by Device::cancel()
  Timeout,            // the kernel, or the program, had no more time
};

template <typename T>
class Result;

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
[[noreturn]] inline void terminate_without_error() {
  std::fprintf(stderr, "pykc: error() of a successful result\n");
  std::abort();
}

template <typename T>
inline constexpr bool is_result = false;
template <typename T>
inline constexpr bool is_result<Result<T>> = true;

/// What and_then() calls with a value returns.
template <typename Function, typename... Value>
using NextResult = std::remove_cvref_t<std::invoke_result_t<Function, Value...>>;

/// Stands for an error that there was no memory for. Nobody reads it itself: what it stands for may be moved from.
inline Error* no_memory_for_error() {
  static Error mark;
  return &mark;
}
inline Error& readable(Error& error) {
  if (&error != no_memory_for_error()) return error;
  // Without a destructor, which a thread would need memory to note down.
  alignas(Error) thread_local std::byte place[sizeof(Error)];
  return *::new (place) Error{ErrorCode::OutOfMemory, "out of memory"};  // short enough to need none
}
struct ErrorDeleter {
  void operator()(Error* error) const {
    if (error != no_memory_for_error()) delete error;
  }
};
}  // namespace detail

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    require();
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    require();
    return *std::get_if<0>(&state_);
  }
  T value() && {
    require();
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] T value_or(T other) const& { return has_value() ? *std::get_if<0>(&state_) : std::move(other); }
  [[nodiscard]] T value_or(T other) && { return has_value() ? std::move(*std::get_if<0>(&state_)) : std::move(other); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const& {
    require_error();
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] Error& error() & {
    require_error();
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] Error error() && {
    require_error();
    return std::move(*std::get_if<1>(&state_));
  }

  /// What `function` makes of the value, a Result of any type; or this error.
  template <typename Function>
  auto and_then(Function&& function) const& -> detail::NextResult<Function, const T&> {
    static_assert(detail::is_result<detail::NextResult<Function, const T&>>, "and_then() takes what returns a Result");
    if (!has_value()) return error();
    return std::forward<Function>(function)(value());
  }
  template <typename Function>
  auto and_then(Function&& function) && -> detail::NextResult<Function, T> {
    static_assert(detail::is_result<detail::NextResult<Function, T>>, "and_then() takes what returns a Result");
    if (!has_value()) return std::move(*this).error();
    return std::forward<Function>(function)(std::move(*this).value());
  }

 private:
  void require() const {
    if (!has_value()) detail::terminate_with(error());
  }
  void require_error() const {
    if (has_value()) detail::terminate_without_error();
  }
  std::variant<T, Error> state_;
};

/// Success is a null pointer, so that a call which mostly succeeds costs next to nothing.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(new (std::nothrow) Error(std::move(error))) {
    if (error_ == nullptr) error_.reset(detail::no_memory_for_error());
  }

  [[nodiscard]] bool has_value() const { return error_ == nullptr; }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (!has_value()) detail::terminate_with(error());
  }
  [[nodiscard]] const Error& error() const& { return required_error(); }
  [[nodiscard]] Error& error() & { return required_error(); }
  [[nodiscard]] Error error() && { return std::move(required_error()); }

  /// What `function`, which is called with nothing, returns; or this error.
  template <typename Function>
  auto and_then(Function&& function) const -> detail::NextResult<Function> {
    static_assert(detail::is_result<detail::NextResult<Function>>, "and_then() takes what returns a Result");
    if (!has_value()) return error();
    return std::forward<Function>(function)();
  }

 private:
  Error& required_error() const {
    if (has_value()) detail::terminate_without_error();
    return detail::readable(*error_);
  }
  std::unique_ptr<Error, detail::ErrorDeleter> error_;
};

}  // namespace pykc
