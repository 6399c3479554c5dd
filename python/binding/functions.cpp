// Functions of elements and reductions, as the package's arrays use them: one object for all devices.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pykc/elementwise.h"
#include "pykc/reduction.h"
#include "python/binding/arguments.h"
#include "python/binding/arrays.h"
#include "python/binding/elements.h"
#include "python/binding/errors.h"
#include "python/binding/options.h"

namespace pykc::python {
namespace {

/// What was made of one text on each device that it was used on.
template <typename Made>
class OnDevices {
 public:
  template <typename Make>
  const Made& on(const Device& device, const Make& make) {
    for (const Made& known : made_)
      if (known.device().state() == device.state()) return known;
    Made made = take(without_gil([&] { return make(); }));
    made_.push_back(std::move(made));
    return made_.back();
  }

 private:
  std::deque<Made> made_;  // a reference stays good while others are added
};

std::vector<ElementwiseStep> steps_of(nb::handle given) {
  std::vector<ElementwiseStep> steps;
  for (const nb::handle step : given)
    steps.push_back({nb::cast<std::string>(step[0]), nb::cast<std::string>(step[1]), nb::cast<std::string>(step[2])});
  return steps;
}

/// Where the arrays among the arguments lie.
const Device& device_of(const nb::tuple& arguments) {
  for (const nb::handle argument : arguments) {
    const DeviceArray* array = nullptr;
    if (nb::try_cast<const DeviceArray*>(argument, array, false) && array != nullptr) return array->device;
  }
  throw nb::type_error("none of the arguments is an array of a device");
}

/// Faults are told here where the work is done when it returns.
template <typename Launch>
void launch(const Device& device, const ArgumentList& arguments, Launch function) {
  take(without_gil([&] {
    Result<void> done = arguments.in_order(function);
    return done && device.is_cpu() ? device.synchronize() : std::move(done);
  }));
}

Argument argument_of(const DeviceArray& array) {
  Argument argument = array_argument(array.first(), array.element, array.mapping);
  argument.device = array.device.state();
  return argument;
}

struct ElementwiseFunction {
  std::vector<ElementwiseStep> steps;
  std::vector<ElementType> outputs;  // of new arrays
  std::string preamble;
  CompileOptions options;
  OnDevices<Elementwise> made = {};

  const Elementwise& on(const Device& device) {
    return made.on(device, [&] { return Elementwise::create(device, steps, options, preamble); });
  }
};

struct ReductionFunction {
  ReductionSource source;
  ElementType output;
  CompileOptions options;
  OnDevices<Reduction> made = {};

  const Reduction& on(const Device& device) {
    return made.on(device, [&] { return Reduction::create(device, source, options); });
  }
};

void launch_elementwise(ElementwiseFunction& function, const nb::tuple& arguments, nb::handle stream) {
  const Device device = device_of(arguments);
  const Elementwise& elementwise = function.on(device);
  const Stream* const on = stream_for(stream, device);
  const ArgumentList list(device, on, arguments, nullptr);
  launch(device, list, [&] { return elementwise.launch_with(on, list.list()); });
}

/// New arrays of what the function makes of the inputs: one, or a tuple.
nb::object map_elements(ElementwiseFunction& function, const nb::tuple& inputs) {
  const Device device = device_of(inputs);
  const Elementwise& elementwise = function.on(device);
  const Stream* const on = current_stream(device);
  const ArgumentList list(device, on, inputs, nullptr);
  const std::vector<std::int64_t> shape = take(Elementwise::broadcast_shape(list.list()));
  std::vector<DeviceArray> results;
  std::vector<Argument> arguments;
  for (const ElementType& output : function.outputs) {
    results.push_back(allocate(device, output, shape, Layout::RowMajor, MemorySource::Pool));
    arguments.push_back(argument_of(results.back()));
  }
  arguments.insert(arguments.end(), list.list().begin(), list.list().end());
  launch(device, list, [&] { return elementwise.launch_with(on, arguments); });
  if (results.size() == 1) return nb::cast(std::move(results.front()));
  nb::list all;
  for (DeviceArray& result : results) all.append(nb::cast(std::move(result)));
  return nb::tuple(all);
}

DeviceArray reduce_elements(ReductionFunction& function, const std::vector<int>& axes, bool keepdims,
                            const nb::tuple& inputs) {
  const Device device = device_of(inputs);
  const Reduction& reduction = function.on(device);
  const Stream* const on = current_stream(device);
  const ArgumentList list(device, on, inputs, nullptr);
  const ReductionAxes over{axes, keepdims};
  const std::vector<std::int64_t> shape = take(Reduction::result_shape(over, list.list()));
  DeviceArray result = allocate(device, function.output, shape, Layout::RowMajor, MemorySource::Pool);
  std::vector<Argument> arguments = {argument_of(result)};
  arguments.insert(arguments.end(), list.list().begin(), list.list().end());
  launch(device, list, [&] { return reduction.launch_with(on, over, arguments); });
  return result;
}

std::optional<ScalarType> scalar_of(nb::handle dtype) {
  if (dtype.is_none()) return std::nullopt;
  return element_of(dtype).scalar;
}

}  // namespace

void add_functions(nb::module_& module) {
  nb::class_<ElementwiseFunction>(module, "Elementwise")
      .def(
          "__init__",
          [](ElementwiseFunction* self, nb::handle steps, nb::handle outputs, const std::string& preamble,
             const nb::kwargs& keywords) {
            std::vector<ElementType> types;
            for (const nb::handle output : outputs) types.push_back(element_of(output));
            new (self) ElementwiseFunction{steps_of(steps), std::move(types), preamble, options_of(keywords)};
          },
          nb::arg("steps"), nb::arg("outputs"), nb::arg("preamble") = "", nb::arg("options"))
      .def("map", &map_elements, nb::arg("inputs"))
      .def("launch", &launch_elementwise, nb::arg("arguments"), nb::arg("stream") = nb::none());
  nb::class_<ReductionFunction>(module, "Reduction")
      .def(
          "__init__",
          [](ReductionFunction* self, const std::string& inputs, const std::string& map, const std::string& reduce,
             const std::string& post, const std::string& identity, nb::handle output, nb::handle accumulator,
             nb::handle steps, const std::string& preamble, const nb::kwargs& keywords) {
            new (self) ReductionFunction{{.steps = steps_of(steps),
                                          .inputs = inputs,
                                          .map = map,
                                          .reduce = reduce,
                                          .post = post,
                                          .identity = identity,
                                          .accumulator = scalar_of(accumulator),
                                          .preamble = preamble},
                                         element_of(output),
                                         options_of(keywords)};
          },
          nb::arg("inputs"), nb::arg("map"), nb::arg("reduce"), nb::arg("post"), nb::arg("identity"), nb::arg("output"),
          nb::arg("accumulator") = nb::none(), nb::arg("steps") = nb::tuple(), nb::arg("preamble") = "",
          nb::arg("options"))
      .def("reduce", &reduce_elements, nb::arg("axes"), nb::arg("keepdims"), nb::arg("inputs"));
}

}  // namespace pykc::python
