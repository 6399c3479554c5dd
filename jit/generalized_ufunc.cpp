// A thread for each place of the outer axes, which calls the function on views of the inner ones.
#include "pykc/generalized_ufunc.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/errors.h"
#include "base/text.h"
#include "driver/driver.h"
#include "jit/broadcast.h"
#include "jit/generalized_kernel.h"
#include "jit/kernel_text.h"
#include "jit/variant_cache.h"

namespace pykc {
namespace {

/// The function that is applied: the last of the module.
Result<const ast::FunctionDef*> last_function(const Program& program) {
  const ast::FunctionDef* last = nullptr;
  for (const ast::StmtPtr& stmt : program.main->body)
    if (const auto* function = stmt->as<ast::FunctionDef>()) last = function;
  if (last == nullptr) return invalid_argument("the source defines no function");
  return last;
}

struct GeneralizedUfuncVariant {
  int rank = 1;              // outer axes that are left
  jit::ArrayFlags is_array;  // outputs, then inputs
  bool is_wide = false;
  std::size_t hash() const { return jit::hash_of({static_cast<std::uint64_t>(rank), is_array.hash(), is_wide}); }
  friend bool operator==(const GeneralizedUfuncVariant&, const GeneralizedUfuncVariant&) = default;
};

}  // namespace

struct detail::GeneralizedUfuncState {
  GeneralizedUfuncState(jit::AxesSignature axes, const Source& text, std::string called, const Device& device,
                        const CompileOptions& options)
      : signature(std::move(axes)), source(text), function(std::move(called)), kernels(device, options) {}

  std::size_t outputs() const { return signature.outputs.size(); }
  std::size_t arguments() const { return outputs() + signature.inputs.size(); }
  /// The inner axes of argument i; outputs come first.
  const jit::AxisNames& axes(std::size_t i) const {
    return i < outputs() ? signature.outputs[i] : signature.inputs[i - outputs()];
  }
  Result<GenericKernel> kernel(const GeneralizedUfuncVariant& variant);

  const jit::AxesSignature signature;
  const Source source;
  const std::string function;
  jit::VariantCache<GeneralizedUfuncVariant> kernels;
};

namespace {

Source source_of(const detail::GeneralizedUfuncState& state, const GeneralizedUfuncVariant& variant) {
  std::vector<bool> is_array;
  for (std::size_t i = 0; i < state.arguments(); ++i) is_array.push_back(variant.is_array[i]);
  return state.source.followed_by(jit::generalized_kernel(
      {"generalized_ufunc", state.function, state.outputs(), is_array, variant.rank, variant.is_wide}));
}

/// How large the named axes are, and what the outer ones broadcast to.
struct Extents {
  std::map<std::string, std::int64_t> named;
  jit::Shape outer;
};

std::string signature_text(const jit::AxisNames& axes) { return "(" + list_text(axes) + ")"; }

/// The argument without its inner axes.
Argument outer_part(const Argument& argument, const jit::AxisNames& axes) {
  Argument outer = argument;
  outer.rank = std::max(0, argument.rank - static_cast<int>(axes.size()));
  return outer;
}

/// Learns from one argument, whose place in the signature is `axes`.
Result<void> add_extents(const Argument& argument, const jit::AxisNames& axes, Extents& extents) {
  const int inner = static_cast<int>(axes.size());
  const int rank = argument.is_array ? argument.rank : 0;
  if (rank < inner || rank > Argument::kMaxRank)
    return invalid_argument("an argument of " + std::to_string(rank) + " axes cannot be the " + signature_text(axes) +
                            " of the signature");
  for (int axis = 0; axis < inner; ++axis) {
    const std::int64_t extent = argument.extents[rank - inner + axis];
    const std::string& name = axes[static_cast<std::size_t>(axis)];
    const auto [known, is_new] = extents.named.emplace(name, extent);
    if (!is_new && known->second != extent)
      return invalid_argument("the axis `" + name + "` is " + std::to_string(known->second) +
                              " long in one argument and " + std::to_string(extent) + " in another");
  }
  return {};
}

Result<Extents> extents_of(const detail::GeneralizedUfuncState& state, std::span<const Argument> inputs) {
  Extents extents;
  std::vector<Argument> outer;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const jit::AxisNames& axes = state.signature.inputs[i];
    RETURN_IF_FAILED(add_extents(inputs[i], axes, extents));
    outer.push_back(outer_part(inputs[i], axes));
  }
  ASSIGN_OR_RETURN(extents.outer, jit::broadcast_shape(outer));
  return extents;
}

/// An output's shape: the outer axes, then its own. One that no input has must come from the output itself.
Result<jit::Shape> shape_of_output(const jit::AxisNames& axes, const Extents& extents) {
  jit::Shape shape = extents.outer;
  for (const std::string& name : axes) {
    const auto known = extents.named.find(name);
    if (known == extents.named.end())
      return invalid_argument("no input says how long the axis `" + name + "` is: launch with an output that does");
    shape.push_back(known->second);
  }
  return shape;
}

/// Each argument with the outer axes that are left first, then its own; an output of one element has an axis for it.
int join_outer_axes(const detail::GeneralizedUfuncState& state, const jit::Shape& outer,
                    std::vector<Argument>& arguments) {
  std::vector<Argument> parts;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].is_array) parts.push_back(jit::broadcast(outer_part(arguments[i], state.axes(i)), outer));
  int rank = jit::collapse(parts, 0, static_cast<int>(outer.size()));
  if (rank == 0) {
    rank = 1;
    jit::add_first_axis(parts);
  }
  auto part = parts.begin();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_array) continue;
    const int inner = static_cast<int>(state.axes(i).size()), own = arguments[i].rank - inner;
    Argument joined = *part++;
    for (int axis = 0; axis < inner; ++axis) {
      joined.extents[joined.rank] = arguments[i].extents[own + axis];
      joined.strides[joined.rank++] = arguments[i].strides[own + axis];
    }
    if (inner == 0 && i < state.outputs()) joined.extents[joined.rank] = joined.strides[joined.rank] = 1, ++joined.rank;
    arguments[i] = joined;
  }
  return rank;
}

}  // namespace

