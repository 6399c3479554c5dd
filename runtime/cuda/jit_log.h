// What the driver's compiler and linker say of code that they refuse.
#pragma once

#include <string>

#include "pykc/error.h"
#include "runtime/cuda/driver.h"

namespace pykc::cuda {

/// Must live as long as the driver may write to it.
class JitLog {
 public:
  JitLog() : text_(kBytes, '\0'), values_{text_.data(), reinterpret_cast<void*>(kBytes - 1)} {}
  JitLog(const JitLog&) = delete;
  JitLog& operator=(const JitLog&) = delete;

  static constexpr unsigned kOptions = 2;
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
  std::string text_;
  CUjit_option options_[kOptions] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values_[kOptions];
};

}  // namespace pykc::cuda
