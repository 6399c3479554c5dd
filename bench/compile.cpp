// The compiler in process: from the text to PTX, or to an object for the CPU device, and from the cache on disk. The
// phases of one compilation are `pykc compile --time`.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <utility>

#include "pykc/compiler.h"

namespace {

constexpr std::string_view kVecadd = R"(
from pykc import *

@kernel
def vecadd(z: f32[:], x: f32[:], y: f32[:]):
    i = grid(1)
    if i < len(z):
        z[i] = x[i] + y[i]
)";

constexpr std::string_view kTiledMatmul = R"(
from pykc import *

TILE = 16


@kernel
def matmul_tiled(c: f32[:, :], a: f32[:, :], b: f32[:, :]):
    """`c = a @ b` for any sizes. A block makes a tile of `c`; tiles of `a` and `b` pass through shared memory, so that
    each element comes from global memory once a tile instead of once a product. What lies outside counts as 0."""
    tile_a = shared.array((TILE, TILE), f32)
    tile_b = shared.array((TILE, TILE), f32)
    tx = threadIdx.x
    ty = threadIdx.y
    column = blockIdx.x * TILE + tx
    row = blockIdx.y * TILE + ty
    m, n = c.shape
    depth = a.shape[1]
    total: f32 = 0.0
    for k in range(0, depth, TILE):
        tile_a[ty, tx] = a[row, k + tx] if row < m and k + tx < depth else 0.0
        tile_b[ty, tx] = b[k + ty, column] if k + ty < depth and column < n else 0.0
        syncthreads()
        for j in range(TILE):
            total += tile_a[ty, j] * tile_b[j, tx]
        syncthreads()
    if row < m and column < n:
        c[row, column] = total
)";

void compile(benchmark::State& state, std::string_view source, const std::string& target, bool cache) {
  for ([[maybe_unused]] auto _ : state) {
    const auto artifact = pykc::compile(source, {.target = target, .cache = cache});
    if (!artifact) return state.SkipWithError(artifact.error().message.c_str());
    benchmark::DoNotOptimize(artifact->code.data());
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& [name, source] : {std::pair("vecadd", kVecadd), {"tiled_matmul", kTiledMatmul}})
    for (const char* target : {"sm_90", "cpu"})
      for (const bool cache : {false, true})
        benchmark::RegisterBenchmark(
            (std::string(name) + "/" + target + (cache ? "/from the cache" : "/compiled")).c_str(),
            [=, source = source](benchmark::State& state) { compile(state, source, target, cache); })
            ->Unit(benchmark::kMillisecond)
            ->Repetitions(9)
            ->ReportAggregatesOnly();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
