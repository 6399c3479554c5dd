// What a sanitized launch has found, in words.
#pragma once

#include <string>
#include <vector>

#include "pykc/diagnostic.h"
#include "pykc/error.h"
#include "runtime/cpu/sanitizer/sanitizer.h"

namespace pykc::cpu {

/// The error of a launch or a copy with these; `where` ends its message.
Error error_of(std::vector<Diagnostic> diagnostics, const std::string& where);

/// A diagnostic for each race that a line of a kernel takes part in.
std::vector<Diagnostic> describe(const std::vector<StreamRace>& races);

/// A diagnostic for each finding, in order; `launch` is the one that was watched.
std::vector<Diagnostic> describe(const Sanitizer& sanitizer, const KernelInfo& kernel, const abi::CpuLaunch& launch);

}  // namespace pykc::cpu
