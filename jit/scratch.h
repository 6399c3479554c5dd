// Device memory that launches use between two kernels, kept for the next such launch. Work of one stream may still use
// what another is given: that one waits for it, on the device.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "pykc/runtime.h"

namespace pykc::jit {

class ScratchPool {
 public:
  struct Scratch {
    Buffer buffer;
    std::optional<Event> last_use;
  };

  /// Memory of at least so many bytes, which work put on the stream from now on may use. Where the stream captures a
  /// graph, the memory is the graph's own: it may be launched at any time.
  Result<Scratch> take(const Device& device, const Stream& stream, std::int64_t bytes);
  /// To be called when that work is on the stream.
  Result<void> give_back(Scratch scratch, const Stream& stream);

 private:
  std::mutex mutex_;
  std::vector<Scratch> free_;
};

}  // namespace pykc::jit
