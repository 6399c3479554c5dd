// Streams, events and graphs, by Numba's names and by CuPy's.
#include "script/functions/functions.h"
#include "script/values/storage.h"

namespace pykc::script {

struct CapturedWork {
  Graph graph;
  std::vector<std::shared_ptr<Storage>> arrays;
};

namespace {

constexpr std::uint32_t kBoth = in(Library::Prelude, Library::Cuda);

/// A stream by name; None and 0 are the current one. Null: the default stream.
Outcome<std::shared_ptr<const Stream>> stream_of(const Run& run, const Arguments& arguments, std::size_t i) {
  if (const auto* given = arguments[i].as<StreamValue>()) return given->stream;
  if (!arguments.is_none(i) && as_integer(arguments[i]) != 0) return arguments.wrong_type(i, "a stream");
  return run.streams.current;
}

/// The runtime's handle.
Outcome<Stream> handle_of(Run& run, const std::shared_ptr<const Stream>& stream) {
  if (stream) return *stream;
  ASSIGN_OR_RETURN(const Device device, run.device());
  return device.default_stream();
}

Outcome<Stream> stream_argument(Run& run, const Arguments& arguments, std::size_t i) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const Stream> stream, stream_of(run, arguments, i));
  return handle_of(run, stream);
}

/// The stream that a method was found in.
Outcome<Stream> own_stream(Run& run, const Arguments& arguments) {
  return handle_of(run, arguments[0].as<StreamValue>()->stream);
}

Value event_of(Event event) { return EventValue{std::make_shared<std::optional<Event>>(std::move(event))}; }

Outcome<Event> recorded(const Arguments& arguments, std::size_t i) {
  const auto* event = arguments[i].as<EventValue>();
  if (!event) return arguments.wrong_type(i, "an event");
  if (!*event->event) return fail(DiagnosticId::HostEventNotRecorded);
  return **event->event;
}

Outcome<Value> nothing_or_failure(Result<void> done) {
  RETURN_IF_FAILED(outcome_of(std::move(done)));
  return Value();
}

// ---- streams ----

Outcome<Value> host_stream(Run& run, const Arguments&) {
  ASSIGN_OR_RETURN(const Device device, run.device());
  ASSIGN_OR_RETURN(Stream stream, outcome_of(device.create_stream()));
  return Value(StreamValue{std::make_shared<const Stream>(std::move(stream))});
}

Outcome<Value> host_cupy_stream(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const bool is_null, arguments.flag(0));
  return is_null ? Value(StreamValue{}) : host_stream(run, arguments);
}

Outcome<Value> host_default_stream(Run&, const Arguments&) { return Value(StreamValue{}); }

Outcome<Value> host_current_stream(Run& run, const Arguments&) { return Value(StreamValue{run.streams.current}); }

Outcome<Value> host_stream_use(Run& run, const Arguments& arguments) {
  run.streams.current = arguments[0].as<StreamValue>()->stream;
  return arguments[0];
}

Outcome<Value> host_stream_synchronize(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Stream stream, own_stream(run, arguments));
  return nothing_or_failure(stream.synchronize());
}

Outcome<Value> host_auto_synchronize(Run&, const Arguments& arguments) {
  return Value(ContextValue{*arguments[0].as<StreamValue>()});
}

Outcome<Value> host_stream_wait(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Stream stream, own_stream(run, arguments));
  ASSIGN_OR_RETURN(const Event event, recorded(arguments, 1));
  return nothing_or_failure(stream.wait(event));
}

Outcome<Value> host_stream_record(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Stream stream, own_stream(run, arguments));
  ASSIGN_OR_RETURN(Event event, outcome_of(stream.record()));
  if (arguments.is_none(1)) return event_of(std::move(event));
  const auto* given = arguments[1].as<EventValue>();
  if (!given) return arguments.wrong_type(1, "an event");
  *given->event = std::move(event);
  return arguments[1];
}

// ---- events ----

Outcome<Value> host_event(Run&, const Arguments&) {
  return Value(EventValue{std::make_shared<std::optional<Event>>()});
}

Outcome<Value> host_event_record(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Stream stream, stream_argument(run, arguments, 1));
  ASSIGN_OR_RETURN(Event event, outcome_of(stream.record()));
  *arguments[0].as<EventValue>()->event = std::move(event);
  return Value();
}

Outcome<Value> host_event_wait(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Event event, recorded(arguments, 0));
  ASSIGN_OR_RETURN(const Stream stream, stream_argument(run, arguments, 1));
  return nothing_or_failure(stream.wait(event));
}

Outcome<Value> host_event_synchronize(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Event event, recorded(arguments, 0));
  return nothing_or_failure(event.synchronize());
}

