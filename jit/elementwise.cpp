// Which kernel computes arrays of these shapes and strides, with how many blocks.
#include "pykc/elementwise.h"

#include <algorithm>

#include "base/errors.h"
#include "base/text.h"
#include "jit/broadcast.h"
#include "jit/elementwise_source.h"
#include "jit/kernel_text.h"
#include "jit/vectors.h"

namespace pykc {

struct detail::ElementwiseState {
  ElementwiseState(jit::Fusion steps, const Device& device, const CompileOptions& options)
      : fusion(std::move(steps)), kernels(device, options) {}
  const jit::Fusion fusion;
  jit::VariantCache<jit::ElementwiseVariant> kernels;
};

namespace {

constexpr std::int64_t kGpuBlock = 128, kCpuBlock = 1024;
constexpr std::int64_t kMostBlocksDown = 32768;  // in blockIdx.y, then in blockIdx.z

/// The form of the launch, and whether its blocks keep to rows: where these are long, that saves every element the
/// divisions that find its row.
LaunchConfig configuration(const Argument& output, jit::ElementwiseVariant& variant) {
  constexpr std::int64_t kLeastOnCpu = 64;
  const std::int64_t count = jit::count_of_thread(variant), least = variant.is_cpu ? kLeastOnCpu : kGpuBlock * count;
  const std::int64_t size = jit::size_of(jit::shape_of(output)), row = output.extents[variant.rank - 1];
  variant.by_rows = variant.rank == 1 || row >= least;
  variant.is_wide = jit::is_wide(size);
  const std::int64_t length = variant.by_rows ? row : size, rows = size / length;
  const std::int64_t block = variant.is_cpu ? std::min(kCpuBlock, length) : kGpuBlock;
  const std::int64_t per_block = block * count, down = std::min(rows, kMostBlocksDown);
  return {.grid = {(length + per_block - 1) / per_block, down, (rows + down - 1) / down}, .block = {block}};
}

Result<GenericKernel> kernel_for(detail::ElementwiseState& state, const jit::ElementwiseVariant& variant) {
  return state.kernels.kernel(variant, "elementwise", [&] { return jit::source_of(state.fusion, variant); });
}

}  // namespace

Result<Elementwise> Elementwise::create(const Device& device, std::vector<ElementwiseStep> steps,
                                        const CompileOptions& options, const std::string& preamble) try {
  ASSIGN_OR_RETURN(jit::Fusion fusion, jit::fuse(steps, preamble));
  const jit::ArrayFlags all_arrays(fusion.inputs.size(), true);
  auto state = std::make_shared<detail::ElementwiseState>(std::move(fusion), device, options);
  const jit::ElementwiseVariant usual{.is_array = all_arrays, .is_cpu = device.is_cpu()};
  RETURN_IF_FAILED(kernel_for(*state, usual));
  return Elementwise(std::move(state));
} catch (...) {
  return error_in_flight();
}

Result<void> Elementwise::launch_with(const Stream* stream, std::span<const Argument> arguments) const try {
  const std::size_t outputs = state_->fusion.outputs.size(), inputs = state_->fusion.inputs.size();
  if (arguments.size() != outputs + inputs)
    return invalid_argument("the operation takes its outputs (" + list_text(state_->fusion.outputs) +
                            ") and its inputs (" + list_text(state_->fusion.inputs) + "); " +
                            std::to_string(arguments.size()) + " arguments are given");
  ASSIGN_OR_RETURN(const jit::Shape shape, jit::broadcast_shape(arguments));
  jit::ElementwiseVariant variant{.is_cpu = device().is_cpu()};
  std::vector<Argument> arrays;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i < outputs && (!arguments[i].is_array || jit::shape_of(arguments[i]) != shape))
      return invalid_argument("the output `" + state_->fusion.outputs[i] + "` is " +
                              (arguments[i].is_array ? "an array of shape " + shape_text(jit::shape_of(arguments[i]))
                                                     : std::string("a number")) +
                              ", and the result has the shape " + shape_text(shape));
    if (i >= outputs) variant.is_array.push_back(arguments[i].is_array);
    if (arguments[i].is_array) arrays.push_back(jit::broadcast(arguments[i], shape));
  }
  if (jit::size_of(shape) == 0) return {};
  variant.rank = jit::collapse(arrays, 0, arrays.front().rank);
  if (variant.rank == 0) {  // one element
    variant.rank = 1;
    jit::add_first_axis(arrays);
  }
  if (!variant.is_cpu) variant.width = jit::vector_width(arrays);
  if (variant.width > 1) jit::vectorize(arrays, variant.width);
  LaunchConfig config = configuration(arrays.front(), variant);
  config.stream = stream;
  ASSIGN_OR_RETURN(const GenericKernel kernel, kernel_for(*state_, variant));

  std::vector<Argument> passed(arguments.begin(), arguments.end());
  auto next = arrays.begin();
  for (Argument& argument : passed)
    if (argument.is_array) argument = *next++;
  return kernel.launch_with(config, passed);
} catch (...) {
  return error_in_flight();
}

const Device& Elementwise::device() const { return state_->kernels.device(); }

Result<std::vector<std::int64_t>> Elementwise::broadcast_shape(std::span<const Argument> arguments) try {
  return jit::broadcast_shape(arguments);
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
