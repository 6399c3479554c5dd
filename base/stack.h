// The stack of a compilation. Sources have limits (ast::kMostExpressionHeight and its kin) within which the compiler's
// own recursion takes less than half of kStackBytes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace pykc {

inline constexpr std::size_t kStackBytes = std::size_t{2} << 20;

/// Whether this thread has as much of its stack left, as far as that can be found out.
bool has_stack();
/// Runs `work` on a new thread with plenty of stack, of which what is not touched costs nothing, and waits for it.
/// Throws what `work` does, and std::bad_alloc where the system has no room for one.
void run_on_own_stack(const std::function<void()>& work);

/// What `work` gives, on this thread where its stack is large enough, as it is but for threads that a program made with
/// a small one.
template <typename Work>
auto with_stack(Work work) -> decltype(work()) {
  if (has_stack()) return work();
  std::optional<decltype(work())> result;
  run_on_own_stack([&] { result.emplace(work()); });
  return *std::move(result);
}

}  // namespace pykc
