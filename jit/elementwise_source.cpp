// One kernel for each rank that is left when axes are joined, and for each choice of which inputs are arrays. On a GPU
// a thread computes several elements, all of which it loads before it computes the first, so that enough bytes are on
// their way to keep the memory busy: in vectors of 16 bytes where the arrays allow it. (ptxas moves single loads behind
// the branches of a division, where they wait for one another; it has no choice with the elements of a vector.)
#include "jit/elementwise_source.h"

#include "base/text.h"
#include "jit/kernel_text.h"

namespace pykc::jit {
namespace {

/// One element a thread: the CPU device runs threads side by side.
constexpr std::string_view kCpuKernel = R"(
@kernel(wraparound=False)
def elementwise($ALL):
    $ROW
    i = grid(1)
    if i < end:
        $ONE
)";

constexpr std::string_view kGpuKernel = R"(
@kernel(wraparound=False)
def elementwise($ALL):
    $ROW
    i = blockIdx.x * ($COUNT * blockDim.x) + threadIdx.x
    if i + ($COUNT - 1) * blockDim.x < end:
        $LOADS
        $RESULTS
        $STORES
    else:
        while i < end:
            $ONE
            i += blockDim.x
)";

/// Lines that work out which row the block works in, and where it ends.
std::string row_text(const ElementwiseVariant& variant) {
  if (!variant.by_rows || variant.rank == 1) return "end = out0.size\n";
  const int last = variant.rank - 1;
  std::string rows = "1";
  for (int axis = 0; axis < last; ++axis) rows += " * out0.shape[" + std::to_string(axis) + "]";
  return "row = blockIdx.z * gridDim.y + blockIdx.y\n" + decomposition("row", "row", last, "out0", 0, variant.is_wide) +
         "end = out0.shape[" + std::to_string(last) + "] if row < " + rows + " else 0\n";
}

/// Lines that load what stands at `index` into variables that begin with `prefix`, that compute with it, and that
/// store.
struct ElementText {
  std::string load, result, store;
};

ElementText element_text(const Fusion& fusion, const ElementwiseVariant& variant, const std::string& index,
                         const std::string& prefix) {
  std::vector<std::string> indices = numbered(variant.by_rows ? "row" : prefix, variant.rank);
  if (variant.by_rows) indices.back() = index;
  const auto outputs = static_cast<int>(fusion.outputs.size()), inputs = static_cast<int>(fusion.inputs.size());
  ElementText text;
  if (!variant.by_rows) text.load = decomposition(index, prefix, variant.rank, "out0", 0, variant.is_wide);
  for (int i = 0; i < inputs; ++i) {
    const std::string input = "in" + std::to_string(i);
    text.load += prefix + input + " = " + element(input, variant.is_array[static_cast<std::size_t>(i)], indices) + "\n";
  }
  std::vector<std::string> stored(static_cast<std::size_t>(outputs));
  for (int component = 0; component < variant.width; ++component) {
    std::vector<std::string> values = numbered(prefix + "in", inputs);
    if (variant.width > 1)
      for (std::size_t i = 0; i < values.size(); ++i)
        if (variant.is_array[i]) values[i] += std::string(".") + "xyzw"[component];
    const std::vector<std::string> results = numbered(prefix + std::to_string(component) + "_result", outputs);
    text.result += list_text(results) + " = operation(" + list_text(values) + ")\n";
    for (std::size_t i = 0; i < results.size(); ++i) stored[i] += (component > 0 ? ", " : "") + results[i];
  }
  for (int i = 0; i < outputs; ++i) {
    const std::string output = "out" + std::to_string(i);
    std::string& value = stored[static_cast<std::size_t>(i)];
    if (variant.width > 1) value = output + ".dtype(" + value + ")";
    text.store += element(output, true, indices) + " = " + value + "\n";
  }
  return text;
}

}  // namespace

Source source_of(const Fusion& fusion, const ElementwiseVariant& variant) {
  std::vector<std::string> all = numbered("out", static_cast<int>(fusion.outputs.size()));
  for (const std::string& input : numbered("in", static_cast<int>(fusion.inputs.size()))) all.push_back(input);
  std::string loads, results, stores;
  const int count = count_of_thread(variant);
  for (int k = 0; k < count; ++k) {
    const std::string number = std::to_string(k);
    const ElementText text = element_text(fusion, variant, "i + " + number + " * blockDim.x", "e" + number + "_");
    loads += text.load;
    results += text.result;
    stores += text.store;
  }
  const ElementText one = element_text(fusion, variant, "i", "i");
  return Source(
      fusion.text + fill(variant.is_cpu ? kCpuKernel : kGpuKernel, {{"ALL", list_text(all)},
                                                                    {"ROW", row_text(variant)},
                                                                    {"COUNT", std::to_string(count)},
                                                                    {"LOADS", loads},
                                                                    {"RESULTS", results},
                                                                    {"STORES", stores},
                                                                    {"ONE", one.load + one.result + one.store}}),
      "<elementwise>");
}

}  // namespace pykc::jit
