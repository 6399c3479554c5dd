// The modules of the library: each is built in, and computes what it says.
#include "stdlib/library.h"

#include <gtest/gtest.h>

#include "host.h"
#include "script/functions.h"

namespace pykc::script {
namespace {

std::string output(std::string_view source) {
  const HostRun run = run_host(source);
  std::string text;
  for (const Diagnostic& diagnostic : run.diagnostics) text += to_text(diagnostic);
  return run.output + text;
}

TEST(Library, ModulesAreFoundByName) {
  EXPECT_FALSE(library_modules().empty());
  for (const std::string_view name : library_modules()) EXPECT_FALSE(library_source(name).empty()) << name;
  EXPECT_TRUE(library_source("pykc.nothing").empty());
}

TEST(Library, BlockSumsOfEverySize) {
  EXPECT_EQ(output(R"(
from pykc.reduce import block_sum, block_max

@kernel
def fold(sums: f32[:], largest: f32[:], x: f32[:]):
    partial = shared.array(blockDim.x, f32)
    mine = x[threadIdx.x]
    total = block_sum(partial, mine)
    top = block_max(partial, mine)
    sums[threadIdx.x] = total
    largest[threadIdx.x] = top

for n in (1, 2, 3, 31, 32, 33, 100, 192, 255, 1000, 1024):
    x = arange(n, dtype=f32)
    sums, largest = zeros(n, f32), zeros(n, f32)
    fold[1, n](sums, largest, x)
    assert (sums == x.sum()).all()
    assert (largest == n - 1).all()
print("fine")
)"),
            "fine\n");
}

TEST(Library, Norms) {
  EXPECT_EQ(output(R"(
from pykc.reduce import row_norms, column_norms
a = random((37, 70), f32, seed=1)
by_rows, by_columns = zeros(37, f32), zeros(70, f32)
row_norms[37, 96](by_rows, a)
column_norms[cdiv(70, 64), 64](by_columns, a)
assert allclose(by_rows, norm(a, axis=1))
assert allclose(by_columns, norm(a, axis=0))
print("fine")
)"),
            "fine\n");
}

TEST(Library, MatrixKernels) {
  EXPECT_EQ(output(R"(
from pykc.transpose import transpose_tiled, TILE, ROWS
from pykc.matmul import matmul_tiled
from pykc.gemv import gemv_rows, gemv_columns
import pykc.matmul as products
a, b = random((33, 65), f32, seed=1), random((65, 17), f32, seed=2)
t = zeros((65, 33), f32)
transpose_tiled[(cdiv(65, TILE), cdiv(33, TILE)), (TILE, ROWS)](t, a)
assert array_equal(t, a.T)
c = zeros((33, 17), f32)
side = products.TILE
matmul_tiled[(cdiv(17, side), cdiv(33, side)), (side, side)](c, a, b)
assert allclose(c, a @ b)
m, x, y = random((50, 20), seed=3), random(20, seed=4), ones(50)
expected = 2.0 * (m @ x) + 3.0 * y
for kernel, matrix in ((gemv_rows, m), (gemv_columns, asfortranarray(m))):
    result = y.copy()
    kernel[1, 64](2.0, matrix, x, 3.0, result)
    assert allclose(result, expected)
print("fine")
)"),
            "fine\n");
}

TEST(Library, ScalarFunctions) {
  EXPECT_EQ(output(R"(
import math
from pykc.elementwise import squared_difference, hypot, softplus, gaussian_pdf, polar_distance

@kernel
def all_of(out, x, y):
    out[0] = squared_difference(x, y)
    out[1] = hypot(x, y)
    out[2] = softplus(x)
    out[3] = gaussian_pdf(x, y, 2.0)
    out[4] = polar_distance(x, 0.0, y, 3.141592653589793)

out = zeros(5)
all_of[1, 1](out, 3.0, 4.0)
density = math.exp(-0.125) / (2 * math.sqrt(2 * math.pi))
assert allclose(out, array([1.0, 5.0, math.log1p(math.exp(3.0)), density, 7.0]))
all_of[1, 1](out, 0.0, 0.0)
assert out[1] == 0.0
print("fine")
)"),
            "fine\n");
}

TEST(HostFunctions, AreDescribed) {
  for (const HostFunctionInfo& function : host_functions()) {
    EXPECT_FALSE(function.doc.empty()) << function.name;
    EXPECT_EQ(function.doc.back(), '.') << function.name;
  }
}

}  // namespace
}  // namespace pykc::script
