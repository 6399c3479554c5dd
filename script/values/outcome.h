// How operations on host values fail: a Failure says which row of the diagnostics' catalogue and what fills it; the
// evaluator adds the place. Outcome<T> is a T or a Failure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/diagnostics.h"
#include "base/errors.h"
#include "base/source.h"
#include "pykc/error.h"

namespace pykc::script {

struct Failure {
  DiagnosticId id;
  std::vector<std::string> arguments;
  std::vector<std::string> notes = {};
  std::string fix = {};
  std::vector<Diagnostic> causes = {};  // reported before: what a kernel's compilation said
  std::optional<ErrorCode> code = {};   // of the runtime's error, where it is one

  /// Set by the evaluator at the innermost expression that failed.
  const SourceFile* file = nullptr;
  SourceRange range = {};
  struct Caller {
    const SourceFile* file;
    SourceRange range;
  };
  std::vector<Caller> callers = {};  // innermost first

  Failure&& note(std::string text) && {
    notes.push_back(std::move(text));
    return std::move(*this);
  }
  Failure&& suggest(std::string_view text) && {
    fix = text;
    return std::move(*this);
  }
};

/// The failure as the diagnostics that a person reads: what the compiler said first, then what failed, then the calls.
/// A failure without a place is told of `otherwise`.
std::vector<Diagnostic> to_diagnostics(const Failure& failure, const SourceFile& otherwise);

namespace detail {
template <typename T>
std::string to_text(const T& value) {
  if constexpr (std::is_integral_v<T>)
    return std::to_string(value);
  else
    return std::string(value);
}
}  // namespace detail

/// `return fail(DiagnosticId::HostIndexOutOfRange, index, extent);`
template <typename... T>
Failure fail(DiagnosticFor<T...> id, const T&... arguments) {
  return Failure{id, {detail::to_text(arguments)...}};
}

/// What the device or its driver said.
Failure device_failure(const Error& error);

template <typename T>
class [[nodiscard]] Outcome {
 public:
  template <typename U>
  requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, Failure> &&
           !std::is_same_v<std::remove_cvref_t<U>, Outcome>) Outcome(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  /// An outcome of something that converts.
  template <typename U>
  requires(std::is_convertible_v<U, T> && !std::is_same_v<U, T> && std::is_class_v<T>) Outcome(Outcome<U> other)
      : Outcome(other ? Outcome(*std::move(other)) : Outcome(std::move(other.failure()))) {}
  Outcome(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  Failure& failure() { return *std::get_if<1>(&state_); }
  const Failure& failure() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Failure> state_;
};

struct Done {};
using Status = Outcome<Done>;

/// For ASSIGN_OR_RETURN and RETURN_IF_FAILED of base/errors.h, which do with outcomes what they do with results.
template <typename T>
Failure failure_of(Outcome<T>& failed) {
  return std::move(failed.failure());
}

/// What the runtime gives: what failed is what the device or its driver said.
template <typename T>
Outcome<std::conditional_t<std::is_void_v<T>, Done, T>> outcome_of(Result<T> result) {
  if (!result) return device_failure(result.error());
  if constexpr (std::is_void_v<T>)
    return Done{};
  else
    return *std::move(result);
}

}  // namespace pykc::script
