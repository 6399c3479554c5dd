// What of the work of streams comes before what, and which bytes it touches.
//
// The CPU device does all work at once. On a GPU two streams work at the same time, unless the host waits for the first
// before it gives the second its work, the second waits for an event of the first, or something on the default stream
// stands in between: that one is CUDA's legacy one, which comes after all that other streams were given before, and
// before all that they are given later. So each stream, each event and the host know how far each stream has come.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pykc/sanitize.h"
#include "runtime/cpu/sanitizer/footprint.h"
#include "runtime/cpu/sanitizer/objects.h"
#include "runtime/strided_copy.h"

namespace pykc::cpu {

/// For each stream, the number of the last piece of its work that is known to be done.
using StreamTimes = std::map<std::uint64_t, std::uint64_t>;

/// A launch or a copy on a stream.
struct StreamWork {
  /// What it does at one place of the source; of a copy, at none.
  struct Part {
    bool reads = false, writes = false, is_atomic = false, is_ignored = false;
    SourcePlace place = {};
    Footprint bytes = {};
  };
  std::string name;  // "kernel `scale`", "a copy"
  std::vector<Part> parts = {};
  Objects arrays = {};  // of a launch
  std::uint64_t stream = 0, number = 0;
};

/// Two pieces of work on different streams that touch the same bytes, one of them writing, and that nothing orders.
struct StreamRace {
  std::shared_ptr<const StreamWork> before, now;
  std::size_t before_part = 0, now_part = 0;
  std::uintptr_t address = 0;
};

class StreamOrder {
 public:
  static constexpr std::uint64_t kDefaultStream = 0;
  /// The number of a new stream.
  std::uint64_t add_stream();
  void remove_stream() { --streams_; }
  /// Whether there is more than one beside the default one.
  bool has_several() const { return streams_.load(std::memory_order_relaxed) > 1; }
  /// A kernel looks for races. Before, nothing is kept.
  void want() { is_wanted_.store(true, std::memory_order_relaxed); }
  /// Whether there is something to keep: somebody wants it, and there ever was a stream beside the default one.
  bool is_active() const {
    return is_wanted_.load(std::memory_order_relaxed) && last_stream_.load(std::memory_order_relaxed) != kDefaultStream;
  }

  /// A stream is given a piece of work.
  void enter(std::uint64_t stream);
  /// How far all has come for an event that is recorded on the stream now.
  StreamTimes at(std::uint64_t stream);
  void wait(std::uint64_t stream, const StreamTimes& event);
  void wait_on_host(std::uint64_t stream);
  void wait_on_host(const StreamTimes& event);
  void wait_for_all();

  /// What the work of a stream, which it was given last, has touched. Gives the races with what was there before, one
  /// for two places.
  std::vector<StreamRace> finish(std::uint64_t stream, std::shared_ptr<StreamWork> work);
  /// The memory is another array's from now on.
  void forget(const void* memory, std::int64_t bytes);

 private:
  void forget_what_is_known();

  std::mutex mutex_;
  std::atomic<std::uint64_t> last_stream_ = kDefaultStream;
  std::atomic<int> streams_ = 0;
  std::atomic<bool> is_wanted_ = false;
  std::uint64_t last_work_ = 0;
  StreamTimes host_;
  std::map<std::uint64_t, StreamTimes> known_;    // by stream
  std::deque<std::shared_ptr<StreamWork>> open_;  // that the host has not waited for
};

/// The work of a copy, or of a fill, which reads nothing.
std::shared_ptr<StreamWork> work_of(const detail::StridedCopy& copy, bool reads);

}  // namespace pykc::cpu
