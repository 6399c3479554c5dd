// Which kernel reduces an array of this shape, with how many blocks of which form.
#include "pykc/reduction.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "base/errors.h"
#include "base/text.h"
#include "jit/broadcast.h"
#include "jit/kernel_text.h"
#include "jit/reduction_source.h"
#include "jit/scratch.h"
#include "jit/vectors.h"

namespace pykc {

struct detail::ReductionState {
  ReductionState(jit::ReductionText parts, const ReductionSource& source, const Device& device,
                 const CompileOptions& options)
      : text(std::move(parts)), accumulator(source.accumulator), kernels(device, options) {}
  const jit::ReductionText text;
  const std::optional<ScalarType> accumulator;
  jit::VariantCache<jit::ReductionVariant> kernels;
  jit::ScratchPool scratch;
};

namespace {

constexpr int kBlocksPerMultiprocessor = 16;  // two rounds of those that run at a time
constexpr std::int64_t kLeastPerThread = 16;  // elements, before a result is shared by several blocks
constexpr std::int64_t kLeastPerCpuBlock = 1024;
constexpr std::int64_t kCpuLanes = 64, kLongRow = 512;  // elements for which so many lanes are worth it
constexpr std::int64_t kMostParts = 65535;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Which axes are reduced.
Result<std::vector<bool>> reduced_axes(const ReductionAxes& axes, std::size_t rank) {
  std::vector<bool> is_reduced(rank, axes.axes.empty());
  for (const int axis : axes.axes) {
    const auto count = static_cast<int>(rank);
    if (axis < -count || axis >= count)
      return invalid_argument("axis " + std::to_string(axis) + " does not exist in " + std::to_string(rank) +
                              " dimensions");
    const std::size_t index = static_cast<std::size_t>(axis < 0 ? axis + count : axis);
    if (is_reduced[index]) return invalid_argument("axis " + std::to_string(axis) + " is given twice");
    is_reduced[index] = true;
  }
  return is_reduced;
}

jit::Shape kept_shape(const jit::Shape& shape, const std::vector<bool>& is_reduced, bool keepdims) {
  jit::Shape kept;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!is_reduced[i])
      kept.push_back(shape[i]);
    else if (keepdims)
      kept.push_back(1);
  return kept;
}

/// The output with all axes of the inputs, those that are reduced repeated.
Argument spread(const Argument& output, const jit::Shape& shape, const std::vector<bool>& is_reduced) {
  const bool keeps = output.rank == static_cast<int>(shape.size());
  Argument result = output;
  result.rank = static_cast<int>(shape.size());
  for (int i = 0, own = 0; i < result.rank; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    result.extents[i] = shape[axis];
    result.strides[i] = is_reduced[axis] ? 0 : output.strides[own];
    if (keeps || !is_reduced[axis]) ++own;
  }
  return result;
}

/// The loop of a reduction: arrays with few axes, the kept ones first.
struct ReductionLoop {
  jit::ReductionVariant variant;
  std::vector<Argument> inputs;
  Argument output;
  ElementType accumulator;
  std::int64_t elements = 1, length = 1;
  std::int64_t count = 1;  // of elements behind each result
};

/// The shortest step along one of the axes, or 0 where there are none.
std::int64_t shortest_stride(const Argument& array, int first, int last) {
  std::int64_t shortest = 0;
  for (int i = first; i < last; ++i) {
    const std::int64_t stride = std::abs(array.strides[i]);
    if (stride > 0 && (shortest == 0 || stride < shortest)) shortest = stride;
  }
  return shortest;
}

/// Do neighbours in memory belong to one result? An input with axes of both kinds says so before those that are
/// repeated along the others: in a vector times a matrix, the matrix. In windows that move along a vector both are
/// neighbours, and the CPU device makes vectors of results, which need not be put together.
bool runs_along_reduced(const ReductionLoop& loop) {
  if (loop.elements == 1) return true;
  const int kept = loop.variant.kept, rank = kept + loop.variant.reduced;
  std::optional<bool> by_repeated;
  for (const Argument& input : loop.inputs) {
    if (!input.is_array) continue;
    const std::int64_t along = shortest_stride(input, kept, rank), across = shortest_stride(input, 0, kept);
    if (along == across && along == 1 && loop.variant.is_cpu && loop.elements >= kCpuLanes) return false;
    if (along == across) continue;
    if (along != 0 && across != 0) return along < across;
    if (!by_repeated) by_repeated = across == 0;
  }
  return by_repeated.value_or(false);
}

/// Leaves inputs that are the same for all results without the kept axes, so that their layout is known, unless there
/// are no others.
void drop_kept_axes(ReductionLoop& loop) {
  const int kept = loop.variant.kept, reduced = loop.variant.reduced;
  const auto is_shared = [&](const Argument& input) {
    return input.is_array && kept > 0 && reduced > 0 && shortest_stride(input, 0, kept) == 0;
  };
  const bool has_whole =
      std::ranges::any_of(loop.inputs, [&](const Argument& one) { return one.is_array && !is_shared(one); });
  for (Argument& input : loop.inputs) {
    const bool drops = has_whole && is_shared(input);
    loop.variant.is_shared.push_back(drops);
    if (!drops) continue;
    std::copy_n(input.extents + kept, reduced, input.extents);
    std::copy_n(input.strides + kept, reduced, input.strides);
    input.rank = reduced;
  }
}

/// On the CPU device, leaves inputs that are the same for all that is reduced, such as means from which distances are
/// summed up, without the reduced axes: they are no vectors there. Others have all axes then.
void drop_reduced_axes(ReductionLoop& loop) {
  const int kept = loop.variant.kept, rank = kept + loop.variant.reduced;
  const auto is_fixed = [&](const Argument& input) {
    return input.is_array && input.rank == rank && shortest_stride(input, kept, rank) == 0;
  };
  const bool has_whole = std::ranges::any_of(
      loop.inputs, [&](const Argument& one) { return one.is_array && one.rank == rank && !is_fixed(one); });
  for (Argument& input : loop.inputs) {
    const bool drops = loop.variant.is_cpu && has_whole && is_fixed(input);
    loop.variant.is_fixed.push_back(drops);
    if (!drops) continue;
    input.rank = std::max(kept, 1);
    if (kept == 0) input.extents[0] = input.strides[0] = 1;
  }
}

ElementType accumulator_of(const detail::ReductionState& state, const Argument& output) {
  if (state.accumulator) return *state.accumulator;
  if (output.record) return output.record;
  const bool is_narrow = output.type == ScalarType::F16 || output.type == ScalarType::BF16;
  return is_narrow ? ScalarType::F32 : output.type;
}

Result<ReductionLoop> make_loop(const detail::ReductionState& state, const ReductionAxes& axes,
                                std::span<const Argument> arguments) {
  const Argument& output = arguments.front();
  const std::span<const Argument> inputs = arguments.subspan(1);
  RETURN_IF_FAILED(jit::check_types(arguments.first(1)));
  ASSIGN_OR_RETURN(const jit::Shape shape, jit::broadcast_shape(inputs));
  if (std::ranges::none_of(inputs, &Argument::is_array)) return invalid_argument("none of the inputs is an array");
  ASSIGN_OR_RETURN(const std::vector<bool> is_reduced, reduced_axes(axes, shape.size()));
  const jit::Shape expected = kept_shape(shape, is_reduced, axes.keepdims);
  if (!output.is_array ||
      (jit::shape_of(output) != expected && jit::shape_of(output) != kept_shape(shape, is_reduced, !axes.keepdims)))
    return invalid_argument(output.is_array
                                ? "the output has the shape " + shape_text(jit::shape_of(output)) +
                                      ", and the result " + shape_text(expected)
                                : "the output is a number: it must be an array of the shape " + shape_text(expected));

  // All arrays, the inputs first: their order in memory matters most.
  std::vector<Argument> arrays;
  for (const Argument& input : inputs)
    if (input.is_array) arrays.push_back(jit::broadcast(input, shape));
  arrays.push_back(spread(output, shape, is_reduced));
  std::vector<int> order;
  for (const bool reduced : {false, true})
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (is_reduced[i] == reduced) order.push_back(static_cast<int>(i));
  jit::transpose(arrays, order);
  const int rank = static_cast<int>(shape.size());
  const int kept = static_cast<int>(std::ranges::count(is_reduced, false));

  ReductionLoop loop;
  loop.variant.reduced = jit::collapse(arrays, kept, rank);
  loop.variant.kept = jit::collapse(arrays, 0, kept);
  if (loop.variant.kept + loop.variant.reduced == 0) {  // one element
    loop.variant.reduced = 1;
    jit::add_first_axis(arrays);
  }
  for (int i = 0; i < arrays.front().rank; ++i)
    (i < loop.variant.kept ? loop.elements : loop.length) *= arrays.front().extents[i];
  loop.count = loop.length;
  loop.output = arrays.back();
  loop.output.rank = std::max(loop.variant.kept, 1);
  if (loop.variant.kept == 0) loop.output.extents[0] = loop.output.strides[0] = 1;
  auto next = arrays.begin();
  for (const Argument& input : inputs) {
    loop.inputs.push_back(input.is_array ? *next++ : input);
    loop.variant.is_array.push_back(input.is_array);
  }
  loop.accumulator = accumulator_of(state, output);
  loop.variant.accumulator = loop.accumulator;
  loop.variant.is_wide = jit::is_wide(loop.elements) || jit::is_wide(loop.length);
  loop.variant.is_cpu = state.kernels.device().is_cpu();
  loop.variant.along_x = runs_along_reduced(loop);
  drop_kept_axes(loop);
  drop_reduced_axes(loop);
  if (loop.variant.along_x && loop.variant.reduced > 0 && !loop.variant.is_cpu) {
    loop.variant.width = jit::vector_width(loop.inputs);
    loop.length /= loop.variant.width;
    if (loop.variant.width > 1) jit::vectorize(loop.inputs, loop.variant.width);
  }
  return loop;
}

/// The form of the blocks, and how many there are.
struct Blocks {
  Dim3 block;
  std::int64_t for_elements = 1;  // blocks along the results
  std::int64_t parts = 1;         // blocks that share a result
};

/// The power of two that covers so much work, and is at most `most`, one itself.
std::int64_t cover(std::int64_t work, std::int64_t most) {
  return std::min(
      most, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(work, 1)))));
}

