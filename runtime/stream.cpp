// Streams, events and graphs: each call checks what all devices ask for, then goes to the device's own state.
#include <algorithm>

#include "base/errors.h"
#include "runtime/device.h"

namespace pykc {
namespace {

Error other_device(const char* what) { return invalid_argument(std::string(what) + " belongs to another device"); }

Error no_point_in_time() {
  return invalid_argument(
      "the event was recorded while its stream captured a graph: it says in which order the graph's work is "
      "done, and happens at no one time; record another behind the graph's launch");
}

/// Why a stream cannot wait for the event of a capture, or nothing.
std::string_view why_not_in_capture(const detail::StreamState& stream, const detail::EventState& event) {
  const detail::GraphState& graph = *event.captured_in;
  if (graph.device.get() != &stream.device) return "which is one of another device";
  if (graph.origin == nullptr) return "which has ended; wait for an event that is recorded behind the graph's launch";
  if (stream.is_capturing() && stream.graph() != &graph) return "and this stream takes part in another";
  if (&stream == &stream.device.default_stream())
    return "and the default stream cannot take part, since all streams wait for it";
  return {};
}

}  // namespace

void detail::GraphState::close() {
  const std::shared_ptr<GraphState> self = shared_from_this();
  origin = nullptr;
  while (!streams.empty()) streams.back()->leave_capture();
}

Error detail::GraphState::unjoined() {
  return invalid_argument(
      "the capture ended before its first stream had waited for all work of the others: make it wait for an "
      "event that each of them records behind its last piece of work, then call end_capture()");
}

void detail::StreamState::join_capture(std::shared_ptr<GraphState> graph) {
  graph_ = std::move(graph);
  graph_->streams.push_back(this);
  is_capturing_.store(true, std::memory_order_release);
}

void detail::StreamState::leave_capture() {
  if (!is_capturing()) return;
  is_capturing_.store(false, std::memory_order_release);
  std::erase(graph_->streams, this);
  graph_.reset();
}

Result<void> Event::synchronize() const try {
  if (state_->captured_in) return no_point_in_time();
  return state_->synchronize();
} catch (...) {
  return error_in_flight();
}

Result<double> Event::milliseconds_since(const Event& earlier) const try {
  if (state_->captured_in || earlier.state_->captured_in) return no_point_in_time();
  if (state_->device != earlier.state_->device) return other_device("the earlier event");
  RETURN_IF_FAILED(earlier.synchronize());
  RETURN_IF_FAILED(synchronize());
  return state_->milliseconds_since(*earlier.state_);
} catch (...) {
  return error_in_flight();
}

Result<void> Graph::launch(const Stream& stream) const try {
  if (&stream.state_->device != state_->device.get()) return other_device("the stream of a graph's launch");
  return state_->launch(*stream.state_);
} catch (...) {
  return error_in_flight();
}

Result<void> Graph::update(const Graph& other) const try {
  if (other.state_ == state_) return {};
  if (other.state_->device != state_->device) return other_device("the graph that another is updated from");
  return state_->update(*other.state_);
} catch (...) {
  return error_in_flight();
}

bool Stream::is_capturing() const { return state_->is_capturing(); }

Result<void> Stream::keep_in_graph(std::shared_ptr<const void> owner) const try {
  detail::GraphState* const graph = state_->graph();
  if (graph == nullptr) return invalid_argument("the stream captures no graph that could keep anything");
  graph->keep(std::move(owner));
  return {};
} catch (...) {
  return error_in_flight();
}

Result<void> Stream::check_not_capturing(const char* what) const {
  if (!state_->is_capturing()) return {};
  return invalid_argument(std::string("while a stream captures a graph, ") + what + "; call end_capture() first");
}

Result<void> Stream::begin_capture() const try {
  RETURN_IF_FAILED(check_not_capturing("it cannot begin another"));
  if (state_.get() == &state_->device.default_stream())
    return Error{
        ErrorCode::InvalidArgument,
        "the default stream cannot capture a graph, since all streams wait for it; make one by create_stream()"};
  return state_->begin_capture();
} catch (...) {
  return error_in_flight();
}

Result<Graph> Stream::end_capture() const try {
  if (!state_->is_capturing()) return invalid_argument("the stream captures no graph; call begin_capture() first");
  if (state_->graph()->origin != state_.get())
    return invalid_argument("the stream takes part in a capture that another began: end_capture() there");
  ASSIGN_OR_RETURN(std::shared_ptr<detail::GraphState> graph, state_->end_capture());
  return Graph(std::move(graph));
} catch (...) {
  return error_in_flight();
}

Result<void> Stream::synchronize() const try {
  RETURN_IF_FAILED(check_not_capturing("there is nothing to wait for"));
  return state_->synchronize();
} catch (...) {
  return error_in_flight();
}

Result<Event> Stream::record() const try {
  ASSIGN_OR_RETURN(std::shared_ptr<detail::EventState> event, state_->record());
  return Event(std::move(event));
} catch (...) {
  return error_in_flight();
}

Result<void> Stream::wait(const Event& event) const try {
  if (event.state_->captured_in != nullptr) {
    if (const std::string_view why = why_not_in_capture(*state_, *event.state_); !why.empty())
      return invalid_argument("the event was recorded in a capture, " + std::string(why));
    return state_->wait(*event.state_);
  }
  RETURN_IF_FAILED(check_not_capturing("it waits for no event from outside of the capture"));
  // An event of another device is waited for here, on the host.
  if (event.state_->device.get() != &state_->device) return event.synchronize();
  return state_->wait(*event.state_);
} catch (...) {
  return error_in_flight();
}

Result<void> Stream::call(std::function<void()> function) const try {
  if (!function) return invalid_argument("the function that a stream is to call is empty");
  return state_->call(std::move(function));
} catch (...) {
  return error_in_flight();
}

void* Stream::native_handle() const { return state_->native_handle(); }

}  // namespace pykc
