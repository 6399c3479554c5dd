// Asynchronous copies that threads have started and not awaited: until then they are in the way of whoever comes to
// their places.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "runtime/cpu/observer.h"

namespace pykc::cpu {

class AsyncCopies {
 public:
  struct Copy {
    std::uint32_t site;      // in WatchedKernel::sites
    std::uintptr_t address;  // that it writes
  };

  void clear() { of_threads_.clear(); }
  void start(ThreadId thread, Copy copy) { of_threads_[key(thread)].open.push_back(copy); }
  /// What the thread has started since it did this last is a group.
  void commit(ThreadId thread) {
    const auto found = of_threads_.find(key(thread));
    if (found != of_threads_.end()) found->second.groups.push_back(std::exchange(found->second.open, {}));
  }
  /// Calls `land` with the thread and each of its copies, but those of the last groups, as many as may be pending.
  template <typename Land>
  void await(ThreadId thread, std::size_t pending, const Land& land) {
    const auto found = of_threads_.find(key(thread));
    if (found == of_threads_.end()) return;
    for (std::deque<Group>& groups = found->second.groups; groups.size() > pending; groups.pop_front())
      for (const Copy& copy : groups.front()) land(thread, copy);
  }
  /// The same with all copies of all threads.
  template <typename Land>
  void end(const Land& land) {
    for (const auto& [id, copies] : std::exchange(of_threads_, {})) {
      for (const Group& group : copies.groups)
        for (const Copy& copy : group) land(ThreadId{id.first, id.second}, copy);
      for (const Copy& copy : copies.open) land(ThreadId{id.first, id.second}, copy);
    }
  }

 private:
  using Group = std::vector<Copy>;
  struct OfThread {
    Group open;
    std::deque<Group> groups;
  };
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // block and thread
  static Key key(ThreadId thread) { return {thread.block, thread.thread}; }
  std::map<Key, OfThread> of_threads_;
};

}  // namespace pykc::cpu
