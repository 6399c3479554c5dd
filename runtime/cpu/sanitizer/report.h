// What a sanitized launch has found, in words.
#pragma once

#include <vector>

#include "pykc/diagnostic.h"
#include "runtime/cpu/sanitizer/sanitizer.h"

namespace pykc::cpu {

/// A diagnostic for each finding, in order; `launch` is the one that was watched.
std::vector<Diagnostic> describe(const Sanitizer& sanitizer, const KernelInfo& kernel, const abi::CpuLaunch& launch);

}  // namespace pykc::cpu
