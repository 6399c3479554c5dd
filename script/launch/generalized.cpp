// `@guvectorize` functions called on arrays. A thread for each place of the outer axes calls the function on views of
// the inner ones; the kernel that does so is written behind the text of the file.
#include <algorithm>
#include <map>

#include "base/errors.h"
#include "base/text.h"
#include "jit/generalized_kernel.h"
#include "jit/kernel_text.h"
#include "script/arithmetic/array_from.h"
#include "script/functions/prototypes.h"
#include "script/launch/arguments.h"
#include "script/launch/launcher.h"
#include "script/values/array.h"
#include "script/values/device_operations.h"

namespace pykc::script {
namespace {

/// How large the named axes are, and what the outer ones broadcast to.
struct Extents {
  std::map<std::string, std::int64_t> named;
  Shape outer;
};

Failure unfit(const std::string& function, const std::string& why) {
  return with_reason(DiagnosticId::HostLaunchFailed, function, invalid_argument(why));
}

/// Learns from one argument, whose place in the signature is `axes`.
Status add_extents(const std::string& function, const Shape& shape, const jit::AxisNames& axes, Extents& extents) {
  if (shape.size() < axes.size())
    return unfit(function, "an array of shape " + shape_text(shape) + " cannot be the (" + list_text(axes) +
                               ") of its signature");
  const std::size_t outer = shape.size() - axes.size();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto [known, is_new] = extents.named.emplace(axes[i], shape[outer + i]);
    if (!is_new && known->second != shape[outer + i])
      return unfit(function, "the axis `" + axes[i] + "` is " + std::to_string(known->second) +
                                 " long in one argument and " + std::to_string(shape[outer + i]) + " in another");
  }
  const Shape front(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(outer));
  ASSIGN_OR_RETURN(extents.outer, broadcast_shapes(extents.outer, front));
  return Done{};
}

/// An axis of one element behind the others, or before them.
ArrayRef with_last_axis(const Array& array) {
  Shape shape = array.shape, strides = array.strides;
  shape.push_back(1), strides.push_back(array.units());
  return with_shape(array, std::move(shape), std::move(strides), array.offset);
}
ArrayRef with_first_axis(const Array& array) {
  Shape shape = array.shape, strides = array.strides;
  shape.insert(shape.begin(), 1), strides.insert(strides.begin(), array.units());
  return with_shape(array, std::move(shape), std::move(strides), array.offset);
}

/// A call's arguments, in parts.
struct GeneralizedCall {
  std::vector<Value> inputs;
  std::vector<ArrayRef> outputs;  // those that were passed
  std::shared_ptr<const Stream> stream;
};

Outcome<GeneralizedCall> arguments_of(const std::string& function, const jit::AxesSignature& axes,
                                      const CallArguments& arguments) {
  const std::size_t inputs = axes.inputs.size(), outputs = axes.outputs.size(), given = arguments.positional.size();
  if (given != inputs && given != inputs + outputs)
    return fail(DiagnosticId::HostKernelArgumentCount, function, inputs, given)
        .note("behind the inputs it takes all outputs, or none");
  GeneralizedCall call;
  std::vector<Value> out;
  for (std::size_t i = 0; i < given; ++i) (i < inputs ? call.inputs : out).push_back(arguments.positional[i]);
  for (const auto& [name, value] : arguments.named) {
    const std::vector<Value>* const several = items_of(value);
    if (name == "out" && out.empty())
      out = several ? *several : std::vector<Value>{value};
    else if (const auto* stream = value.as<StreamValue>(); stream && name == "stream")
      call.stream = stream->stream;
    else if (name != "stream" || as_integer(value) != 0)
      return fail(DiagnosticId::HostUnknownKeyword, function, name).suggest(nearest(name, {"out", "stream"}));
  }
  if (!out.empty() && out.size() != outputs)
    return fail(DiagnosticId::HostKernelArgumentCount, function, inputs + outputs, inputs + out.size());
  for (const Value& value : out) {
    const ArrayRef* array = value.as<ArrayRef>();
    if (!array) return fail(DiagnosticId::HostWrongType, "out", "an array", describe(value));
    call.outputs.push_back(*array);
  }
  return call;
}

/// The prototype that the inputs convert to; null without any.
Outcome<const Prototype*> chosen_prototype(const std::string& function, const std::vector<Prototype>& prototypes,
                                           const std::vector<Value>& inputs) {
  std::vector<Prototype> fronts = prototypes;
  for (Prototype& front : fronts) front.parameters.resize(inputs.size());
  std::vector<Operand> operands;
  for (const Value& input : inputs) {
    const std::optional<Operand> operand = operand_of(input);
    if (!operand) return fail(DiagnosticId::HostLaunchArgument, describe(input));
    operands.push_back(*operand);
  }
  ASSIGN_OR_RETURN(const Prototype* const front, choose_prototype(fronts, operands, function));
  return front == nullptr ? nullptr : &prototypes[static_cast<std::size_t>(front - fronts.data())];
}

/// An input in the prototype's type; a number as an array of no axes where the function takes an array.
Outcome<Value> converted(const Value& input, const Prototype* prototype, std::size_t i) {
  if (prototype == nullptr) return input;
  const ElementType& wanted = prototype->parameters[i];
  if (const ArrayRef* array = input.as<ArrayRef>()) {
    if ((*array)->element() == wanted) return input;
    if (wanted.is_record() || (*array)->record)
      return fail(DiagnosticId::HostWrongType, "argument", "an array of " + to_string(wanted), describe(input));
    ASSIGN_OR_RETURN(const ArrayRef made, convert_array(*array, wanted.scalar));
    return Value(made);
  }
  ASSIGN_OR_RETURN(const Scalar scalar, to_scalar(input, wanted.scalar));
  if (!prototype->is_array[i]) return Value(scalar);
  ASSIGN_OR_RETURN(const ArrayRef made, array_of(scalar));
  return Value(made);
}

Shape joined(const Shape& outer, const Shape& shape, std::size_t inner) {
  Shape all = outer;
  all.insert(all.end(), shape.end() - static_cast<std::ptrdiff_t>(inner), shape.end());
  return all;
}

}  // namespace

