// Streams, as Python holds them, and the one that takes work that names none.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "pykc/device.h"
#include "pykc/runtime.h"

namespace pykc::python {

namespace nb = nanobind;

/// Null for None.
const Stream* stream_of(nb::handle stream);

/// The stream of this thread that takes work of the device that names none; null for the default stream.
const Stream* current_stream(const Device& device);

/// What work goes to: the stream that it names, else the current one.
const Stream* stream_for(nb::handle named, const Device& device);

/// Where the stream captures a graph, that keeps `owner`. Null captures none.
void keep_in_graph(const Stream* stream, std::shared_ptr<const void> owner);

/// Raises a ValueError where the stream captures a graph: copies between the host and a device cannot be part of it,
/// since the host's memory is the caller's again when they return.
void check_no_capture(const Stream* stream);

void add_streams(nb::module_& module);

}  // namespace pykc::python