struct Threads {
  std::int64_t lanes, places;
};

Threads threads_of(const ReductionLoop& loop) {
  constexpr std::int64_t kMost = jit::kReductionBlock;
  if (loop.variant.is_cpu && loop.variant.along_x && loop.length >= kLongRow) return {kCpuLanes, 1};
  if (loop.variant.is_cpu)
    return {1, loop.variant.along_x ? cover(kMost * kLeastPerThread / std::max<std::int64_t>(loop.length, 1), 64)
                                    : std::min(loop.elements, kMost)};
  if (loop.variant.along_x) {
    const std::int64_t lanes = cover(loop.length, kMost);
    return {lanes, cover(loop.elements, kMost / lanes)};
  }
  const std::int64_t places = cover(loop.elements, 32);
  return {cover(loop.length, kMost / places), places};
}

/// Chooses the blocks, and the variant of the kernel for them.
Blocks choose_blocks(ReductionLoop& loop, const DeviceInfo& device) {
  const auto [lanes, places] = threads_of(loop);
  loop.variant.lanes = static_cast<int>(lanes);
  if (!loop.variant.is_cpu) loop.variant.places = static_cast<int>(places);
  Blocks blocks;
  blocks.block = loop.variant.along_x ? Dim3{lanes, places} : Dim3{places, lanes};
  blocks.for_elements = divide_up(loop.elements, places);
  const std::int64_t wanted =
      divide_up(kBlocksPerMultiprocessor * std::max(device.multiprocessors, 1), blocks.for_elements);
  const std::int64_t worthwhile =
      divide_up(loop.length, loop.variant.is_cpu ? kLeastPerCpuBlock : lanes * kLeastPerThread);
  blocks.parts = std::clamp<std::int64_t>(std::min(wanted, worthwhile), 1, kMostParts);
  return blocks;
}

