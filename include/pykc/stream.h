// Streams, queues of a device's work, and events, points in them. See runtime.h for ownership, threads and order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "pykc/error.h"

namespace [[gnu::visibility("default")]] pykc {

class Buffer;
class Stream;
template <typename T>
class Array;

namespace detail {
struct Elements;
struct EventState;
struct GraphState;
struct StreamState;
}  // namespace detail

/// A point in a stream's work, made by Stream::record(). One that is recorded while the stream captures a graph is a
/// point in the graph: streams wait for it to take part in the capture, and nothing else can.
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

/// Work that streams have captured, to be launched as one, any number of times; on a GPU that costs the host far less
/// than launching its parts. It keeps the kernels' modules, the scratch memory of reductions, and what
/// Stream::keep_in_graph() was given. Other arrays and host memory that the work uses must outlive it, and are read and
/// written anew by each launch. Launches of one graph follow one another, on whatever streams they are.
class Graph {
 public:
  /// Puts all of the work on a stream of the device that it was captured on.
  Result<void> launch(const Stream& stream) const;
  /// From now on launches do what those of `other` do, which was captured on the same device and stays as it is; both
  /// then keep what the work uses. On a GPU that takes a fraction of the time of a new graph where the work differs in
  /// arguments, addresses and sizes alone, and about that of a new one where it has other parts. It waits for earlier
  /// launches only where host functions are part of them (Stream::call).
  Result<void> update(const Graph& other) const;

 private:
  friend class Stream;
  explicit Graph(std::shared_ptr<detail::GraphState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::GraphState> state_;
};

/// A queue of work: what is put on it runs in order, and beside the work of other streams.
class Stream {
 public:
  /// Waits until all work of the stream is done.
  Result<void> synchronize() const;
  /// Marks the point that the stream's work has reached.
  Result<Event> record() const;
  /// Work put on this stream after this call waits for `event`. One that was recorded in a capture makes this stream
  /// take part in it.
  Result<void> wait(const Event& event) const;
  /// Calls `function` once the work before it is done; the work after it waits for its end. On a GPU it runs on a
  /// thread of the driver and must neither use a device nor throw; on the CPU device, where work is done when it is
  /// given, it runs at once. After a fault that loses the CUDA context it is not called.
  Result<void> call(std::function<void()> function) const;

  /// A GPU's `CUstream`, which is the CUDA runtime's `cudaStream_t`: for cuBLAS, cuFFT, NCCL and other code that puts
  /// its own work here, in order with pykc's, and into the graph while the stream captures one. It lives as long as the
  /// stream, and must not be destroyed. Null for the default stream, whose name in CUDA that is, and on the CPU device.
  /// See Device::make_current().
  void* native_handle() const;

  /// From begin_capture() to end_capture(), launches, copies and calls that one thread puts on this stream are not done
  /// but become a Graph. Meanwhile nothing can wait for the stream, and it gives no memory. The default stream cannot
  /// capture. On a GPU, copies without a stream fail while a stream captures.
  ///
  /// Other streams take part: one that waits for an event of the capture puts its work into the same graph, beside the
  /// work of the first, until that stream ends the capture, which must have waited for all of it:
  ///
  ///   first.begin_capture();
  ///   a.launch({.grid = …, .stream = &first}, …);
  ///   second.wait(*first.record());                // fork
  ///   b.launch({.grid = …, .stream = &first}, …);
  ///   c.launch({.grid = …, .stream = &second}, …);  // beside b
  ///   first.wait(*second.record());                // join
  ///   Graph graph = *first.end_capture();
  ///
  /// Threads: all calls for one capture come from one thread.
  Result<void> begin_capture() const;
  Result<Graph> end_capture() const;
  /// Whether the stream captures a graph, or takes part in a capture.
  bool is_capturing() const;
  /// While it does: `owner`, whatever it holds, lives as long as the graph.
  Result<void> keep_in_graph(std::shared_ptr<const void> owner) const;

  /// Memory of the device's pool (pool.h), for work that is put on this stream from now on; another stream must wait
  /// for an event of this one. When the last handle is gone, the memory goes back to the pool after the stream's work
  /// so far.
  template <typename T>
  Result<Array<T>> allocate(const std::vector<std::int64_t>& shape) const;
  Result<Buffer> allocate_bytes(std::int64_t bytes) const;

 private:
  friend class Buffer;
  friend class Device;
  friend class Graph;
  friend class Kernel;
  friend struct detail::Elements;
  Result<void> check_not_capturing(const char* what) const;
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::StreamState> state_;
};

}  // namespace pykc
