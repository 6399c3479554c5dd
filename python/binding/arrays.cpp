#include "python/binding/arrays.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "python/binding/dlpack.h"
#include "python/binding/elements.h"
#include "python/binding/errors.h"
#include "python/binding/options.h"
#include "python/binding/streams.h"

namespace pykc::python {
namespace {

nb::tuple tuple_of(std::span<const std::int64_t> values, std::int64_t factor = 1) {
  nb::list list;
  for (const std::int64_t value : values) list.append(value * factor);
  return nb::tuple(list);
}

DeviceArray view_of(const DeviceArray& array, Mapping mapping) {
  DeviceArray view = array;
  view.mapping = mapping;
  return view;
}

// --- Indices ---------------------------------------------------------------------------------------------------------

/// Where 64 bits do not hold it, it lies behind every array.
std::optional<std::int64_t> bound_of(nb::handle value) {
  if (value.is_none()) return std::nullopt;
  const Py_ssize_t bound = PyNumber_AsSsize_t(value.ptr(), nullptr);
  if (bound == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  return bound;
}

void append_index(nb::handle key, std::vector<Index>& indices) {
  if (key.is_none()) return indices.push_back(newaxis);
  if (PySlice_Check(key.ptr())) {
    Slice slice{bound_of(key.attr("start")), bound_of(key.attr("stop")), 1};
    slice.step = bound_of(key.attr("step")).value_or(1);
    return indices.push_back(slice);
  }
  if (PyIndex_Check(key.ptr()) == 0) throw nb::type_error("an index is an integer, a slice, None or ...");
  indices.push_back(*bound_of(key));
}

/// x[key] as NumPy reads it, but for arrays as indices.
std::vector<Index> indices_of(const nb::object& key, int rank) {
  const nb::tuple keys = nb::isinstance<nb::tuple>(key) ? nb::borrow<nb::tuple>(key) : nb::make_tuple(key);
  std::ptrdiff_t named = 0;
  for (const nb::handle item : keys) named += !item.is_none() && item.ptr() != Py_Ellipsis;
  std::vector<Index> indices;
  bool has_ellipsis = false;
  for (const nb::handle item : keys) {
    if (item.ptr() != Py_Ellipsis) {
      append_index(item, indices);
      continue;
    }
    if (std::exchange(has_ellipsis, true)) throw nb::index_error("an index has one ellipsis at most");
    for (std::ptrdiff_t axis = named; axis < rank; ++axis) indices.emplace_back(Slice());
  }
  return indices;
}

// --- Copies ----------------------------------------------------------------------------------------------------------

void check_same_element(const DeviceArray& array, const ElementType& other) {
  const bool is_same = array.element == other || (array.element.is_record() && other.is_record() &&
                                                  size_in_bytes(other) == array.element_bytes());
  if (!is_same)
    throw nb::type_error(("the array holds " + typestr_of(array.element) + ", the other " + typestr_of(other)).c_str());
}

void copy_from(const DeviceArray& array, nb::handle source, nb::handle stream) {
  const Stream* const on = stream_for(stream, array.device);
  if (nb::isinstance<DeviceArray>(source)) {
    const DeviceArray& other = *nb::cast<const DeviceArray*>(source);
    check_same_element(array, other.element);
    keep_in_graph(on, std::make_shared<std::pair<Buffer, Buffer>>(array.buffer, other.buffer));
    return take(without_gil([&] { return array.elements().copy_from(other.elements(), on); }));
  }
  const HostBuffer host(source);
  if (!host) throw nb::type_error("only arrays, and what shows its memory as NumPy's arrays do, can be copied");
  check_same_element(array, host.element());
  check_no_capture(on);
  take(without_gil([&] {
    Result<void> done = array.elements().copy_from_host(host.first(), host.mapping(), on);
    // The object's memory is the caller's again when this returns.
    return done && on != nullptr ? on->synchronize() : std::move(done);
  }));
}

void copy_to(const DeviceArray& array, nb::handle target, nb::handle stream) {
  const Stream* const on = stream_for(stream, array.device);
  check_no_capture(on);
  const HostBuffer host(target);
  if (!host) throw nb::type_error("an array is copied to what shows its memory as NumPy's arrays do");
  if (host.is_read_only()) throw nb::value_error("the host's array is read-only");
  check_same_element(array, host.element());
  take(without_gil([&] {
    Result<void> done = array.elements().copy_to_host(host.first(), host.mapping(), on);
    return done && on != nullptr ? on->synchronize() : std::move(done);
  }));
}

// --- Other libraries -------------------------------------------------------------------------------------------------

nb::dict array_interface(const DeviceArray& array, int version) {
  const bool is_foreign = !array.element.is_record() && info(array.element.scalar).npy.empty();
  if (is_foreign) {
    const std::string name(info(array.element.scalar).numpy);
    throw nb::attribute_error(("NumPy has no " + name + " of its own").c_str());
  }
  nb::dict description;
  description["shape"] = tuple_of(array.mapping.shape());
  description["typestr"] = typestr_of(array.element);
  description["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.first()), false);
  description["strides"] = tuple_of(array.mapping.strides(), array.element_bytes());
  description["version"] = version;
  return description;
}

DeviceArray wrap_at(const Device& device, void* first, const ElementType& element, const Mapping& mapping,
                    std::shared_ptr<void> owner) {
  detail::WrappedElements wrapped = take(
      detail::wrap_elements(device, first, mapping, size_in_bytes(element), alignment_of(element), std::move(owner)));
  return {device, element, std::move(wrapped.buffer), wrapped.mapping};
}

DeviceArray wrap_cuda_array(const Device& device, nb::handle object) {
  const nb::object description = object.attr("__cuda_array_interface__");
  const ElementType element = element_of(description["typestr"]);
  const std::vector<std::int64_t> extents = extents_of(description["shape"]);
  const nb::object given = description.attr("get")("strides");
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t step = size_in_bytes(element);
  for (std::size_t axis = extents.size(); axis-- > 0; step *= extents[axis])
    strides[axis] = given.is_none() ? step : nb::cast<std::int64_t>(given[axis]);
  auto* const first = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(description["data"][0]));
  return wrap_at(device, first, element, mapping_of_bytes(extents, strides, size_in_bytes(element)),
                 held(nb::borrow(object)));
}

/// The host's memory, which the object must not let go or move meanwhile: a view of it is held.
DeviceArray wrap_host(const Device& device, HostBuffer buffer) {
  if (buffer.is_read_only()) throw nb::value_error("the array is read-only; kernels may write to what they are given");
  const auto held = std::shared_ptr<HostBuffer>(new HostBuffer(std::move(buffer)), [](HostBuffer* own) {
    const nb::gil_scoped_acquire acquired;
    delete own;
  });
  return wrap_at(device, held->first(), held->element(), held->mapping(), held);
}

DeviceArray wrap_or_refuse(const Device& device, nb::handle object) {
  if (std::optional<DeviceArray> wrapped = wrap(device, object)) return *std::move(wrapped);
  throw nb::type_error("neither __cuda_array_interface__, __dlpack__ nor, on the CPU device, a buffer of the host");
}

Layout layout_of(const std::string& order) {
  if (order == "F") return Layout::ColumnMajor;
  if (order == "C" || order == "K" || order == "A") return Layout::RowMajor;
  throw nb::value_error("`order` is \"C\" or \"F\"");
}

}  // namespace

std::vector<std::int64_t> extents_of(nb::handle shape) {
  std::vector<std::int64_t> extents;
  if (PyIndex_Check(shape.ptr()) != 0) return {*bound_of(shape)};
  for (const nb::handle extent : shape) extents.push_back(*bound_of(extent));
  return extents;
}

Argument array_argument(void* first, const ElementType& element, const Mapping& mapping) {
  Argument argument;
  argument.is_array = true;
  argument.record = element.record;
  argument.type = element.is_record() ? ScalarType::U8 : element.scalar;
  argument.rank = mapping.rank();
  argument.address = first;
  std::ranges::copy(mapping.shape(), argument.extents);
  std::ranges::copy(mapping.strides(), argument.strides);
  return argument;
}

DeviceArray allocate(const Device& device, const ElementType& element, std::span<const std::int64_t> shape,
                     Layout order, MemorySource source) {
  const detail::DenseMemory dense = take(detail::dense_memory(shape, order, size_in_bytes(element)));
  const Stream* const current = current_stream(device);
  const bool is_capturing = current != nullptr && current->is_capturing();  // then it gives no memory
  Buffer buffer = take(without_gil([&] {
    if (source == MemorySource::Device) return device.allocate_bytes(dense.bytes);
    return (current == nullptr || is_capturing ? device.default_stream() : *current).allocate_bytes(dense.bytes);
  }));
  keep_in_graph(current, std::make_shared<Buffer>(buffer));
  return {device, element, std::move(buffer), dense.mapping};
}

std::optional<DeviceArray> wrap(const Device& device, nb::handle object) {
  if (device.is_cpu() && PyObject_CheckBuffer(object.ptr()) != 0)
    if (HostBuffer buffer(object); buffer) return wrap_host(device, std::move(buffer));
  if (!device.is_cpu() && nb::hasattr(object, "__cuda_array_interface__")) return wrap_cuda_array(device, object);
  if (!nb::hasattr(object, "__dlpack__")) return std::nullopt;
  nb::object capsule;
  try {
    capsule = object.attr("__dlpack__")(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    capsule = object.attr("__dlpack__")();  // from before DLPack 1.0
  }
  return import_capsule(device, capsule);
}

void add_arrays(nb::module_& module) {
  nb::class_<DeviceArray>(module, "Array", nb::is_weak_referenceable())
      .def("__init__", [](DeviceArray* self, const DeviceArray& other) { new (self) DeviceArray(other); })
      .def_prop_ro("device", [](const DeviceArray& array) { return array.device; })
      .def_prop_ro("typestr", [](const DeviceArray& array) { return typestr_of(array.element); })
      .def_prop_ro("shape", [](const DeviceArray& array) { return tuple_of(array.mapping.shape()); })
      .def_prop_ro("strides",
                   [](const DeviceArray& array) { return tuple_of(array.mapping.strides(), array.element_bytes()); })
      .def_prop_ro("ndim", [](const DeviceArray& array) { return array.mapping.rank(); })
      .def_prop_ro("size", [](const DeviceArray& array) { return array.mapping.size(); })
      .def_prop_ro("itemsize", &DeviceArray::element_bytes)
      .def_prop_ro("nbytes", [](const DeviceArray& array) { return array.mapping.size() * array.element_bytes(); })
      .def_prop_ro("place", [](const DeviceArray& array) { return reinterpret_cast<std::uintptr_t>(array.first()); })
      // For others than us, who may write there.
      .def_prop_ro("address",
                   [](const DeviceArray& array) {
                     (void)array.buffer.address();
                     return reinterpret_cast<std::uintptr_t>(array.first());
                   })
      .def(
          "is_contiguous",
          [](const DeviceArray& array, const std::string& order) {
            return array.mapping.is_contiguous(layout_of(order));
          },
          nb::arg("order") = "C")
      .def("copy_from", &copy_from, nb::arg("source"), nb::arg("stream") = nb::none())
      .def("copy_to", &copy_to, nb::arg("target"), nb::arg("stream") = nb::none())
      .def(
          "fill_zero",
          [](const DeviceArray& array, nb::handle stream) {
            const Stream* const on = stream_for(stream, array.device);
            keep_in_graph(on, std::make_shared<Buffer>(array.buffer));
            take(without_gil([&] { return array.elements().fill_zero(on); }));
          },
          nb::arg("stream") = nb::none())
      .def(
          "__getitem__",
          [](const DeviceArray& array, const nb::object& key) {
            return view_of(array, take(array.mapping.slice(indices_of(key, array.mapping.rank()))));
          },
          nb::arg("key").none())
      .def("reshaped", [](const DeviceArray& array,
                          nb::handle shape) { return view_of(array, take(array.mapping.reshape(extents_of(shape)))); })
      .def("become", [](DeviceArray& array, const DeviceArray& other) { array = other; })
      .def("permuted", [](const DeviceArray& array,
                          const std::vector<int>& axes) { return view_of(array, take(array.mapping.permute(axes))); })
      .def("transposed", [](const DeviceArray& array) { return view_of(array, array.mapping.transpose()); })
      .def(
          "strided",
          [](const DeviceArray& array, nb::handle shape, nb::handle strides, std::int64_t offset) {
            DeviceArray view = view_of(
                array, take(Mapping::strided(extents_of(shape), extents_of(strides), array.mapping.offset() + offset)));
            take(view.elements().check(alignment_of(view.element)));
            return view;
          },
          nb::arg("shape"), nb::arg("strides"), nb::arg("offset") = 0,
          "A view with these extents and strides, in elements; one that leaves the array's memory is an error.")
      .def("__dlpack__", &to_dlpack, nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
           nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none())
      .def("__dlpack_device__", &dlpack_device)
      .def_prop_ro("__array_interface__",
                   [](const DeviceArray& array) {
                     if (!array.device.is_cpu()) throw nb::attribute_error("the array lies on a GPU");
                     return array_interface(array, 3);
                   })
      .def_prop_ro("__cuda_array_interface__", [](const DeviceArray& array) {
        if (array.device.is_cpu()) throw nb::attribute_error("the array lies on the host");
        nb::dict description = array_interface(array, 3);
        const Stream* const current = current_stream(array.device);
        description["stream"] = current == nullptr ? 1 : reinterpret_cast<std::uintptr_t>(current->native_handle());
        return description;
      });
  module.def("wrap", &wrap_or_refuse, nb::arg("device"), nb::arg("object"),
             "The memory of another library's array as an Array, without a copy.");
  module.def(
      "allocate",
      [](const Device& device, nb::handle dtype, nb::handle shape, const std::string& order, bool from_pool) {
        return allocate(device, element_of(dtype), extents_of(shape), layout_of(order),
                        from_pool ? MemorySource::Pool : MemorySource::Device);
      },
      nb::arg("device"), nb::arg("dtype"), nb::arg("shape"), nb::arg("order") = "C", nb::arg("from_pool") = false,
      "Memory of the device; of its pool, it is used again once nobody has it.");
  module.def("typestr", [](nb::handle dtype) { return typestr_of(element_of(dtype)); });
}

}  // namespace pykc::python