Result<void> launch_loop(detail::ReductionState& state, const ReductionLoop& loop, const Blocks& blocks,
                         const Argument& output, const Stream* stream) {
  ASSIGN_OR_RETURN(const GenericKernel kernel, state.kernels.kernel(loop.variant, "reduction", [&] {
    return jit::source_of(state.text, loop.variant);
  }));
  std::vector<Argument> passed = {output, Argument::of(loop.elements), Argument::of(loop.length),
                                  Argument::of(divide_up(loop.length, blocks.parts)), Argument::of(loop.count)};
  passed.insert(passed.end(), loop.inputs.begin(), loop.inputs.end());
  return kernel.launch_with({.grid = {blocks.for_elements, blocks.parts}, .block = blocks.block, .stream = stream},
                            passed);
}

/// The parts of each result, [part, result], as an input of one axis for each axis that is kept and one for the parts.
ReductionLoop loop_over_parts(const ReductionLoop& loop, Argument parts) {
  ReductionLoop second = loop;
  second.variant.is_array = {true};
  second.variant.is_shared = {false};
  second.variant.is_fixed = {false};
  second.variant.is_second = true;
  second.variant.is_split = false;
  second.variant.reduced = 1;
  second.variant.width = 1;
  second.length = parts.extents[0];
  const int kept = loop.variant.kept;
  parts.rank = kept + 1;
  parts.extents[kept] = second.length;
  parts.strides[kept] = loop.elements;
  std::int64_t stride = 1;
  for (int axis = kept - 1; axis >= 0; --axis) {
    parts.extents[axis] = loop.output.extents[axis];
    parts.strides[axis] = stride;
    stride *= loop.output.extents[axis];
  }
  second.inputs = {parts};
  second.variant.along_x = runs_along_reduced(second);
  return second;
}

