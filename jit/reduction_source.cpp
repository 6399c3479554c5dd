// One kernel serves all shapes. A block is a grid of lanes: some run along what is reduced, the others along what is
// kept, such that neighbours in threadIdx.x read neighbours in memory. Each thread puts together what its lane meets,
// several elements at a time so that their loads are on their way together, and in vectors of 16 bytes where the arrays
// allow it; then the lanes of a block are put together: those of a warp by shuffles, others in shared memory. Threads
// beyond the last result do the work of another, and store nothing.
//
// On the CPU device all threads of a block take the same steps, with a barrier behind each: so lanes go along a long
// row together, and places down the rows, a vector at a time. A short row has one lane, whose accumulators become a
// vector.
//
// Where there are too few results to fill the device, several blocks share one, each with a part of what is reduced
// (blockIdx.y); a second launch puts the parts together.
#include "jit/reduction_source.h"

#include "base/errors.h"
#include "base/text.h"
#include "jit/kernel_text.h"

namespace pykc::jit {
namespace {

constexpr int kAccumulators = 8;   // of a thread
constexpr int kMostLoads = 8;      // of a thread that are on their way together from one input
constexpr int kMostElements = 16;  // in them
constexpr int kBlocksAtATime = 3;  // on a multiprocessor: leaves registers for so many loads, without which ptxas waits

constexpr std::string_view kKernel = R"(
def reduced(a, b):
    return $REDUCE

def combined(a, b):
    return $TYPE(reduced(a, b))

def finished(a, count):
    return $POST

@kernel(wraparound=False$BOUNDS)
def reduction($ALL):
    lanes = $LANES
    places = $PLACES
    lane = threadIdx.$ALONG
    place = threadIdx.$ACROSS
    $RESULT
    $KEPT
    end = min(length, (blockIdx.y + 1) * part)
    r = blockIdx.y * part$LANE
    $START
    while r + $LAST < end:
        $ELEMENTS
        r += $LOADS * lanes
    while r < end:
        $ELEMENT
        r += lanes
    $JOIN
    $TOGETHER
    if lane == 0 and $OWN:
        $FINISH
)";

/// Which result is the thread's, `o`, and whether it is the one to store it.
struct ResultText {
  const char *result, *own;
};
constexpr ResultText kByThread = {"result = blockIdx.x * places + place\no = min(result, elements - 1)\n",
                                  "result < elements"};
/// Results side by side, which are vectors: the last block begins where it has as many as the others.
constexpr ResultText kSideBySide = {"result = min(blockIdx.x * places, elements - places) + place\no = result\n",
                                    "result >= blockIdx.x * places"};

/// The lanes of a block put together by halves, in shared memory.
constexpr std::string_view kByHalves = R"(values = shared.array(($LANES, $PLACES), $TYPE)
values[lane, place] = a0
syncthreads()
half = lanes // 2
while half > 0:
    if lane < half:
        values[lane, place] = combined(values[lane, place], values[lane + half, place])
    syncthreads()
    half = half // 2
a0 = values[0, place]
)";

/// The lanes of a block put together where neighbours have parts of one result: each warp by shuffles, then the warps
/// by the first lane.
constexpr std::string_view kByWarps = R"(delta = min(lanes, 32) // 2
while delta > 0:
    a0 = combined(a0, shfl_down_sync(0xffffffff, a0, delta))
    delta = delta // 2
if lanes > 32:
    values = shared.array((($LANES + 31) // 32, $PLACES), $TYPE)
    if lane % 32 == 0:
        values[lane // 32, place] = a0
    syncthreads()
    if lane == 0:
        for warp in range(1, lanes // 32):
            a0 = combined(a0, values[warp, place])
)";

std::string shape_giver(const ReductionVariant& variant) {
  std::size_t first = 0;
  while (!variant.is_array[first] || variant.is_shared[first] || variant.is_fixed[first]) ++first;
  return "in" + std::to_string(first);
}

/// Lines that load what stands at an index among what is reduced, and lines that put it together with accumulators.
struct RoundText {
  std::string load, combine;
};

RoundText round_text(const ReductionVariant& variant, const std::string& index, int number, int accumulators) {
  const std::string prefix = "r" + std::to_string(number) + "_";
  const std::vector<std::string> reduced = numbered(prefix, variant.reduced);
  const std::vector<std::string> kept = variant.kept > 0 ? numbered("o", variant.kept) : std::vector<std::string>{"0"};
  std::vector<std::string> all_axes = numbered("o", variant.kept);
  all_axes.insert(all_axes.end(), reduced.begin(), reduced.end());
  RoundText text;
  text.load = decomposition(index, prefix, variant.reduced, shape_giver(variant), variant.kept, variant.is_wide);
  for (std::size_t i = 0; i < variant.is_array.size(); ++i) {
    if (!variant.is_array[i]) continue;
    const std::string input = "in" + std::to_string(i);
    const std::vector<std::string>& indices = variant.is_shared[i] ? reduced : variant.is_fixed[i] ? kept : all_axes;
    text.load += prefix + input + " = " + element(input, true, indices) + "\n";
  }
  for (int component = 0; component < variant.width; ++component) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < variant.is_array.size(); ++i) {
      values.push_back((variant.is_array[i] ? prefix : "") + "in" + std::to_string(i));
      if (variant.is_array[i] && variant.width > 1) values.back() += std::string(".") + "xyzw"[component];
    }
    const std::string all = list_text(values);
    const std::string a = "a" + std::to_string((number * variant.width + component) % accumulators);
    text.combine += a + " = combined(" + a + ", " + to_string(variant.accumulator) + "(" +
                    (variant.is_second ? all : "operation(" + all + ")") + "))\n";
  }
  return text;
}

/// The accumulators put together by halves.
std::string join_text(int accumulators) {
  std::string text;
  for (int width = accumulators / 2; width > 0; width /= 2)
    for (int k = 0; k < width; ++k) {
      const std::string a = "a" + std::to_string(k);
      text += a + " = combined(" + a + ", a" + std::to_string(k + width) + ")\n";
    }
  return text.empty() ? "pass\n" : text;
}

std::string finish_text(const ReductionVariant& variant) {
  if (variant.is_split) return "out[blockIdx.y, result] = a0\n";
  const std::vector<std::string> indices = numbered("o", variant.kept);
  return "out[" + (indices.empty() ? "0" : list_text(indices)) + "] = finished(a0, count)\n";
}

/// How the lanes of a block are put together.
std::string together_text(const ReductionVariant& variant) {
  if (variant.lanes == 1) return "pass\n";
  const bool by_warps = variant.along_x && !variant.is_cpu && !variant.accumulator.is_record();
  return fill(by_warps ? kByWarps : kByHalves, {{"LANES", std::to_string(variant.lanes)},
                                                {"PLACES", std::to_string(variant.places)},
                                                {"TYPE", to_string(variant.accumulator)}});
}

}  // namespace

