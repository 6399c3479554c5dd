// Work that falls into parts which know nothing of one another.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace pykc {

/// What `work` gives for 0, 1, … count - 1, in this order, of which as many are done at a time as there are cores. What
/// a part throws is thrown once all have ended.
template <typename Work>
auto on_all_cores(std::size_t count, const Work& work) -> std::vector<decltype(work(count))> {
  std::vector<std::optional<decltype(work(count))>> found(count);
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) found[i].emplace(work(i));
  };
  std::vector<std::future<void>> others;  // where the system has no thread for one, it finds nothing left to do
  const std::size_t threads = count > 1 ? std::min<std::size_t>(count, std::thread::hardware_concurrency()) : 1;
  while (others.size() + 1 < threads) others.push_back(std::async(take));
  take();
  for (std::future<void>& other : others) other.get();
  std::vector<decltype(work(count))> all;
  for (auto& one : found) all.push_back(std::move(*one));
  return all;
}

}  // namespace pykc