Result<GenericKernel> detail::GeneralizedUfuncState::kernel(const GeneralizedUfuncVariant& variant) {
  return kernels.kernel(variant, "generalized_ufunc", [&] { return source_of(*this, variant); });
}

Result<GeneralizedUfunc> GeneralizedUfunc::create(const Device& device, std::string_view signature,
                                                  const Source& source, const CompileOptions& options) try {
  ASSIGN_OR_RETURN(jit::AxesSignature axes, jit::parse_axes(signature));
  ASSIGN_OR_RETURN(const Program program, driver::load_source(source, options));
  ASSIGN_OR_RETURN(const ast::FunctionDef* const function, last_function(program));
  auto state =
      std::make_shared<detail::GeneralizedUfuncState>(std::move(axes), source, function->name, device, options);
  RETURN_IF_FAILED(jit::check_argument_count(state->arguments()));
  if (function->parameters.size() != state->arguments())
    return invalid_argument("`" + state->function + "` has " + std::to_string(function->parameters.size()) +
                            " parameters, and the signature " + std::to_string(state->arguments()) + " arguments");
  return GeneralizedUfunc(std::move(state));
} catch (...) {
  return error_in_flight();
}

Result<void> GeneralizedUfunc::launch_with(const Stream* stream, std::span<const Argument> arguments) const try {
  const std::size_t outputs = state_->outputs();
  if (arguments.size() != state_->arguments())
    return invalid_argument("`" + state_->function + "` takes " + std::to_string(outputs) + " outputs and then " +
                            std::to_string(state_->arguments() - outputs) + " inputs; " +
                            std::to_string(arguments.size()) + " arguments are given");
  ASSIGN_OR_RETURN(Extents extents, extents_of(*state_, arguments.subspan(outputs)));
  for (std::size_t i = 0; i < outputs; ++i) {
    RETURN_IF_FAILED(add_extents(arguments[i], state_->axes(i), extents));
    const jit::Shape expected = shape_of_output(state_->axes(i), extents).value();
    if (!arguments[i].is_array || jit::shape_of(arguments[i]) != expected)
      return invalid_argument("output " + std::to_string(i) + " is not an array of the shape " + shape_text(expected));
  }
  const std::int64_t places = jit::size_of(extents.outer);
  if (places == 0) return {};
  std::vector<Argument> passed(arguments.begin(), arguments.end());
  GeneralizedUfuncVariant variant;
  for (const Argument& argument : arguments) {
    if (argument.rank == Argument::kMaxRank && extents.outer.empty())
      return invalid_argument("an inner array has at most 7 axes");
    variant.is_array.push_back(argument.is_array);
  }
  variant.rank = join_outer_axes(*state_, extents.outer, passed);
  variant.is_wide = jit::is_wide(places);
  ASSIGN_OR_RETURN(const GenericKernel kernel, state_->kernel(variant));
  passed.insert(passed.begin(), Argument::of(places));
  constexpr std::int64_t kBlock = 128;
  return kernel.launch_with({.grid = {(places + kBlock - 1) / kBlock}, .block = {kBlock}, .stream = stream}, passed);
} catch (...) {
  return error_in_flight();
}

const Device& GeneralizedUfunc::device() const { return state_->kernels.device(); }

Result<std::vector<std::int64_t>> GeneralizedUfunc::output_shape(std::span<const Argument> inputs) const try {
  if (inputs.size() != state_->signature.inputs.size())
    return invalid_argument("`" + state_->function + "` takes " + std::to_string(state_->signature.inputs.size()) +
                            " inputs; " + std::to_string(inputs.size()) + " are given");
  ASSIGN_OR_RETURN(const Extents extents, extents_of(*state_, inputs));
  return shape_of_output(state_->signature.outputs.front(), extents);
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
