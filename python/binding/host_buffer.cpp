#include "python/binding/host_buffer.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "python/binding/elements.h"
#include "python/binding/errors.h"

namespace pykc::python {
namespace {

std::int64_t as_integer(nb::handle value) {
  const long long number = PyLong_AsLongLong(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  return number;
}

}  // namespace

Mapping mapping_of_bytes(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides,
                         std::int64_t element_bytes) {
  std::array<std::int64_t, kMaxRank> steps{};
  if (extents.size() > steps.size()) throw nb::value_error("an array of kernels has at most 8 axes");
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (strides[axis] % element_bytes != 0 && extents[axis] > 1)
      throw nb::value_error(
          "the elements lie no whole number of elements apart, as in a view of a record's field; "
          "pass the records, or a copy");
    steps[axis] = strides[axis] / element_bytes;
  }
  return take(Mapping::strided(extents, {steps.data(), extents.size()}));
}

HostBuffer::HostBuffer(nb::handle owner) {
  if (PyObject_CheckBuffer(owner.ptr()) == 0) {
    (void)take_array_interface(owner);
    return;
  }
  if (PyObject_GetBuffer(owner.ptr(), &view_, PyBUF_RECORDS_RO) != 0) {
    // Types that the buffer protocol has no letter for, such as bfloat16.
    PyErr_Clear();
    if (!take_array_interface(owner)) throw nb::type_error("this object's memory cannot be shared");
    return;
  }
  holds_view_ = true;
  take_view(owner);
}

HostBuffer::HostBuffer(HostBuffer&& other) noexcept
    : view_(other.view_),
      holds_view_(std::exchange(other.holds_view_, false)),
      owner_(std::move(other.owner_)),
      element_(std::move(other.element_)),
      mapping_(other.mapping_),
      first_(other.first_),
      is_read_only_(other.is_read_only_) {}

bool HostBuffer::shows_same(const HostBuffer& other) const {
  return first_ == other.first_ && element_ == other.element_ && is_read_only_ == other.is_read_only_ &&
         std::ranges::equal(mapping_.shape(), other.mapping_.shape()) &&
         std::ranges::equal(mapping_.strides(), other.mapping_.strides());
}

void HostBuffer::release() {
  if (std::exchange(holds_view_, false)) PyBuffer_Release(&view_);
}

void HostBuffer::take_view(nb::handle owner) {
  static char nothing;  // what an array without elements points to
  const auto rank = static_cast<std::size_t>(view_.ndim);
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  try {
    element_ = element_of_format(view_.format, owner);
    if (view_.itemsize != size_in_bytes(element_))
      throw nb::type_error("the elements have a size that kernels do not know");
    const std::span extents(reinterpret_cast<const std::int64_t*>(view_.shape), rank);
    const auto* const strides = reinterpret_cast<const std::int64_t*>(view_.strides);  // null of ctypes' arrays
    mapping_ =
        strides == nullptr ? take(Mapping::dense(extents)) : mapping_of_bytes(extents, {strides, rank}, view_.itemsize);
  } catch (...) {
    release();
    throw;
  }
  first_ = view_.buf == nullptr ? &nothing : view_.buf;
  is_read_only_ = view_.readonly != 0;
}

bool HostBuffer::take_array_interface(nb::handle owner) {
  if (!nb::hasattr(owner, "__array_interface__")) return false;
  const nb::object description = owner.attr("__array_interface__");
  const nb::object place = description["data"];
  if (!nb::isinstance<nb::tuple>(place)) return false;
  if (nb::len(place) != 2) throw nb::value_error("the `data` of `__array_interface__` are an address and a bool");
  element_ = nb::hasattr(owner, "dtype") ? element_of(owner.attr("dtype")) : element_of(description["typestr"]);
  std::array<std::int64_t, kMaxRank> extents{}, strides{};
  std::size_t rank = 0;
  for (const nb::handle extent : nb::tuple(nb::object(description["shape"]))) {
    if (rank == extents.size()) throw nb::value_error("an array of kernels has at most 8 axes");
    extents[rank++] = as_integer(extent);
  }
  mapping_ = take(Mapping::dense({extents.data(), rank}));
  if (const nb::object given = description.attr("get")("strides"); !given.is_none()) {
    if (nb::len(given) != rank) throw nb::value_error("`__array_interface__` has not as many strides as extents");
    std::size_t axis = 0;
    for (const nb::handle stride : nb::tuple(given)) strides[axis++] = as_integer(stride);
    mapping_ = mapping_of_bytes({extents.data(), rank}, {strides.data(), rank}, size_in_bytes(element_));
  }
  first_ = reinterpret_cast<void*>(static_cast<std::uintptr_t>(as_integer(place[0])));
  const int is_read_only = PyObject_IsTrue(nb::object(place[1]).ptr());
  if (is_read_only < 0) nb::raise_python_error();
  is_read_only_ = is_read_only != 0;
  owner_ = nb::borrow(owner);
  return first_ != nullptr;
}

}  // namespace pykc::python
