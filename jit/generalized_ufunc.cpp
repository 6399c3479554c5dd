// A thread for each place of the outer axes, which calls the function on views of the inner ones.
#include "pykc/generalized_ufunc.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "driver/driver.h"
#include "jit/broadcast.h"
#include "jit/kernel_text.h"
#include "jit/variant_cache.h"

namespace pykc {
namespace {

Error invalid(const std::string& message) { return Error{ErrorCode::InvalidArgument, message}; }

/// The names of the inner axes of each argument.
using AxisNames = std::vector<std::string>;
struct Signature {
  std::vector<AxisNames> inputs, outputs;
};

/// Reads "(m,n),(n)" from the front of the text, as far as it goes.
std::optional<std::vector<AxisNames>> read_arguments(std::string_view& text) {
  std::vector<AxisNames> arguments;
  while (text.starts_with('(')) {
    const std::size_t close = text.find(')');
    if (close == std::string_view::npos) return std::nullopt;
    AxisNames& names = arguments.emplace_back();
    for (std::string_view list = text.substr(1, close - 1); !list.empty();) {
      const std::size_t comma = std::min(list.find(','), list.size());
      names.emplace_back(list.substr(0, comma));
      if (!driver::is_name(names.back()) || comma + 1 == list.size()) return std::nullopt;
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    text.remove_prefix(close + 1);
    if (!text.starts_with(",(")) break;
    text.remove_prefix(1);
  }
  return arguments;
}

Result<Signature> parse_axes(std::string_view given) {
  const auto wrong = [&] {
    return invalid("`" + std::string(given) +
                   "` is no signature: write the inner axes of inputs and outputs as in (m,n),(n,p)->(m,p)");
  };
  std::string text(given);
  std::erase(text, ' ');
  std::string_view rest = text;
  const std::optional<std::vector<AxisNames>> inputs = read_arguments(rest);
  if (!inputs || inputs->empty() || !rest.starts_with("->")) return wrong();
  rest.remove_prefix(2);
  const std::optional<std::vector<AxisNames>> outputs = read_arguments(rest);
  if (!outputs || outputs->empty() || !rest.empty()) return wrong();
  return Signature{*inputs, *outputs};
}

/// The function that is applied: the last of the module.
Result<const ast::FunctionDef*> last_function(const Program& program) {
  const ast::FunctionDef* last = nullptr;
  for (const ast::StmtPtr& stmt : program.main->body)
    if (const auto* function = stmt->as<ast::FunctionDef>()) last = function;
  if (last == nullptr) return invalid("the source defines no function");
  return last;
}

struct Variant {
  int rank = 1;              // outer axes that are left
  jit::ArrayFlags is_array;  // outputs, then inputs
  bool is_wide = false;
  std::size_t hash() const { return jit::hash_of({static_cast<std::uint64_t>(rank), is_array.hash(), is_wide}); }
  friend bool operator==(const Variant&, const Variant&) = default;
};

constexpr std::string_view kKernel = R"(

@kernel(wraparound=False)
def generalized_ufunc(places, $ALL):
    i = grid(1)
    if i < places:
        $PLACE
        $FUNCTION($VALUES)
)";

}  // namespace

struct detail::GeneralizedUfuncState {
  GeneralizedUfuncState(Signature axes, const Source& text, std::string called, const Device& device,
                        const CompileOptions& options)
      : signature(std::move(axes)), source(text), function(std::move(called)), kernels(device, options) {}

  std::size_t outputs() const { return signature.outputs.size(); }
  std::size_t arguments() const { return outputs() + signature.inputs.size(); }
  /// Of argument i, the outputs first.
  const AxisNames& axes(std::size_t i) const {
    return i < outputs() ? signature.outputs[i] : signature.inputs[i - outputs()];
  }
  Result<GenericKernel> kernel(const Variant& variant);

