// Kernels launched from host code, on the CPU device.
#include <gtest/gtest.h>

#include "host.h"
#include "pykc/source.h"

namespace pykc::script {
namespace {

constexpr std::string_view kKernels = R"pyk(
import numpy as np
from numba import cuda, vectorize

@kernel
def scale(y: f32[:], x: f32[:], factor: f32):
    i = grid(1)
    if i < y.shape[0]:
        y[i] = x[i] * factor

@kernel
def copy(y, x):
    for i in range(grid(1), y.shape[0], gridsize(1)):
        y[i] = x[i]

@kernel
def shift(y, x, n):
    i = grid(1)
    if i < y.shape[0]:
        y[i] = x[i] + n

@kernel
def rows(y: i64[:, :]):
    j, i = grid(2)
    if i < y.shape[0] and j < y.shape[1]:
        y[i, j] = 10 * i + j

@kernel
def positive(x: f32[:]):
    i = grid(1)
    if i < x.shape[0]:
        assert x[i] > 0.0

@kernel
def shared_sum(y: f32[:]):
    part = shared.array(0, f32)
    part[threadIdx.x] = threadIdx.x
    syncthreads()
    if threadIdx.x == 0:
        total = 0.0
        for i in range(blockDim.x):
            total += part[i]
        y[blockIdx.x] = total

@vectorize
def difference(a, b):
    return a - b

@vectorize(["float32(float32, float32)"], target="cuda")
def weighted(a, b):
    return a * 2.0 + b
)pyk";

HostRun run_with_kernels(std::string_view source) { return run_host(std::string(kKernels) + std::string(source)); }
std::string output(std::string_view source) {
  const HostRun run = run_with_kernels(source);
  if (run.code >= 0) return run.output;
  std::string text;
  for (const Diagnostic& diagnostic : run.diagnostics) text += to_text(diagnostic);
  return text;
}
std::string code_of(std::string_view source) {
  const HostRun run = run_with_kernels(source);
  return run.code >= 0 ? "no error" : run.error().code;
}

TEST(Launch, ForallStartsAThreadForEachTask) {
  EXPECT_EQ(output("x, y = arange(1000, dtype=f32), zeros(1000, f32)\nscale.forall(1000)(y, x, 2)\nprint(y.sum())\n"),
            "999000.0\n");
  EXPECT_EQ(output("x, y = arange(70, dtype=f32), zeros(70, f32)\nscale.forall(len(x), tpb=32)(y, x, 2)\n"
                   "print(y.sum())\nscale.forall(0)(y, x, 0)\nprint(y.sum())\n"),
            "4830.0\n4830.0\n");
  EXPECT_EQ(output("y = zeros(2, f32)\nshared_sum.forall(16, tpb=8, sharedmem=32)(y)\nprint(y)\n"), "[28. 28.]\n");
  EXPECT_EQ(code_of("scale.forall(-1)\n"), "E0410");
}

TEST(Launch, TypedKernelsConvertNumbers) {
  EXPECT_EQ(output("x, y = arange(5, dtype=f32), zeros(5, f32)\nscale[1, 32](y, x, 2)\nprint(y)\n"),
            "[0. 2. 4. 6. 8.]\n");
  EXPECT_EQ(output("x, y = arange(3, dtype=f32), zeros(3, f32)\nscale[1, 32](y, x, np.float64(0.5))\nprint(y)\n"),
            "[0.  0.5 1. ]\n");
}

TEST(Launch, GenericKernelsTakeAnyTypes) {
  EXPECT_EQ(output("for t in (i8, u16, i64, f16, f32, f64):\n    x, y = arange(3, dtype=t), zeros(3, t)\n"
                   "    copy[1, 32](y, x)\n    assert array_equal(x, y)\nprint('fine')\n"),
            "fine\n");
  EXPECT_EQ(output("x, y = arange(3, dtype=i32), zeros(3, f64)\nshift[1, 32](y, x, 0.5)\nprint(y)\n"),
            "[0.5 1.5 2.5]\n");
}

TEST(Launch, TheLayoutFollowsTheArray) {
  EXPECT_EQ(output("x, y = arange(10)[::-2], zeros(10, i64)[::2]\ncopy[1, 32](y, x)\nprint(y)\n"), "[9 7 5 3 1]\n");
  EXPECT_EQ(code_of("y = asfortranarray(zeros((2, 3), i64))\nrows[1, (8, 8)](y)\n"), "E0443");
}

TEST(Launch, GridsAndBlocksOfSeveralAxes) {
  EXPECT_EQ(output("y = zeros((3, 4), i64)\nrows[(2, 2), (2, 2)](y)\nprint(y)\n"),
            "[[ 0  1  2  3]\n [10 11 12 13]\n [20 21 22 23]]\n");
  EXPECT_EQ(output("y = zeros((3, 4), i64)\nrows[0, 32](y)\nprint(y.sum())\n"), "0\n");
}

TEST(Launch, AStreamAndSharedMemory) {
  EXPECT_EQ(output("y = zeros(2, f32)\nshared_sum[2, 8, 0, 32](y)\nprint(y)\n"), "[28. 28.]\n");
  EXPECT_EQ(output("s = cuda.stream()\ny = zeros(2, f32)\nshared_sum[2, 8, s, 32](y)\ns.synchronize()\nprint(y)\n"),
            "[28. 28.]\n");
}

TEST(Launch, HostAndDeviceSeeTheSameElements) {
  EXPECT_EQ(output("x, y = ones(3, f32), zeros(3, f32)\nscale[1, 32](y, x, 2.0)\nx[0] = 5\nscale[1, 32](y, x, 2.0)\n"
                   "y[2] = -1\nscale[1, 32](x, y, 1.0)\nprint(x, y)\n"),
            "[10.  2. -1.] [10.  2. -1.]\n");
}

TEST(Launch, CopiesInNumbasSpelling) {
  EXPECT_EQ(output("x = arange(3, dtype=f32)\nd_x = cuda.to_device(x)\nd_y = cuda.device_array_like(x)\nx[0] = 100\n"
                   "scale[1, 32](d_y, d_x, 2.0)\nh = cuda.pinned_array(3, np.float32)\nd_y.copy_to_host(h)\n"
                   "print(h, d_y.copy_to_host())\n"),
            "[0. 2. 4.] [0. 2. 4.]\n");
}

TEST(Launch, EventsMeasureTime) {
  EXPECT_EQ(output("a, b = cuda.event(timing=True), event()\na.record()\nb.record()\nb.synchronize()\n"
                   "print(0 <= cuda.event_elapsed_time(a, b) < 1000, elapsed(a, b) == a.elapsed_time(b))\n"),
            "True True\n");
  EXPECT_EQ(code_of("a, b = event(), event()\nprint(elapsed(a, b))\n"), "E0438");
}

TEST(Launch, VectorizedFunctionsBroadcast) {
  EXPECT_EQ(output("print(difference(arange(3), arange(2)[:, None]))\n"), "[[ 0  1  2]\n [-1  0  1]]\n");
  EXPECT_EQ(output("r = weighted(arange(3, dtype=i16), 0.5)\nprint(r, r.dtype)\n"), "[0.5 2.5 4.5] f32\n");
  EXPECT_EQ(output("out = zeros(3)\nweighted(arange(3, dtype=f32), 1, out=out)\nprint(out, weighted(1, 2))\n"),
            "[1. 3. 5.] 4.0\n");
  EXPECT_EQ(code_of("weighted(arange(3), 0.5)\n"), "E0410");  // i64 to f32 is not safe
  EXPECT_EQ(output("print(difference(zeros(0), 1.0))\n"), "[]\n");
  EXPECT_EQ(code_of("difference(zeros(2), zeros(3))\n"), "E0420");
  EXPECT_EQ(code_of("difference(zeros(2))\n"), "E0446");
}

TEST(Launch, MistakesInTheConfiguration) {
  const std::string_view arrays = "x = zeros(3, f32)\n";
  for (const char* launch :
       {"scale[1](x, x, 1.0)", "scale[1, 32, 0, 0, 0](x, x, 1.0)", "scale[1.5, 32](x, x, 1.0)",
        "scale[1, (1, 1, 1, 1)](x, x, 1.0)", "scale[1, 'a'](x, x, 1.0)", "scale[1, 32, 7](x, x, 1.0)"})
    EXPECT_EQ(code_of(std::string(arrays) + launch + "\n"), "E0441") << launch;
  EXPECT_EQ(code_of("x = zeros(3, f32)\nscale(x, x, 1.0)\n"), "E0440");
  for (const char* launch : {"scale[1, 1025](x, x, 1.0)", "scale[1, 0](x, x, 1.0)", "scale[-1, 32](x, x, 1.0)",
                             "shared_sum[1, 8, 0, 10 ** 9](x)"})
    EXPECT_EQ(code_of(std::string(arrays) + launch + "\n"), "E0443") << launch;
}

TEST(Launch, MistakesInTheArguments) {
  EXPECT_EQ(code_of("x = zeros(3, f32)\nscale[1, 32](x, x)\n"), "E0446");
  EXPECT_EQ(code_of("x = zeros(3, f32)\ncopy[1, 32](x, None)\n"), "E0442");
  EXPECT_EQ(code_of("x = zeros(3, f32)\ncopy[1, 32](x, 'text')\n"), "E0255");
  EXPECT_EQ(code_of("x = zeros(3, f32)\ncopy[1, 32](x, x=x)\n"), "E0442");
  EXPECT_EQ(code_of("x = zeros(3, f64)\nscale[1, 32](x, x, 1.0)\n"), "E0443");
  EXPECT_EQ(code_of("x = zeros((3, 3), f32)\nscale[1, 32](x, x, 1.0)\n"), "E0443");
  EXPECT_EQ(code_of("x = zeros(3, f32)\nscale[1, 32](x, 1.0, 1.0)\n"), "E0443");
}

TEST(Launch, AKernelsErrorsForTheArgumentsAreShown) {
  const HostRun run = run_with_kernels("x = zeros(3, f32)\nshift[1, 32](x, 1.0, 2.0)\n");
  EXPECT_EQ(run.error().code.substr(0, 3), "E02");
  ASSERT_FALSE(run.error().labels.empty());
  EXPECT_EQ(run.error().labels.back().text, "compiled for (f32[:], f64, f64) by this launch");
}

TEST(Launch, WhatIsWrongWithTheFileNamesNoLaunch) {
  const HostRun run =
      run_with_kernels("x = zeros(3, f32)\nshift[1, 32](x, x, x)\n\n@kernel(colour=1)\ndef other(y):\n    y[0] = 1\n");
  EXPECT_EQ(run.error().code, "E0221");
  EXPECT_TRUE(run.error().labels.empty());
}

TEST(Launch, AFaultStandsAtItsLaunch) {
  const HostRun run = run_with_kernels("x = zeros(3, f32)\npositive[1, 32](x)\nprint('not reached')\n");
  EXPECT_EQ(run.output, "");
  ASSERT_EQ(run.code, -1);
  EXPECT_EQ(run.error().code, "E0443");
  EXPECT_EQ(run.error().place.source_line, "positive[1, 32](x)");
}

TEST(Launch, KernelsOfModulesKeepTheirNames) {
  EXPECT_EQ(output("from pykc.reduce import partial_sums as sums_of\nx, s = ones(100, f32), zeros(2, f32)\n"
                   "sums_of[2, 32](s, x)\nprint(s.sum())\n"),
            "100.0\n");
}

TEST(Launch, LibraryModulesAreImported) {
  EXPECT_EQ(output("from pykc.reduce import partial_sums\nx, sums = ones(1000, f32), zeros(4, f32)\n"
                   "partial_sums[4, 96](sums, x)\nprint(sums.sum())\n"),
            "1000.0\n");
  EXPECT_EQ(
      output("import pykc.histogram as h\ncounts = zeros(256, i32)\nh.histogram_u8[2, 64](counts, full(10, 7, u8))\n"
             "print(counts[7], counts.sum())\n"),
      "10 10\n");
}

TEST(Launch, FunctionsOfSeveralFilesArePassed) {
  int reads = 0;
  CompileOptions options;
  options.import = [&reads](std::string_view name) -> Result<Source> {
    if (name != "tools") return Error{ErrorCode::NotFound, "no such file"};
    ++reads;
    return Source(R"pyk(
from numba import cuda, njit

@njit
def twice(f, x):
    return f(f(x))

@njit
def half(x):
    return x / 2

@cuda.jit
def apply(f, y, x):
    i = cuda.grid(1)
    if i < len(x):
        y[i] = f(x[i])
)pyk");
  };
  const HostRun run = run_host(R"pyk(
from tools import twice, half, apply

@device
def more(x):
    return x + 1

@kernel
def fill(y, value: constexpr):
    y[grid(1)] = value

x, y = full(2, 8, f32), zeros(2, f32)
apply[1, 32](more, y, x)
print(y)
apply[1, 32](half, y, x)
print(y)
print(twice(half, 8.0), twice(more, 8.0))
for value in (2.5, -3, True, float("inf"), f32(0.1)):
    fill[1, 2](y, value)
    print(y)
)pyk",
                               {}, options);
  EXPECT_EQ(run.output, "[9. 9.]\n[4. 4.]\n2.0 10.0\n[2.5 2.5]\n[-3. -3.]\n[1. 1.]\n[inf inf]\n[0.1 0.1]\n");
  EXPECT_EQ(reads, 1);
}

