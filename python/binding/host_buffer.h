// Memory of the host that an object of Python shows: NumPy's arrays and scalars, memoryview, bytes, array.array.
#pragma once

#include <nanobind/nanobind.h>

#include "pykc/mapping.h"
#include "pykc/types.h"

namespace pykc::python {

namespace nb = nanobind;

/// Holds the object's memory while it lives; the GIL must be held where it is made and ends.
class HostBuffer {
 public:
  explicit HostBuffer(nb::handle owner);
  ~HostBuffer() { release(); }
  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&&) = delete;

  /// False where the object shows no memory.
  explicit operator bool() const { return first_ != nullptr; }
  const ElementType& element() const { return element_; }
  const Mapping& mapping() const { return mapping_; }
  /// The element with indices 0.
  void* first() const { return first_; }
  bool is_read_only() const { return is_read_only_; }
  /// Whether the other one shows the same elements, and lets as much be done with them.
  bool shows_same(const HostBuffer& other) const;

 private:
  void release();
  void take_view(nb::handle owner);
  bool take_array_interface(nb::handle owner);

  Py_buffer view_{};
  bool holds_view_ = false;
  nb::object owner_;  // of an array interface
  ElementType element_;
  Mapping mapping_;
  void* first_ = nullptr;
  bool is_read_only_ = false;
};

/// Extents, and strides in bytes, as a mapping of elements. Raises ValueError where the strides are no whole number of
/// elements, or there are too many axes.
Mapping mapping_of_bytes(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides,
                         std::int64_t element_bytes);

}  // namespace pykc::python
