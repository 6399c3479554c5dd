// Which launches of a kernel have been watched, so that none is watched twice that can show nothing new.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "pykc/kernel_abi.h"
#include "pykc/types.h"
#include "runtime/cpu/sanitizer/objects.h"

namespace pykc::cpu {

/// The words of a launch that its accesses may depend on. Where arrays lie is no part of it beyond what they are
/// aligned to, nor are floats: what depends on these is watched each time. Empty where arrays share memory, which
/// another launch of that kind need not do.
using LaunchKind = std::vector<std::uint64_t>;
LaunchKind kind_of(const KernelInfo& kernel, const Objects& arrays, const abi::CpuLaunch& launch);

class KnownLaunches {
 public:
  /// `arrays` are as they are before the launch.
  bool contain(const LaunchKind& kind, const Objects& arrays) const;
  /// `arrays` are as they were before the launch; `filled` says for each whether the launch has written all of it and
  /// read nothing (Objects::filled).
  void add(const LaunchKind& kind, const Objects& arrays, const std::vector<bool>& filled);
  /// What a launch that nobody watches writes: the arrays that launches of its kind fill.
  void write(const LaunchKind& kind, const Objects& arrays) const;

 private:
  std::set<LaunchKind> settled_;  // with what was not written
  std::map<LaunchKind, std::vector<bool>> fills_;
};

/// The same where nothing is known of a kernel: it writes all of what it may write.
void write_all(const Objects& arrays);

}  // namespace pykc::cpu
