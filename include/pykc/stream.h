// Streams, queues of a device's work, and events, points in them. See runtime.h for ownership, threads and order.
#pragma once

#include <memory>
#include <utility>

#include "pykc/error.h"

namespace pykc {

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

 private:
  friend class Buffer;
  friend class Device;
  friend class Kernel;
  friend struct detail::Elements;
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::StreamState> state_;
};

}  // namespace pykc