/// The array of parts in this memory.
Argument parts_in(const Buffer& buffer, const ReductionLoop& loop, std::int64_t parts) {
  Argument array;
  array.is_array = true;
  array.type = loop.accumulator.scalar;
  array.record = loop.accumulator.record;
  array.rank = 2;
  array.address = detail::address_of(buffer);
  array.extents[0] = parts, array.extents[1] = loop.elements;
  array.strides[0] = loop.elements, array.strides[1] = 1;
  array.device = buffer.device();
  return array;
}

Result<void> launch_in_two(detail::ReductionState& state, ReductionLoop loop, const Blocks& blocks,
                           const Stream& stream) {
  const Device& device = state.kernels.device();
  ASSIGN_OR_RETURN(jit::ScratchPool::Scratch scratch,
                   state.scratch.take(device, stream, blocks.parts * loop.elements * size_in_bytes(loop.accumulator)));
  const Argument parts = parts_in(scratch.buffer, loop, blocks.parts);
  loop.variant.is_split = true;
  RETURN_IF_FAILED(launch_loop(state, loop, blocks, parts, &stream));
  ReductionLoop second = loop_over_parts(loop, parts);
  Blocks whole = choose_blocks(second, device.info());
  whole.parts = 1;
  RETURN_IF_FAILED(launch_loop(state, second, whole, loop.output, &stream));
  return state.scratch.give_back(std::move(scratch), stream);
}

}  // namespace

Result<Reduction> Reduction::create(const Device& device, const ReductionSource& source,
                                    const CompileOptions& options) try {
  if (source.accumulator && !is_valid(*source.accumulator))
    return invalid_argument("the accumulator has " + std::string(to_string(*source.accumulator)));
  ASSIGN_OR_RETURN(jit::ReductionText text, jit::reduction_text(source));
  auto state = std::make_shared<detail::ReductionState>(std::move(text), source, device, options);
  const std::size_t inputs = state->text.map.inputs.size();
  const jit::ReductionVariant usual{.reduced = 1,
                                    .is_array = jit::ArrayFlags(inputs, true),
                                    .is_shared = jit::ArrayFlags(inputs, false),
                                    .is_fixed = jit::ArrayFlags(inputs, false),
                                    .accumulator = ScalarType::F32,
                                    .along_x = true,
                                    .is_cpu = device.is_cpu(),
                                    .lanes = device.is_cpu() ? 1 : jit::kReductionBlock};
  ASSIGN_OR_RETURN(const GenericKernel kernel,
                   state->kernels.kernel(usual, "reduction", [&] { return jit::source_of(state->text, usual); }));
  return Reduction(std::move(state));
} catch (...) {
  return error_in_flight();
}

Result<void> Reduction::launch_with(const Stream* stream, const ReductionAxes& axes,
                                    std::span<const Argument> arguments) const try {
  const std::vector<std::string>& inputs = state_->text.map.inputs;
  if (arguments.size() != inputs.size() + 1)
    return invalid_argument("the reduction takes its output and its inputs (" + list_text(inputs) + "); " +
                            std::to_string(arguments.size()) + " arguments are given");
  ASSIGN_OR_RETURN(ReductionLoop loop, make_loop(*state_, axes, arguments));
  if (loop.elements == 0) return {};
  const Blocks blocks = choose_blocks(loop, device().info());
  if (blocks.parts == 1) return launch_loop(*state_, loop, blocks, loop.output, stream);
  return launch_in_two(*state_, loop, blocks, stream != nullptr ? *stream : device().default_stream());
} catch (...) {
  return error_in_flight();
}

const Device& Reduction::device() const { return state_->kernels.device(); }

Result<std::vector<std::int64_t>> Reduction::result_shape(const ReductionAxes& axes,
                                                          std::span<const Argument> inputs) try {
  ASSIGN_OR_RETURN(const jit::Shape shape, jit::broadcast_shape(inputs));
  ASSIGN_OR_RETURN(const std::vector<bool> is_reduced, reduced_axes(axes, shape.size()));
  return kept_shape(shape, is_reduced, axes.keepdims);
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
