// Streams, queues of a device's work, and events, points in them. See runtime.h for ownership, threads and order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "pykc/error.h"

namespace pykc {

class Buffer;
template <typename T>
class Array;

namespace detail {
struct Elements;
struct EventState;
struct StreamState;
}  // namespace detail

/// A point in a stream's work, made by Stream::record().
class Event {
 public:
  /// Milliseconds from `earlier` to this event; waits for both.
  Result<double> milliseconds_since(const Event& earlier) const;
  Result<void> synchronize() const;

 private:
  friend class Device;
  friend class Stream;
  explicit Event(std::shared_ptr<detail::EventState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::EventState> state_;
};

/// A queue of work: what is put on it runs in order, and beside the work of other streams.
class Stream {
 public:
  /// Waits until all work of the stream is done.
  Result<void> synchronize() const;
  /// Marks the point that the stream's work has reached.
  Result<Event> record() const;
  /// Work put on this stream after this call waits for `event`.
  Result<void> wait(const Event& event) const;
  /// Calls `function` once the work before it is done; the work after it waits for its end. On a GPU it runs on a
  /// thread of the driver and must neither use a device nor throw; on the CPU device, where work is done when it is
  /// given, it runs at once. After a fault that loses the CUDA context it is not called.
  Result<void> call(std::function<void()> function) const;

  /// Memory of the device's pool (pool.h), for work that is put on this stream from now on; another stream must wait
  /// for an event of this one. When the last handle is gone, the memory goes back to the pool after the stream's work
  /// so far.
  template <typename T>
  Result<Array<T>> allocate(const std::vector<std::int64_t>& shape) const;
  Result<Buffer> allocate_bytes(std::int64_t bytes) const;

 private:
  friend class Buffer;
  friend class Device;
  friend class Kernel;
  friend struct detail::Elements;
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::StreamState> state_;
};

}  // namespace pykc