  const Signature signature;
  const Source source;
  const std::string function;
  jit::VariantCache<Variant> kernels;
};

namespace {

Source source_of(const detail::GeneralizedUfuncState& state, const Variant& variant) {
  const int outputs = static_cast<int>(state.outputs());
  const std::vector<std::string> places = jit::numbered("i", variant.rank);
  std::vector<std::string> all = jit::numbered("out", outputs),
                           inputs = jit::numbered("in", static_cast<int>(state.signature.inputs.size()));
  all.insert(all.end(), inputs.begin(), inputs.end());
  std::vector<std::string> values;
  for (std::size_t i = 0; i < all.size(); ++i) values.push_back(jit::element(all[i], variant.is_array[i], places));
  std::rotate(values.begin(), values.begin() + outputs, values.end());  // the function takes the inputs first
  return state.source.followed_by(
      jit::fill(kKernel, {{"ALL", jit::comma_list(all)},
                          {"PLACE", jit::decomposition("i", "i", variant.rank, "out0", 0, variant.is_wide)},
                          {"FUNCTION", state.function},
                          {"VALUES", jit::comma_list(values)}}));
}

/// How large the named axes are, and what the outer ones broadcast to.
struct Extents {
  std::map<std::string, std::int64_t> named;
  jit::Shape outer;
};

std::string signature_text(const AxisNames& axes) { return "(" + jit::comma_list(axes) + ")"; }

/// The argument without its inner axes.
Argument outer_part(const Argument& argument, const AxisNames& axes) {
  Argument outer = argument;
  outer.rank = std::max(0, argument.rank - static_cast<int>(axes.size()));
  return outer;
}

/// Learns from one argument, whose place in the signature is `axes`.
Result<void> add_extents(const Argument& argument, const AxisNames& axes, Extents& extents) {
  const int inner = static_cast<int>(axes.size());
  const int rank = argument.is_array ? argument.rank : 0;
  if (rank < inner || rank > Argument::kMaxRank)
    return invalid("an argument of " + std::to_string(rank) + " axes cannot be the " + signature_text(axes) +
                   " of the signature");
  for (int axis = 0; axis < inner; ++axis) {
    const std::int64_t extent = argument.extents[rank - inner + axis];
    const std::string& name = axes[static_cast<std::size_t>(axis)];
    const auto [known, is_new] = extents.named.emplace(name, extent);
    if (!is_new && known->second != extent)
      return invalid("the axis `" + name + "` is " + std::to_string(known->second) + " long in one argument and " +
                     std::to_string(extent) + " in another");
  }
  return {};
}

Result<Extents> extents_of(const detail::GeneralizedUfuncState& state, std::span<const Argument> inputs) {
  Extents extents;
  std::vector<Argument> outer;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const AxisNames& axes = state.signature.inputs[i];
    if (Result<void> added = add_extents(inputs[i], axes, extents); !added) return added.error();
    outer.push_back(outer_part(inputs[i], axes));
  }
  Result<jit::Shape> shape = jit::broadcast_shape(outer);
  if (!shape) return shape.error();
  extents.outer = std::move(*shape);
  return extents;
}

/// An output's shape: the outer axes, then its own. One that no input has must come from the output itself.
Result<jit::Shape> shape_of_output(const AxisNames& axes, const Extents& extents) {
  jit::Shape shape = extents.outer;
  for (const std::string& name : axes) {
    const auto known = extents.named.find(name);
    if (known == extents.named.end())
      return invalid("no input says how long the axis `" + name + "` is: launch with an output that does");
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

Result<GenericKernel> detail::GeneralizedUfuncState::kernel(const Variant& variant) {
  return kernels.kernel(variant, "generalized_ufunc", [&] { return source_of(*this, variant); });
}

Result<GeneralizedUfunc> GeneralizedUfunc::create(const Device& device, std::string_view signature,
                                                  const Source& source, const CompileOptions& options) {
  Result<Signature> axes = parse_axes(signature);
  if (!axes) return axes.error();
  const Result<Program> program = driver::load_source(source, options);
  if (!program) return program.error();
  const Result<const ast::FunctionDef*> function = last_function(*program);
  if (!function) return function.error();
  auto state =
      std::make_shared<detail::GeneralizedUfuncState>(std::move(*axes), source, (*function)->name, device, options);
  if (Result<void> fits = jit::check_argument_count(state->arguments()); !fits) return fits.error();
  if ((*function)->parameters.size() != state->arguments())
    return invalid("`" + state->function + "` has " + std::to_string((*function)->parameters.size()) +
                   " parameters, and the signature " + std::to_string(state->arguments()) + " arguments");
  return GeneralizedUfunc(std::move(state));
}

Result<void> GeneralizedUfunc::launch_with(const Stream* stream, std::span<const Argument> arguments) const {
  const std::size_t outputs = state_->outputs();
  if (arguments.size() != state_->arguments())
    return invalid("`" + state_->function + "` takes " + std::to_string(outputs) + " outputs and then " +
                   std::to_string(state_->arguments() - outputs) + " inputs; " + std::to_string(arguments.size()) +
                   " arguments are given");
  Result<Extents> extents = extents_of(*state_, arguments.subspan(outputs));
  if (!extents) return extents.error();
  for (std::size_t i = 0; i < outputs; ++i) {
    if (Result<void> added = add_extents(arguments[i], state_->axes(i), *extents); !added) return added;
    const jit::Shape expected = shape_of_output(state_->axes(i), *extents).value();
    if (!arguments[i].is_array || jit::shape_of(arguments[i]) != expected)
      return invalid("output " + std::to_string(i) + " is not an array of the shape " + shape_text(expected));
  }
  const std::int64_t places = jit::size_of(extents->outer);
  if (places == 0) return {};
  std::vector<Argument> passed(arguments.begin(), arguments.end());
  Variant variant;
  for (const Argument& argument : arguments) {
    if (argument.rank == Argument::kMaxRank && extents->outer.empty())
      return invalid("an inner array has at most 7 axes");
    variant.is_array.push_back(argument.is_array);
  }
  variant.rank = join_outer_axes(*state_, extents->outer, passed);
  variant.is_wide = jit::is_wide(places);
  const Result<GenericKernel> kernel = state_->kernel(variant);
  if (!kernel) return kernel.error();
  passed.insert(passed.begin(), Argument::of(places));
  constexpr std::int64_t kBlock = 128;
  return kernel->launch_with({.grid = {(places + kBlock - 1) / kBlock}, .block = {kBlock}, .stream = stream}, passed);
}

const Device& GeneralizedUfunc::device() const { return state_->kernels.device(); }

Result<std::vector<std::int64_t>> GeneralizedUfunc::output_shape(std::span<const Argument> inputs) const {
  if (inputs.size() != state_->signature.inputs.size())
    return invalid("`" + state_->function + "` takes " + std::to_string(state_->signature.inputs.size()) + " inputs; " +
                   std::to_string(inputs.size()) + " are given");
  const Result<Extents> extents = extents_of(*state_, inputs);
  if (!extents) return extents.error();
  return shape_of_output(state_->signature.outputs.front(), *extents);
}

}  // namespace pykc
