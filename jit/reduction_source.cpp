// One kernel serves all shapes. A block is a grid of lanes: some run along what is reduced, the others along what is
// kept, such that neighbours in threadIdx.x read neighbours in memory. Each thread puts together what its lane meets,
// several elements at a time so that their loads are on their way together; then the lanes of a block are put together
// in shared memory by halves. Threads beyond the last result do the work of the last, and store nothing.
//
// The CPU device has one lane along what is reduced. Along a row that lane meets neighbours in memory, which become a
// vector of accumulators. Along columns all threads of a block take the same steps, with a barrier behind each: so they
// go down the rows together, a vector of columns at a time.
//
// Where there are too few results to fill the device, several blocks share one, each with a part of what is reduced
// (blockIdx.y); a second launch puts the parts together.
#include "jit/reduction_source.h"

#include "jit/kernel_text.h"

namespace pykc::jit {
namespace {

constexpr int kUnrolled = 8;  // elements of a thread that are on their way together

constexpr std::string_view kKernel = R"(
def reduced(a, b):
    return $REDUCE

def combined(a, b):
    return $TYPE(reduced(a, b))

def finished(a, count):
    return $POST

@kernel(wraparound=False)
def reduction($ALL):
    values = shared.array($BLOCK, $TYPE)
    lane = threadIdx.$ALONG
    lanes = blockDim.$ALONG
    place = threadIdx.$ACROSS
    places = blockDim.$ACROSS
    result = blockIdx.x * places + place
    o = min(result, elements - 1)
    $KEPT
    part = (length + gridDim.y - 1) // gridDim.y
    end = min(length, (blockIdx.y + 1) * part)
    r = blockIdx.y * part + lane
    $START
    while r + ($COUNT - 1) * $STEP < end:
        $ELEMENTS
        r += $COUNT * $STEP
    while r < end:
        $ELEMENT
        r += $STEP
    $JOIN
    values[lane * places + place] = a0
    syncthreads()
    half = lanes // 2
    while half > 0:
        if lane < half:
            values[lane * places + place] = combined(values[lane * places + place], values[(lane + half) * places + place])
        syncthreads()
        half = half // 2
    if lane == 0 and result < elements:
        $FINISH
)";

std::string shape_giver(const ReductionVariant& variant) {
  std::size_t first = 0;
  while (!variant.is_array[first]) ++first;
  return "in" + std::to_string(first);
}

/// Lines that put one element, number `index` of those that are reduced, together with an accumulator.
std::string element_text(const ReductionVariant& variant, const std::string& index, int number, int accumulator) {
  const std::string prefix = "r" + std::to_string(number) + "_", a = "a" + std::to_string(accumulator);
  std::vector<std::string> indices = numbered("o", variant.kept);
  for (const std::string& name : numbered(prefix, variant.reduced)) indices.push_back(name);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < variant.is_array.size(); ++i)
    values.push_back(element("in" + std::to_string(i), variant.is_array[i], indices));
  const std::string mapped = variant.is_second ? comma_list(values) : "operation(" + comma_list(values) + ")";
  return decomposition(index, prefix, variant.reduced, shape_giver(variant), variant.kept, variant.is_wide) + a +
         " = combined(" + a + ", " + variant.accumulator + "(" + mapped + "))\n";
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
  if (variant.is_split) return "out[blockIdx.y, result] = values[place]\n";
  const std::vector<std::string> indices = numbered("o", variant.kept);
  return "out[" + (indices.empty() ? "0" : comma_list(indices)) + "] = finished(values[place], count)\n";
}

}  // namespace

std::string ReductionVariant::name() const {
  std::string text = accumulator + " " + std::to_string(kept) + " " + std::to_string(reduced) + " ";
  for (const bool array : is_array) text += array ? 'a' : 's';
  for (const bool flag : {is_wide, along_x, is_split, is_second}) text += flag ? '1' : '0';
  return text;
}

Result<ReductionText> reduction_text(const ReductionSource& source) {
  std::vector<ElementwiseStep> steps = source.steps;
  steps.push_back({source.inputs, "mapped", "mapped = (" + source.map + ")"});
  Result<Fusion> map = fuse(steps, source.preamble);
  if (!map) return map.error();
  return ReductionText{std::move(*map), "(" + source.reduce + ")", "(" + source.post + ")",
                       "(" + source.identity + ")"};
}

Source source_of(const ReductionText& text, const ReductionVariant& variant) {
  const bool steps_together = variant.is_cpu && !variant.along_x;
  const int accumulators = steps_together ? 1 : kUnrolled;
  const std::string step = variant.is_cpu ? "1" : "lanes", barrier = steps_together ? "syncthreads()\n" : "";
  std::string start, elements;
  for (const std::string& name : numbered("a", accumulators))
    start += name + " = " + variant.accumulator + "(" + text.identity + ")\n";
  for (int k = 0; k < kUnrolled; ++k)
    elements += element_text(variant, "r + " + std::to_string(k) + " * " + step, k, k % accumulators);
  std::vector<std::string> all = {"out", "elements", "length", "count"};
  for (const std::string& input : numbered("in", static_cast<int>(variant.is_array.size()))) all.push_back(input);
  return Source(
      text.map.text +
          fill(kKernel, {{"REDUCE", text.reduce},
                         {"POST", text.post},
                         {"TYPE", variant.accumulator},
                         {"ALL", comma_list(all)},
                         {"BLOCK", std::to_string(kReductionBlock)},
                         {"ALONG", variant.along_x ? "x" : "y"},
                         {"ACROSS", variant.along_x ? "y" : "x"},
                         {"KEPT", decomposition("o", "o", variant.kept, shape_giver(variant), 0, variant.is_wide)},
                         {"START", start},
                         {"COUNT", std::to_string(kUnrolled)},
                         {"STEP", step},
                         {"ELEMENTS", elements + barrier},
                         {"ELEMENT", element_text(variant, "r", 0, 0) + barrier},
                         {"JOIN", join_text(accumulators)},
                         {"FINISH", finish_text(variant)}}),
      "<reduction>");
}

}  // namespace pykc::jit
