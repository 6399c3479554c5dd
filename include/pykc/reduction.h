// Many elements made into one: sums, norms, extrema, and whatever else can be put together in any order.
//
//   const auto l2norm = pykc::Reduction::create(device, {.inputs = "x", .map = "x * x", .reduce = "a + b",
//                                                        .post = "math.sqrt(a)", .identity = "0"}).value();
//   pykc::Array<float> norms = l2norm.reduce<float>({.axes = {1}}, x).value();  // of each row
//   l2norm.launch({.axes = {0}}, norms_of_columns, x).value();                  // into an array that is there
//
// Inputs are arrays and numbers, broadcast to one shape; arrays may have any strides. All expressions are written in
// the language of kernels, are generic, and are compiled on first use for the types that they are given. Steps over the
// elements and the reduction behind them become one kernel:
//
//   pykc::Reduction::create(device, {.steps = {{"x, y", "d", "d = x - y"}}, .inputs = "d", .map = "d * d"})
//
// The order in which elements are put together is not that of the array, but the same at each run on one device.
// Threads: all calls may be made from many threads at once. Order: as of any launch; nothing waits.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/elementwise.h"
#include "pykc/runtime.h"

namespace [[gnu::visibility("default")]] pykc {

namespace detail {
struct ReductionState;
}  // namespace detail

struct ReductionSource {
  std::vector<ElementwiseStep> steps = {};  // computed for each element first; `inputs` may name their outputs
  std::string inputs = "x";
  std::string map = "x";         // of an element, over the inputs
  std::string reduce = "a + b";  // of two values: associative and commutative
  std::string post = "a";        // of the value of all, `a`, and of how many there were, `count`
  std::string identity = "0";    // what changes nothing in `reduce`, and the value of no elements
  /// The type of the values that are put together; else that of the output, or f32 where the output is narrower.
  std::optional<ScalarType> accumulator = {};
  std::string preamble = {};  // text that stands before all: functions that the expressions call
};

/// What is reduced.
struct ReductionAxes {
  std::vector<int> axes = {};  // from 0, or from the end as negative numbers; none: all
  bool keepdims = false;       // reduced axes stay, with an extent of 1
};

class Reduction {
 public:
  /// Errors of syntax are found here.
  static Result<Reduction> create(const Device& device, const ReductionSource& source,
                                  const CompileOptions& options = {});

  /// The output, then the inputs. The output has the shape that result_shape() gives, with or without the axes that
  /// keepdims keeps.
  template <typename Output, typename... Inputs>
  Result<void> launch(const ReductionAxes& axes, const Output& output, const Inputs&... inputs) const {
    return launch_with(nullptr, axes, detail::list_of(output, inputs...));
  }
  template <typename Output, typename... Inputs>
  Result<void> launch_on(const Stream& stream, const ReductionAxes& axes, const Output& output,
                         const Inputs&... inputs) const {
    return launch_with(&stream, axes, detail::list_of(output, inputs...));
  }
  /// A null stream: the default stream of the device.
  Result<void> launch_with(const Stream* stream, const ReductionAxes& axes, std::span<const Argument> arguments) const;

  /// The output as a new array.
  template <typename T, typename... Inputs>
  Result<Array<T>> reduce(const ReductionAxes& axes, const Inputs&... inputs) const {
    return detail::new_array<T>(device(), result_shape(axes, detail::list_of(inputs...)),
                                [&](const Array<T>& output) { return launch(axes, output, inputs...); });
  }

  const Device& device() const;
  static Result<std::vector<std::int64_t>> result_shape(const ReductionAxes& axes, std::span<const Argument> inputs);

 private:
  explicit Reduction(std::shared_ptr<detail::ReductionState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::ReductionState> state_;
};

}  // namespace pykc
