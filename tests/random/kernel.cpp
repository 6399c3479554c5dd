// The program around the rooms: the module's head, the launch, and what a kernel begins and ends with.
#include <span>

#include "tests/random/expressions.h"
#include "tests/random/functions.h"
#include "tests/random/memory.h"
#include "tests/random/owned.h"
#include "tests/random/statements.h"
#include "tests/random/threads.h"
#include "tests/random/values.h"

namespace pykc::random_test {
namespace {

constexpr Launch kLaunches[] = {{"grid=1 block=32", 1, 32, 1},         {"grid=2 block=64", 2, 64, 1},
                                {"grid=3 block=96", 3, 96, 1},         {"grid=(1, 2) block=(8, 4)", 2, 32, 2},
                                {"grid=2 block=(16, 2, 2)", 2, 64, 3}, {"grid=(2, 1, 1) block=(3, 32)", 2, 96, 2}};
constexpr Launch kRaggedLaunches[] = {
    {"grid=2 block=1", 2, 1, 1}, {"grid=2 block=40", 2, 40, 1}, {"grid=1 block=(7, 3, 2)", 1, 42, 3}};
constexpr Launch kLargeLaunches[] = {
    {"grid=1 block=1024", 1, 1024, 1}, {"grid=2 block=256", 2, 256, 1}, {"grid=1 block=(20, 15)", 1, 300, 2}};
constexpr Launch kClusterLaunches[] = {{"grid=2 block=64", 2, 64, 1, "2"},
                                       {"grid=6 block=32", 6, 32, 1, "3"},
                                       {"grid=4 block=40", 4, 40, 1, "(4, 1, 1)"},
                                       {"grid=(4, 2) block=(8, 4)", 8, 32, 2, "(2, 2)"},
                                       {"grid=(2, 2) block=(3, 32)", 4, 96, 2, "(1, 2)"},
                                       {"grid=(1, 4, 2) block=(5, 3, 2)", 8, 30, 3, "(1, 2, 2)"}};

Launch random_launch(Writer& w) {
  if (w.is_enabled(Feature::Clusters)) return w.random.pick(kClusterLaunches);
  if (w.is_enabled(Feature::LargeBlocks)) return w.random.pick(kLargeLaunches);
  if (w.is_enabled(Feature::RaggedBlocks)) return w.random.pick(kRaggedLaunches);
  return w.random.pick(kLaunches);
}

std::string options(Writer& w) {
  std::string text;
  const auto add = [&](Feature feature, const std::string& option) {
    if (w.is_enabled(feature)) text += (text.empty() ? "" : ", ") + option;
  };
  add(Feature::NoContraction, "contract=False");
  add(Feature::NoWraparound, "wraparound=False");
  if (!w.is_enabled(Feature::Aliases)) add(Feature::NoAlias, "noalias=True");
  add(Feature::Clusters, std::string("cluster=") + w.launch.cluster);
  // Without a bound a large kernel may take more registers than a large block has.
  if (w.is_enabled(Feature::LaunchBounds) || w.launch.threads > 256)
    text += (text.empty() ? "" : ", ") + ("launch_bounds=" + std::to_string(w.launch.threads));
  return text.empty() ? "@kernel" : "@kernel(" + text + ")";
}

void begin_places(Writer& w) {
  if (w.launch.dimensions == 1) {
    w.line("tid = threadIdx.x");
    w.line("threads = blockDim.x");
    w.line(w.chance(50) ? "gid = grid(1)" : "gid = blockIdx.x * blockDim.x + threadIdx.x");
    w.line(w.chance(50) ? "total = gridsize(1)" : "total = gridDim.x * blockDim.x");
  } else {
    w.line("tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)");
    w.line("threads = blockDim.x * blockDim.y * blockDim.z");
    w.line("gid = tid + threads * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z))");
    w.line("total = threads * gridDim.x * gridDim.y * gridDim.z");
  }
  w.place.variables.push_back({"tid", ScalarType::I64});
  w.place.variables.push_back({"gid", ScalarType::I64});
}

void begin_variables(Writer& w) {
  for (int i = 3 + w.number(5); i-- > 0;) {
    const ScalarType type = w.any_type();
    const std::string name = w.fresh("v"), source = view(w, type, 4);
    w.line(name + ": " + spelling(type) + " = " + source.substr(0, source.find('[')) + "[gid % 64]");
    w.add_variable(name, type);
  }
  for (int i = 1 + w.number(2); i-- > 0;) {
    const std::string name = w.fresh("a");
    w.line(name + ": i64 = " + uniform_integer(w));
    w.place.variables.push_back({name, ScalarType::I64, true, true});
  }
  const ScalarType type = w.any_of(kWideTypes);
  w.add_variable(add_parameter(w, "x", spelling(type), std::to_string(w.number(9))), type);
  w.place.variables.back().assignable = false;
}

/// Gives a value to everything that the body may read.
void begin_kernel(Writer& w) {
  begin_places(w);
  begin_constants(w);
  begin_inputs(w);
  begin_variables(w);
  begin_local_arrays(w);
  begin_owned_arrays(w);
  begin_owned_matrix(w);
  begin_grid_exchange(w);
  begin_shared_arrays(w);
}

/// Everything that a thread holds goes to its own column of the outputs.
void end_kernel(Writer& w) {
  meet(w);
  w.line("out_i[0, gid] = sums[tid % 8]");
  const std::vector<Variable> variables = w.place.variables;
  for (const Variable& variable : variables) {
    if (w.rows >= kMostRows - 1) break;
    const Expression value = part(w, variable.type, variable.name);
    const bool is_real = is_float(value.type);
    w.line((is_real ? "out_f[" : "out_i[") + std::to_string(++w.rows) + ", gid] += " + (is_real ? "f64(" : "i64(") +
           value.text + ")");
  }
  const std::vector<ReadableArray> arrays = w.place.arrays;
  for (const ReadableArray& array : arrays) {
    if (array.memory != Memory::Local || w.rows >= kMostRows - 1) continue;
    const Expression value =
        part(w, array.element, array.name + (array.extents.size() == 1 ? "[tid & 3]" : "[0, tid & 3]"));
    w.line("out_f[" + std::to_string(++w.rows) + ", gid] += f64(" + value.text + ")");
  }
}

struct Size {
  int lines;       // at most, those of nested suites among them
  int statements;  // of the kernel itself
};

/// Most kernels are small, for what is wrong shows in few lines, and many of them are tried in the time of a large one.
Size random_size(Writer& w) {
  if (w.launch.threads > 128) return {8 + w.number(8), 6};
  if (w.chance(30)) return {12 + w.number(30), 6 + w.number(14)};
  return {4 + w.number(8), 2 + w.number(5)};
}

void write_kernel_body(Writer& w) {
  w.place.in_kernel = true;
  w.indented([&] {
    begin_kernel(w);
    const Size size = random_size(w);
    w.budget = size.lines;
    for (int i = 0; i < size.statements; ++i) statement(w);
    end_kernel(w);
  });
}

/// `# run:` and the kernel's first lines, which only the body makes known.
std::string kernel_head(Writer& w) {
  const std::string total = std::to_string(w.launch.blocks * w.launch.threads), rows = std::to_string(kMostRows);
  static constexpr const char* kLayouts[][2] = {
      {"[:, :]", ""}, {"[:, :]", ""}, {"[::1, :]", " columns"}, {"[::, ::]", " spread"}};
  std::string run = std::string("# run: ") + w.launch.text, parameters;
  if (w.shared_bytes > 0) run += " shared=" + std::to_string(w.shared_bytes);
  for (const char* type : {"i64", "f64"}) {
    const auto& layout = kLayouts[w.is_enabled(Feature::Matrices) ? w.number(4) : 0];
    run += std::string(" | zeros ") + type + "[" + rows + ", " + total + "]" + layout[1];
    parameters += std::string(parameters.empty() ? "out_" : ", out_") + type[0] + ": " + type + layout[0];
  }
  for (const Parameter& parameter : w.parameters) {
    run += " | " + parameter.run;
    parameters += ", " + parameter.name + ": " + parameter.annotation;
  }
  return "\n\n" + run + "\n" + options(w) + "\ndef k(" + parameters + "):\n";
}

}  // namespace

std::string write_program(std::uint64_t seed) {
  Writer w(seed);
  w.text =
      "import math\nfrom collections import namedtuple\nfrom enum import Enum, IntEnum\nfrom typing import NamedTuple\n"
      "import numpy as np\nfrom pykc import *\n";
  // There the components of a sum of vectors have 64 bits, which no cast makes narrow.
  if (w.is_enabled(Feature::NumbaDialect) && !w.is_enabled(Feature::Vectors)) w.text += "from numba import cuda\n";
  declare_constants(w);
  declare_types(w);
  declare_functions(w);
  w.launch = random_launch(w);
  const std::string module = std::move(w.text);
  w.text.clear();
  write_kernel_body(w);
  return module + kernel_head(w) + w.text;
}

}  // namespace pykc::random_test