std::size_t ReductionVariant::hash() const {
  // A record counts by its name; others of that name are told apart by ==.
  const std::size_t record = accumulator.is_record() ? std::hash<std::string>()(accumulator.record->name) : 0;
  const auto number = [](int value) { return static_cast<std::uint64_t>(value); };
  return hash_of({number(kept), number(reduced), is_array.hash(), is_shared.hash(), is_fixed.hash(),
                  static_cast<std::uint64_t>(accumulator.scalar), record, number(width), is_wide, along_x, is_split,
                  is_second, is_cpu, number(lanes), number(places)});
}

Result<ReductionText> reduction_text(const ReductionSource& source) {
  std::vector<ElementwiseStep> steps = source.steps;
  steps.push_back({source.inputs, "mapped", "mapped = (" + source.map + ")"});
  ASSIGN_OR_RETURN(Fusion map, fuse(steps, source.preamble));
  return ReductionText{std::move(map), "(" + source.reduce + ")", "(" + source.post + ")", "(" + source.identity + ")"};
}

Source source_of(const ReductionText& text, const ReductionVariant& variant) {
  const bool steps_together = variant.is_cpu && (!variant.along_x || variant.lanes > 1);
  const int accumulators = steps_together ? 1 : kAccumulators;
  const int loads = std::min(kMostLoads, kMostElements / variant.width);
  const std::string barrier = steps_together ? "syncthreads()\n" : "";
  const bool has_lanes = steps_together && variant.lanes > 1;  // on their way together: `r` is the first one's
  const std::string place = has_lanes ? "r + lane" : "r";
  std::string start, all_loads, all_combined;
  for (const std::string& name : numbered("a", accumulators))
    start += name + " = " + to_string(variant.accumulator) + "(" + text.identity + ")\n";
  for (int k = 0; k < loads; ++k) {
    const RoundText round = round_text(variant, place + " + " + std::to_string(k) + " * lanes", k, accumulators);
    all_loads += round.load;
    all_combined += round.combine;
  }
  const RoundText one = round_text(variant, place, 0, accumulators);
  std::string element = one.load + one.combine;
  if (has_lanes) element = fill("if r + lane < end:\n    $ELEMENT\n", {{"ELEMENT", element}});
  std::vector<std::string> all = {"out", "elements", "length", "part", "count"};
  for (const std::string& input : numbered("in", static_cast<int>(variant.is_array.size()))) all.push_back(input);
  const std::string bounds = variant.is_cpu ? ""
                                            : ", launch_bounds=(" + std::to_string(variant.lanes * variant.places) +
                                                  ", " + std::to_string(kBlocksAtATime) + ")";
  const std::string across = variant.along_x ? "y" : "x";
  const ResultText& own = steps_together ? kSideBySide : kByThread;
  return Source(
      text.map.text +
          fill(kKernel, {{"REDUCE", text.reduce},
                         {"POST", text.post},
                         {"TYPE", to_string(variant.accumulator)},
                         {"ALL", list_text(all)},
                         {"BOUNDS", bounds},
                         {"LANES", std::to_string(variant.lanes)},
                         {"PLACES", variant.is_cpu ? "blockDim." + across : std::to_string(variant.places)},
                         {"ALONG", variant.along_x ? "x" : "y"},
                         {"ACROSS", across},
                         {"RESULT", own.result},
                         {"OWN", own.own},
                         {"KEPT", decomposition("o", "o", variant.kept, shape_giver(variant), 0, variant.is_wide)},
                         {"START", start},
                         {"LANE", steps_together ? "" : " + lane"},
                         {"LAST", has_lanes ? std::to_string(loads) + " * lanes - 1"
                                            : "(" + std::to_string(loads) + " - 1) * lanes"},
                         {"LOADS", std::to_string(loads)},
                         {"ELEMENTS", all_loads + all_combined + barrier},
                         {"ELEMENT", element + barrier},
                         {"JOIN", join_text(accumulators)},
                         {"TOGETHER", together_text(variant)},
                         {"FINISH", finish_text(variant)}}),
      "<reduction>");
}

}  // namespace pykc::jit
