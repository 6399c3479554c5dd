// Objects of Python as arguments of a launch.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "pykc/kernel.h"
#include "python/binding/arrays.h"
#include "python/binding/dlpack.h"
#include "python/binding/host_buffer.h"
#include "python/binding/streams.h"

namespace pykc::python {

/// A number that Python or NumPy has.
struct Number {
  enum class Kind { Boolean, Integer, Unsigned, Float } kind = Kind::Integer;
  std::int64_t integer = 0;  // of an Unsigned its bits
  double real = 0;           // of a Float

  double as_double() const {
    if (kind == Kind::Float) return real;
    return kind == Kind::Unsigned ? static_cast<double>(static_cast<std::uint64_t>(integer))
                                  : static_cast<double>(integer);
  }
};

/// Arguments of a launch on a stream, null for the default one, and what must live until it is made. Where the stream
/// captures a graph, that keeps them.
class ArgumentList {
 public:
  /// `parameters` where the kernel states its types: numbers become those. Host arrays are used where they lie on the
  /// CPU device, unless the kernel counts what it costs a GPU; a GPU gets copies, whose elements lie differently in its
  /// sectors. Integers wrap, or are left to the launch, which takes those alone that fit. Raises TypeError for what no
  /// kernel takes, ValueError for arrays of the host that were to become part of a graph.
  ArgumentList(const Device& device, const Stream* stream, const nb::tuple& arguments,
               const std::vector<ParameterInfo>* parameters, bool counts_costs = false, bool wraps_integers = true);

  std::span<const Argument> list() const { return list_; }
  /// Launches behind what the arrays' library has put on the stream on which it works, and before what it puts there
  /// next. Where the caller names a stream of its own, or the current one captures a graph, the order is the caller's
  /// affair. No GIL is needed.
  template <typename Launch>
  Result<void> in_order(Launch launch) const {
    const bool is_ours = stream_ == nullptr || (stream_ == current_stream(device_) && !stream_->is_capturing());
    void* const ours = stream_ == nullptr ? nullptr : stream_->native_handle();
    return is_ours && producer_stream_.value_or(ours) != ours ? in_order_with_producer(launch) : launch();
  }
  /// Brings what a GPU wrote back to the host's arrays, once the launch is made. No GIL is needed.
  Result<void> copy_back() const;

 private:
  struct Copy {
    HostBuffer host;
    DeviceArray array;
  };
  Argument argument_of(nb::handle given, const ParameterInfo* parameter);
  Argument argument_of_buffer(HostBuffer buffer, const ParameterInfo* parameter);
  static Argument argument_of_copy(const Copy& copy, const ParameterInfo* parameter);
  Argument argument_of_tensor(const BorrowedTensor& tensor, const ParameterInfo* parameter);
  Result<void> in_order_with_producer(const std::function<Result<void>()>& launch) const;
  /// Nothing where the parameter does not say a type for the number, or one that would be another number.
  std::optional<Argument> as_stated(const Number& number, const ParameterInfo* parameter);
  Argument scalar_in(HostBuffer buffer, const ParameterInfo* parameter);
  Argument complex_number(double real, double imaginary, const ElementType& type);

  const Device& device_;
  const Stream* const stream_;
  const bool copies_host_arrays_;
  const bool wraps_integers_;
  std::vector<Argument> list_;
  std::vector<HostBuffer> hosts_;
  std::vector<Copy> copies_;
  std::vector<DeviceArray> wrapped_;
  std::list<std::array<std::byte, 16>> values_;  // complex numbers; unlike a deque, none takes no memory
  std::optional<void*> producer_stream_;         // of tensors that are used as they are; null is the default one
};

}  // namespace pykc::python
