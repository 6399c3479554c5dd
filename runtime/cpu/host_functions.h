// The functions of the host that a kernel's object may call; kernel_abi.h lists them for code generation.
#pragma once

#include <string_view>

#include "pykc/device.h"

namespace pykc::cpu {

/// The function's address, or null.
void* find_host_function(std::string_view name);

/// While it lives, kernels print to `output`, or to stdout where that is null. One lives at a time: launches take
/// turns.
class PrintsTo {
 public:
  explicit PrintsTo(const Output& output);
  ~PrintsTo();
  PrintsTo(const PrintsTo&) = delete;
  PrintsTo& operator=(const PrintsTo&) = delete;
};

/// Shows what kernels have printed to stdout so far.
void flush_prints();

}  // namespace pykc::cpu
