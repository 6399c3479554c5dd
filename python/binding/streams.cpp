#include "python/binding/streams.h"

#include <cstdint>
#include <optional>

#include "python/binding/errors.h"
#include "python/binding/options.h"

namespace pykc::python {
namespace {

/// What `use_stream` was given; Python keeps both.
struct Current {
  const Device* device = nullptr;
  const Stream* stream = nullptr;
};
thread_local Current current;

/// A graph, which goes once its last launch is done: until then that uses the memory that it keeps.
struct CapturedGraph {
  Graph graph;
  std::optional<Stream> launched_on = std::nullopt;

  explicit CapturedGraph(Graph captured) : graph(std::move(captured)) {}
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;
  ~CapturedGraph() {
    // What went wrong on the stream is told to who waits for it.
    if (launched_on && !launched_on->is_capturing()) (void)without_gil([&] { return launched_on->synchronize(); });
  }

  Result<void> launch(const Stream& stream) {
    RETURN_IF_FAILED(graph.launch(stream));
    launched_on = stream;
    return {};
  }
};

}  // namespace

const Stream* stream_of(nb::handle stream) { return stream.is_none() ? nullptr : nb::cast<const Stream*>(stream); }

const Stream* current_stream(const Device& device) {
  return current.device != nullptr && current.device->state() == device.state() ? current.stream : nullptr;
}

const Stream* stream_for(nb::handle named, const Device& device) {
  return named.is_none() ? current_stream(device) : stream_of(named);
}

void keep_in_graph(const Stream* stream, std::shared_ptr<const void> owner) {
  if (stream != nullptr && stream->is_capturing()) take(stream->keep_in_graph(std::move(owner)));
}

void check_no_capture(const Stream* stream) {
  if (stream != nullptr && stream->is_capturing())
    throw nb::value_error(
        "while a stream captures a graph, nothing is copied between the host and the device, and kernels take no "
        "arrays of the host: put arrays on the device before begin_capture(), and read them behind the graph's launch");
}

void add_streams(nb::module_& module) {
  nb::class_<Event>(module, "Event")
      .def("synchronize", [](const Event& event) { take(without_gil([&] { return event.synchronize(); })); })
      .def("milliseconds_since", [](const Event& event, const Event& earlier) {
        return take(without_gil([&] { return event.milliseconds_since(earlier); }));
      });
  nb::class_<CapturedGraph>(module, "Graph").def("launch", [](CapturedGraph& graph, const Stream& stream) {
    take(without_gil([&] { return graph.launch(stream); }));
  });
  nb::class_<Stream>(module, "Stream", nb::is_weak_referenceable())
      .def("synchronize", [](const Stream& stream) { take(without_gil([&] { return stream.synchronize(); })); })
      .def("record", [](const Stream& stream) { return take(stream.record()); })
      .def("wait", [](const Stream& stream, const Event& event) { take(stream.wait(event)); })
      .def_prop_ro("native_handle",
                   [](const Stream& stream) { return reinterpret_cast<std::uintptr_t>(stream.native_handle()); })
      .def("begin_capture", [](const Stream& stream) { take(stream.begin_capture()); })
      .def(
          "end_capture", [](const Stream& stream) { return new CapturedGraph(take(stream.end_capture())); },
          nb::rv_policy::take_ownership)
      .def_prop_ro("is_capturing", &Stream::is_capturing)
      .def("keep_in_graph",
           [](const Stream& stream, nb::handle owner) { keep_in_graph(&stream, held(nb::borrow(owner))); });
  module.def(
      "use_stream",
      [](nb::handle device, nb::handle stream) {
        current = stream.is_none() ? Current() : Current{nb::cast<const Device*>(device), stream_of(stream)};
      },
      nb::arg("device").none(), nb::arg("stream").none(),
      "Makes it the one of this thread for work of the device that names none; both must be kept. None: the default.");
}

}  // namespace pykc::python
