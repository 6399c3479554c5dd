// The modules of the library: each is built in, and computes what it says.
#include "stdlib/library.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "host.h"
#include "pykc/source.h"
#include "script/functions/functions.h"

namespace pykc::script {
namespace {

std::string output_and_errors(std::string_view source) {
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
  EXPECT_EQ(output_and_errors(R"(
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
  EXPECT_EQ(output_and_errors(R"(
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
  EXPECT_EQ(output_and_errors(R"(
from pykc.transpose import transpose
from pykc.matmul import matmul_tiled
from pykc.gemv import gemv_rows, gemv_columns
import pykc.matmul as products
a, b = random((33, 65), f32, seed=1), random((65, 17), f32, seed=2)
t = zeros((65, 33), f32)
transpose(t, a)
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
  EXPECT_EQ(output_and_errors(R"(
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

/// A module of the library whose kernels have one configuration alone: number `index`, or the last.
Result<Source> with_one_configuration(std::string_view module, std::size_t index) {
  std::string text(library_source(module));
  if (text.empty()) return Error{ErrorCode::NotFound, "no module of the library"};
  constexpr std::string_view kList = "@autotune(configs=[", kOne = "config(";
  for (std::size_t at = text.find(kList); at != std::string::npos; at = text.find(kList, at)) {
    at += kList.size();
    const std::size_t end = text.find("])", at);
    const std::string list = text.substr(at, end - at);
    std::size_t one = list.find(kOne);
    for (std::size_t i = 0; i < index && list.find(kOne, one + 1) != std::string::npos; ++i)
      one = list.find(kOne, one + 1);
    text.replace(at, end - at, list.substr(one, list.find(')', one) + 1 - one));
  }
  return Source(text);
}

TEST(Library, EveryConfigurationComputesTheSame) {
  constexpr std::size_t kMost = 6;  // configurations of a kernel
  setenv("PYKC_AUTOTUNE", "off", 1);
  for (std::size_t i = 0; i < kMost; ++i) {
    CompileOptions options;
    options.optimization = 1;
    options.import = [i](std::string_view module) { return with_one_configuration(module, i); };
    const HostRun run = run_host(R"(
from pykc.gemv import gemv
from pykc.histogram import histogram
from pykc.matmul import matmul
from pykc.reduce import add, reduce_all
from pykc.scan import scan
from pykc.softmax import softmax
from pykc.transpose import transpose
a, b = random((130, 260), f32, seed=1), random((260, 136), f32, seed=2)
for columns in (260, 33):
    part = a[:, :columns].copy()
    t, s, y = zeros((columns, 130), f32), zeros((130, columns), f32), ones(130, f32)
    transpose(t, part)
    assert array_equal(t, part.T)
    softmax(s, part)
    assert allclose(s[7], exp(part[7]) / exp(part[7]).sum(), rtol=1e-4)
    for order in (part, asfortranarray(part)):
        y = ones(130, f32)
        gemv(f32(2.0), order, part[3].copy(), f32(3.0), y)
        assert allclose(y, 2 * (part @ part[3]) + 3, rtol=1e-4)
for depth in (16, 260):
    left, right = a[:128, :depth].copy(), b[:depth].copy()
    c = zeros((128, 136), f32)
    matmul(c, left, right)
    assert allclose(c, left @ right, rtol=1e-4)
x = (random(20_000, f32, seed=3) * 256).astype(i32)
counts, total, sums = zeros(256, i32), zeros(1, i64), zeros(20_000, i64)
histogram(counts, x)
assert array_equal(counts, bincount(x, minlength=256))
reduce_all(total, x, add, 0)
scan(sums, x)
assert total[0] == x.sum() and array_equal(sums, x.cumsum())
print("fine")
)",
                                 {}, options);
    std::string text;
    for (const Diagnostic& diagnostic : run.diagnostics) text += to_text(diagnostic);
    EXPECT_EQ(run.output + text, "fine\n") << "configuration " << i;
  }
  unsetenv("PYKC_AUTOTUNE");
}

TEST(HostFunctions, AreDescribed) {
  for (const HostFunctionInfo& function : host_functions()) {
    EXPECT_FALSE(function.doc.empty()) << function.name;
    EXPECT_EQ(function.doc.back(), '.') << function.name;
  }
}

}  // namespace
}  // namespace pykc::script
