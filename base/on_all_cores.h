// Work that falls into parts which know nothing of one another.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "base/threads.h"

namespace pykc {

/// What `work` gives for 0, 1, … count - 1, in this order, of which thread_count() are done at a time. What a part throws
/// is thrown once all have ended.
template <typename Work>
auto on_all_cores(std::size_t count, const Work& work) -> std::vector<decltype(work(count))> {
  std::vector<std::optional<decltype(work(count))>> found(count);
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) found[i].emplace(work(i));
  };
  std::vector<std::future<void>> others;  // where the system has no thread for one, it finds nothing left to do
  if (count > 1) {
    const std::size_t threads = std::min(count, static_cast<std::size_t>(thread_count()));
    const BlockedSignals blocked;
    while (others.size() + 1 < threads) others.push_back(std::async(take));
  }
  take();
  for (std::future<void>& other : others) other.get();
  std::vector<decltype(work(count))> all;
  for (auto& one : found) all.push_back(std::move(*one));
  return all;
}

}  // namespace pykc