Outcome<Value> Launcher::generalize(const FunctionValue& function, const CallArguments& arguments) {
  const ast::FunctionDef& definition = *function.definition;
  const std::string& name = definition.name;
  const Result<jit::AxesSignature> signature = jit::parse_axes(function.context->axes);
  if (!signature) return with_reason(DiagnosticId::HostLaunchFailed, name, signature.error());
  const std::size_t outputs = signature->outputs.size(), count = signature->inputs.size() + outputs;
  if (definition.parameters.size() != count)
    return unfit(name, "it has " + std::to_string(definition.parameters.size()) + " parameters, and its signature " +
                           std::to_string(count) + " arguments");
  ASSIGN_OR_RETURN(GeneralizedCall call, arguments_of(name, *signature, arguments));
  for (Value& input : call.inputs)
    if (items_of(input)) {
      ASSIGN_OR_RETURN(input, array_from(input, std::nullopt));
    }
  ASSIGN_OR_RETURN(const Prototype* const prototype, chosen_prototype(name, function.context->prototypes, call.inputs));
  if (prototype == nullptr && call.outputs.empty())
    return unfit(name, "without prototypes its outputs have no type").note("pass an array for each output");

  Extents extents;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    ASSIGN_OR_RETURN(call.inputs[i], converted(call.inputs[i], prototype, i));
    const ArrayRef* array = call.inputs[i].as<ArrayRef>();
    RETURN_IF_FAILED(add_extents(name, array ? (*array)->shape : Shape(), signature->inputs[i], extents));
  }
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const Shape outer = extents.outer;
    RETURN_IF_FAILED(add_extents(name, call.outputs[i]->shape, signature->outputs[i], extents));
    const bool is_as_long = call.outputs[i]->rank() == outer.size() + signature->outputs[i].size();
    if (!is_as_long || (!call.inputs.empty() && extents.outer != outer))
      return fail(DiagnosticId::HostShapeMismatch, shape_text(call.outputs[i]->shape), shape_text(outer));
  }

  // The results: what was passed, where the kernel may write there while it reads.
  std::vector<ArrayRef> results;
  for (std::size_t i = 0; i < outputs; ++i) {
    Shape shape = extents.outer;
    for (const std::string& axis : signature->outputs[i]) {
      const auto known = extents.named.find(axis);
      if (known == extents.named.end())
        return unfit(name, "no input says how long the axis `" + axis + "` is").note("pass an array for the output");
      shape.push_back(known->second);
    }
    const ArrayRef* given = call.outputs.empty() ? nullptr : &call.outputs[i];
    const ElementType type = prototype ? prototype->parameters[call.inputs.size() + i] : (*given)->element();
    const bool is_read = given && std::ranges::any_of(call.inputs, [&](const Value& input) {
                           const ArrayRef* array = input.as<ArrayRef>();
                           return array && (*array)->storage == (*given)->storage;
                         });
    const bool is_direct = given && !is_read && (*given)->element() == type;
    ASSIGN_OR_RETURN(const ArrayRef result, is_direct ? Outcome<ArrayRef>(*given) : make_array(type, shape));
    if (!is_direct) share_home(Value(result), call.inputs);
    results.push_back(result);
  }

  const bool has_outer = !extents.outer.empty();
  std::int64_t places = 1;
  for (const std::int64_t extent : extents.outer) places *= extent;
  std::vector<Value> values = {Value(places)};
  std::vector<bool> is_array;
  const auto pass = [&](ArrayRef array, bool needs_axis) {
    if (needs_axis) array = with_last_axis(*array);
    if (!has_outer) array = with_first_axis(*array);
    values.emplace_back(array);
    is_array.push_back(true);
  };
  for (std::size_t i = 0; i < outputs; ++i) pass(results[i], signature->outputs[i].empty());
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const ArrayRef* array = call.inputs[i].as<ArrayRef>();
    const std::size_t inner = signature->inputs[i].size();
    if (!array) {
      values.push_back(call.inputs[i]);
      is_array.push_back(false);
      continue;
    }
    ASSIGN_OR_RETURN(const ArrayRef repeated, broadcast_array(**array, joined(extents.outer, (*array)->shape, inner)));
    pass(repeated, inner == 0 && prototype && prototype->is_array[i]);
  }

  if (places > 0) {
    const std::string kernel = "generalized_" + name;
    const std::string text = jit::generalized_kernel(
        {kernel, name, outputs, is_array, std::max(1, static_cast<int>(extents.outer.size())), jit::is_wide(places)});
    ASSIGN_OR_RETURN(const KernelRequest request, request_for(kernel, values, program_, *function.module));
    ASSIGN_OR_RETURN(const Loaded* const loaded, kernel_for(*function.module, kernel, request, text));
    RETURN_IF_FAILED(run(*loaded, {.grid = {}, .block = {0, 1, 1}, .stream = call.stream, .tasks = places}, values));
  }
  std::vector<Value> returned;
  for (std::size_t i = 0; i < outputs; ++i) {
    if (call.outputs.empty()) {
      ASSIGN_OR_RETURN(Value value, number_or_array(results[i]));
      returned.push_back(std::move(value));
      continue;
    }
    if (results[i] != call.outputs[i]) RETURN_IF_FAILED(assign_array(*call.outputs[i], results[i]));
    returned.emplace_back(call.outputs[i]);
  }
  return returned.size() == 1 ? returned.front() : make_tuple(std::move(returned));
}

}  // namespace pykc::script
