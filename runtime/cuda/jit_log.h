// How the driver's compiler and linker are called, and what they say of code that they refuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "pykc/error.h"
#include "runtime/cuda/driver.h"

namespace pykc::cuda {

/// Must live as long as the driver may write to it.
class JitLog {
 public:
  /// `level`: how much ptxas optimises, 0 to 4.
  explicit JitLog(std::int32_t level)
      : text_(kBytes, '\0'), values_{text_.data(), as_value(kBytes - 1), as_value(static_cast<std::size_t>(level))} {}
  JitLog(const JitLog&) = delete;
  JitLog& operator=(const JitLog&) = delete;

  static constexpr unsigned kOptions = 3;
  CUjit_option* options() { return options_; }
  void** values() { return values_; }

  /// The error of a call that was given these options, with the log.
  Result<void> check(const Driver& driver, const char* call, CUresult result) const {
    Result<void> checked = driver.check(call, result);
    if (!checked && text_.front() != '\0') checked.error().message += std::string("\n") + text_.c_str();
    return checked;
  }

 private:
  static constexpr std::size_t kBytes = 8192;
  /// The driver takes numbers in the place of pointers.
  static void* as_value(std::size_t number) { return reinterpret_cast<void*>(number); }
  std::string text_;
  CUjit_option options_[kOptions] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                                     CU_JIT_OPTIMIZATION_LEVEL};
  void* values_[kOptions];
};

}  // namespace pykc::cuda
