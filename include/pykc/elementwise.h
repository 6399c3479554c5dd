// Functions of elements, applied to whole arrays of any shapes and types.
//
//   const auto squared_diff =
//       pykc::Elementwise::create(device, {"x, y", "z", "z = (x - y) * (x - y)"}).value();
//   pykc::Array<float> z = squared_diff.map<float>(x, y).value();  // a new array
//   squared_diff.launch(z, x, 2.5F).value();                       // into one that is there
//
// Inputs are arrays and numbers, broadcast to one shape as NumPy does; arrays may have any strides. The operation is
// written in the language of kernels and is generic: it is compiled on first use for the types that it is given, and an
// output converts what it is assigned to its own type. Several steps become one kernel, which keeps what goes from one
// to the next in registers:
//
//   pykc::Elementwise::create(device, {{"x, y", "d", "d = x - y"}, {"d, a", "z", "z = a * d * d"}})
//
// Threads: all calls may be made from many threads at once. Order: as of any launch; nothing waits. An output may be
// one of the inputs, but no other view of an input's memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace [[gnu::visibility("default")]] pykc {

namespace detail {
struct ElementwiseState;
}  // namespace detail

/// One step: what it reads, what it defines, and how. Names are separated by commas; an input may have a type, to which
/// its elements are converted: "x: f64, y".
struct ElementwiseStep {
  std::string inputs;
  std::string outputs;
  std::string operation;  // one or several lines of the language: "t = x - y\nz = t * t"
};

class Elementwise {
 public:
  /// An input of a step is an output of an earlier one, or else an input of the whole, in the order in which they first
  /// appear. The outputs of the whole are those of the last step. Errors of syntax are found here.
  /// `options.constants` and imports of `preamble`, text that stands before the steps, serve all of them.
  static Result<Elementwise> create(const Device& device, std::vector<ElementwiseStep> steps,
                                    const CompileOptions& options = {}, const std::string& preamble = {});
  static Result<Elementwise> create(const Device& device, ElementwiseStep step, const CompileOptions& options = {},
                                    const std::string& preamble = {}) {
    return create(device, std::vector<ElementwiseStep>{std::move(step)}, options, preamble);
  }

  /// Outputs, then inputs, as an assignment has them. Every output has the shape that all of them broadcast to.
  template <typename... Arguments>
  Result<void> launch(const Arguments&... arguments) const {
    return launch_with(nullptr, detail::list_of(arguments...));
  }
  template <typename... Arguments>
  Result<void> launch_on(const Stream& stream, const Arguments&... arguments) const {
    return launch_with(&stream, detail::list_of(arguments...));
  }
  /// A null stream: the default stream of the device.
  Result<void> launch_with(const Stream* stream, std::span<const Argument> arguments) const;

  /// The one output as a new array.
  template <typename T, typename... Inputs>
  Result<Array<T>> map(const Inputs&... inputs) const {
    return detail::new_array<T>(device(), broadcast_shape(detail::list_of(inputs...)),
                                [&](const Array<T>& output) { return launch(output, inputs...); });
  }

  const Device& device() const;
  /// The shape that arguments are broadcast to, numbers aside.
  static Result<std::vector<std::int64_t>> broadcast_shape(std::span<const Argument> arguments);

 private:
  explicit Elementwise(std::shared_ptr<detail::ElementwiseState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::ElementwiseState> state_;
};

}  // namespace pykc