TEST(Launch, TuplesOfNumbersAreConstants) {
  const HostRun run = run_host(R"pyk(
from collections import namedtuple

Tile = namedtuple("Tile", ("width", "scale"))

@device
def area(tile: constexpr):
    return tile.width * tile.scale

@kernel
def fill(y, sizes: constexpr):
    y[0] = sizes[0]
    y[1] = sizes[1][-1]

@kernel
def fill_tile(y, tile: constexpr):
    y[0] = tile.scale
    y[1] = area(tile)

y = zeros(2, f64)
for sizes in ((2.5, (1, -3)), (-2, (float("inf"),)), (f32(0.1), (True, False)), Tile(u8(7), (1, 2))):
    fill[1, 1](y, sizes)
    print(y)
fill_tile[1, 1](y, Tile(16, 0.5))
print(y)
)pyk",
                               {});
  EXPECT_EQ(run.output, "[ 2.5 -3. ]\n[-2. inf]\n[0.1 0. ]\n[7. 2.]\n[0.5 8. ]\n");
  const std::string kernel = "@kernel\ndef fill(y, value: constexpr):\n    y[0] = value\n\ny = zeros(3, f32)\n";
  EXPECT_EQ(code_of(kernel + "fill[1, 1](y, y)\n"), "E0249");
  EXPECT_EQ(code_of(kernel + "fill[1, 1](y, 1 + 2j)\n"), "E0249");
  EXPECT_EQ(code_of(kernel + "fill[1, 1](y, (1, y))\n"), "E0283");
}

}  // namespace
}  // namespace pykc::script
