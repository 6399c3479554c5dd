// Devices, streams, events and graphs.
#include "capi/handles.h"

using namespace pykc::capi;
using pykc::Result;

namespace {

pykc_device_info info_of(const pykc::DeviceInfo& from) {
  pykc_device_info info{};
  info.name = from.name.c_str();
  info.description = from.description.c_str();
  info.target = from.target.c_str();
  info.driver = from.driver.c_str();
  info.multiprocessors = from.multiprocessors;
  info.max_threads_per_block = from.max_threads_per_block;
  info.memory_bytes = from.memory_bytes;
  info.max_shared_bytes_per_block = from.max_shared_bytes_per_block;
  return info;
}

}  // namespace

extern "C" {

pykc_error* pykc_device_list_create(pykc_device_list** list) {
  return make(list, []() -> Result<std::vector<pykc::DeviceInfo>> { return pykc::Device::list(); });
}

size_t pykc_device_list_count(const pykc_device_list* list) { return list->devices.size(); }

pykc_error* pykc_device_list_get(const pykc_device_list* list, size_t index, pykc_device_info* info) {
  return guarded(
      [&]() -> Result<void> {
        if (index < list->devices.size()) return fill(*info, info_of(list->devices[index]));
        return pykc::Error{pykc::ErrorCode::NotFound, "there is no device " + std::to_string(index)};
      },
      list, info);
}

void pykc_device_list_free(pykc_device_list* list) { delete list; }

pykc_error* pykc_device_open(const char* name, pykc_device** device) {
  return make(device, [&] { return pykc::Device::open(name == nullptr ? "" : name); });
}

pykc_error* pykc_device_get_info(const pykc_device* device, pykc_device_info* info) {
  return guarded([&] { return fill(*info, info_of(device->value.info())); }, device, info);
}

const char* pykc_device_target(const pykc_device* device) { return device->value.info().target.c_str(); }
int32_t pykc_device_is_cpu(const pykc_device* device) { return device->value.is_cpu() ? 1 : 0; }

pykc_error* pykc_device_synchronize(const pykc_device* device) {
  return guarded([&] { return device->value.synchronize(); }, device);
}

pykc_error* pykc_device_cancel(const pykc_device* device) {
  return guarded([&] { return device->value.cancel(); }, device);
}

pykc_error* pykc_device_set_output(const pykc_device* device,
                                   void (*output)(void* context, const char* text, size_t length), void* context) {
  return guarded(
      [&] {
        if (output == nullptr) return device->value.set_output(nullptr);
        return device->value.set_output(
            [output, context](std::string_view text) { output(context, text.data(), text.size()); });
      },
      device);
}

void pykc_device_set_crash_messages(const pykc_device* device, int32_t on) {
  device->value.set_crash_messages(on != 0);
}

pykc_error* pykc_device_enable_peer_access(const pykc_device* device, const pykc_device* other) {
  return guarded([&] { return device->value.enable_peer_access(other->value); }, device, other);
}

void pykc_device_free(pykc_device* device) { delete device; }

pykc_error* pykc_stream_create(const pykc_device* device, pykc_stream** stream) {
  return make(
      stream, [&] { return device->value.create_stream(); }, device);
}

pykc_error* pykc_stream_default(const pykc_device* device, pykc_stream** stream) {
  return make(
      stream, [&]() -> Result<pykc::Stream> { return device->value.default_stream(); }, device);
}

pykc_error* pykc_stream_wrap(const pykc_device* device, void* native_handle, pykc_stream** stream) {
  return make(
      stream, [&] { return device->value.wrap_stream(native_handle); }, device);
}

void* pykc_stream_native_handle(const pykc_stream* stream) { return stream->value.native_handle(); }

pykc_error* pykc_stream_synchronize(const pykc_stream* stream) {
  return guarded([&] { return stream->value.synchronize(); }, stream);
}

pykc_error* pykc_stream_wait(const pykc_stream* stream, const pykc_event* event) {
  return guarded([&] { return stream->value.wait(event->value); }, stream, event);
}

pykc_error* pykc_stream_call(const pykc_stream* stream, void (*function)(void* context), void* context) {
  return guarded(
      [&]() -> Result<void> {
        if (function == nullptr) return pykc::invalid_argument("the function to call is NULL");
        return stream->value.call([function, context] { function(context); });
      },
      stream);
}

void pykc_stream_free(pykc_stream* stream) { delete stream; }

pykc_error* pykc_event_record(const pykc_stream* stream, pykc_event** event) {
  return make(
      event, [&] { return stream->value.record(); }, stream);
}

pykc_error* pykc_event_synchronize(const pykc_event* event) {
  return guarded([&] { return event->value.synchronize(); }, event);
}

pykc_error* pykc_event_milliseconds_since(const pykc_event* event, const pykc_event* earlier, double* milliseconds) {
  return guarded(
      [&]() -> Result<void> {
        ASSIGN_OR_RETURN(*milliseconds, event->value.milliseconds_since(earlier->value));
        return {};
      },
      event, earlier, milliseconds);
}

void pykc_event_free(pykc_event* event) { delete event; }

pykc_error* pykc_stream_begin_capture(const pykc_stream* stream) {
  return guarded([&] { return stream->value.begin_capture(); }, stream);
}

pykc_error* pykc_stream_end_capture(const pykc_stream* stream, pykc_graph** graph) {
  return make(
      graph, [&] { return stream->value.end_capture(); }, stream);
}

pykc_error* pykc_graph_launch(const pykc_graph* graph, const pykc_stream* stream) {
  return guarded([&] { return graph->value.launch(stream->value); }, graph, stream);
}

pykc_error* pykc_graph_update(const pykc_graph* graph, const pykc_graph* other) {
  return guarded([&] { return graph->value.update(other->value); }, graph, other);
}

void pykc_graph_free(pykc_graph* graph) { delete graph; }

}  // extern "C"
