// One kernel for each rank that is left when axes are joined, and for each choice of which inputs are arrays. On a GPU
// a thread computes several elements, all of which it loads before it stores the first, so that enough bytes are on
// their way to keep the memory busy.
#include "jit/elementwise_source.h"

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

/// Lines that compute element `index` into variables that begin with `prefix`, and lines that store it.
struct ElementText {
  std::string load, store;
};

ElementText element_text(const Fusion& fusion, const ElementwiseVariant& variant, const std::string& index,
                         const std::string& prefix) {
  std::vector<std::string> indices = numbered(variant.by_rows ? "row" : prefix, variant.rank);
  if (variant.by_rows) indices.back() = index;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < variant.is_array.size(); ++i)
    values.push_back(element("in" + std::to_string(i), variant.is_array[i], indices));
  const auto outputs = static_cast<int>(fusion.outputs.size());
  const std::vector<std::string> results = numbered(prefix + "_result", outputs);
  ElementText text;
  if (!variant.by_rows) text.load = decomposition(index, prefix, variant.rank, "out0", 0, variant.is_wide);
  text.load += comma_list(results) + " = operation(" + comma_list(values) + ")\n";
  for (int i = 0; i < outputs; ++i)
    text.store +=
        element("out" + std::to_string(i), true, indices) + " = " + prefix + "_result" + std::to_string(i) + "\n";
  return text;
}

}  // namespace

Source source_of(const Fusion& fusion, const ElementwiseVariant& variant) {
  std::vector<std::string> all = numbered("out", static_cast<int>(fusion.outputs.size()));
  for (const std::string& input : numbered("in", static_cast<int>(fusion.inputs.size()))) all.push_back(input);
  std::string loads, stores;
  for (int k = 0; k < kElementsPerGpuThread; ++k) {
    const std::string number = std::to_string(k);
    const ElementText text = element_text(fusion, variant, "i + " + number + " * blockDim.x", "e" + number + "_");
    loads += text.load;
    stores += text.store;
  }
  const ElementText one = element_text(fusion, variant, "i", "i");
  return Source(
      fusion.text + fill(variant.is_cpu ? kCpuKernel : kGpuKernel, {{"ALL", comma_list(all)},
                                                                    {"ROW", row_text(variant)},
                                                                    {"COUNT", std::to_string(kElementsPerGpuThread)},
                                                                    {"LOADS", loads},
                                                                    {"STORES", stores},
                                                                    {"ONE", one.load + one.store}}),
      "<elementwise>");
}

}  // namespace pykc::jit
