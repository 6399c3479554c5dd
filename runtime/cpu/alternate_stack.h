// Where handlers of signals run on a thread whose own stack has no room left: else the system ends the process without
// calling them.
#pragma once

#include <csignal>
#include <cstddef>

namespace pykc::cpu {

/// Memory for such a stack: what the system puts there for the largest processors takes a third of it.
struct alignas(64) AlternateStackMemory {
  std::byte bytes[std::size_t{32} << 10];
};

/// While it lives, the thread has that stack, unless it has one of its own.
class AlternateStack {
 public:
  explicit AlternateStack(AlternateStackMemory& memory) : memory_(memory) {
    stack_t now;
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    now = {.ss_sp = memory_.bytes, .ss_flags = 0, .ss_size = sizeof memory_.bytes};
    is_ours_ = sigaltstack(&now, nullptr) == 0;
  }
  ~AlternateStack() {
    stack_t now;
    if (!is_ours_ || sigaltstack(nullptr, &now) != 0 || now.ss_sp != memory_.bytes) return;
    now = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&now, nullptr);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

 private:
  AlternateStackMemory& memory_;
  bool is_ours_ = false;
};

}  // namespace pykc::cpu