Outcome<Value> host_elapsed(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Event start, recorded(arguments, 0));
  ASSIGN_OR_RETURN(const Event end, recorded(arguments, 1));
  ASSIGN_OR_RETURN(const double milliseconds, outcome_of(end.milliseconds_since(start)));
  return Value(milliseconds);
}

// ---- graphs ----

Outcome<Value> host_begin_capture(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Stream stream, own_stream(run, arguments));
  run.streams.captured.clear();
  return nothing_or_failure(stream.begin_capture());
}

Outcome<Value> host_end_capture(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Stream stream, own_stream(run, arguments));
  ASSIGN_OR_RETURN(Graph graph, outcome_of(stream.end_capture()));
  return Value(GraphValue{
      std::make_shared<const CapturedWork>(CapturedWork{std::move(graph), std::exchange(run.streams.captured, {})})});
}

Outcome<Value> host_is_capturing(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Stream stream, own_stream(run, arguments));
  return Value(stream.is_capturing());
}

/// The arrays are brought to the device as for any launch, and what the host has of them is stale then.
Outcome<Value> host_graph_launch(Run& run, const Arguments& arguments) {
  const CapturedWork& work = *arguments[0].as<GraphValue>()->work;
  ASSIGN_OR_RETURN(const Stream stream, stream_argument(run, arguments, 1));
  ASSIGN_OR_RETURN(DeviceOperations* const device, run.operations());
  for (const std::shared_ptr<Storage>& array : work.arrays) RETURN_IF_FAILED(array->launch(*device));
  return nothing_or_failure(work.graph.launch(stream));
}

constexpr HostFunction kStreamFunctions[] = {
    {"stream", kBoth, "", host_stream, "A new queue of work."},
    {"Stream", in(Library::CupyCuda), "null=False, non_blocking=False, ptds=False, priority=None", host_cupy_stream,
     "A new queue of work; `with stream:` puts what names no stream there, and `Stream.null` is the default one."},
    {"default_stream", in(Library::Cuda), "", host_default_stream, "The stream of launches that name none."},
    {"legacy_default_stream", in(Library::Cuda), "", host_default_stream, "The same."},
    {"get_current_stream", in(Library::CupyCuda), "", host_current_stream,
     "The stream of `with stream:` or `stream.use()`, else the default one."},
    {"use", in(Library::StreamMethod), "self", host_stream_use, "Makes it the current stream from now on."},
    {"synchronize", in(Library::StreamMethod), "self", host_stream_synchronize, "Waits for the stream's work."},
    {"auto_synchronize", in(Library::StreamMethod), "self", host_auto_synchronize,
     "For `with`: the stream's work is waited for where the body ends."},
    {"wait_event", in(Library::StreamMethod), "self, event", host_stream_wait,
     "Work put on the stream from now on waits for the event."},
    {"record", in(Library::StreamMethod), "self, event=None", host_stream_record,
     "Sets the event, or a new one, behind the stream's work so far; gives it."},
    {"begin_capture", in(Library::StreamMethod), "self", host_begin_capture,
     "From now on launches on the stream are not run, but become a graph. Launch them once before."},
    {"end_capture", in(Library::StreamMethod), "self", host_end_capture, "The graph of what was captured."},
    {"is_capturing", in(Library::StreamMethod), "self", host_is_capturing, "Whether it captures."},
    {"launch", in(Library::GraphMethod), "self, stream=None", host_graph_launch,
     "Runs all that was captured, on the current stream where none is named."},
    {"event", kBoth, "timing=True", host_event, "A mark in a stream's work."},
    {"Event", in(Library::CupyCuda), "block=False, disable_timing=False", host_event, "A mark in a stream's work."},
    {"record", in(Library::EventMethod), "self, stream=None", host_event_record,
     "Sets the mark behind all work so far."},
    {"wait", in(Library::EventMethod), "self, stream=None", host_event_wait,
     "Work put on the stream from now on waits for the event."},
    {"synchronize", in(Library::EventMethod), "self", host_event_synchronize,
     "Waits until the device has reached the mark."},
    {"elapsed_time", in(Library::EventMethod), "self, end", host_elapsed, "Milliseconds from this event to `end`."},
    {"event_elapsed_time", in(Library::Cuda), "start, end", host_elapsed, "Milliseconds between two events."},
    {"get_elapsed_time", in(Library::CupyCuda), "start, end", host_elapsed, "Milliseconds between two events."},
    {"elapsed", in(Library::Prelude), "start, end", host_elapsed, "Milliseconds between two events."},
};

}  // namespace

std::span<const HostFunction> stream_functions() { return kStreamFunctions; }

}  // namespace pykc::script
