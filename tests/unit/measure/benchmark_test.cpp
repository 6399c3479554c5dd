// What is counted: kernels of which everybody knows the bytes and the operations.
#include "measure/benchmark.h"

#include <gtest/gtest.h>

#include "driver/driver.h"
#include "measure/roofline.h"
#include "measure/sweep.h"
#include "tests/unit/jit/device.h"

namespace pykc::measure {
namespace {

constexpr const char* kSource = R"pyk(
from pykc import *
import math


@kernel
def vecadd(z: f32[:], x: f32[:], y: f32[:]):
    i = grid(1)
    if i < len(z):
        z[i] = x[i] + y[i]


@kernel
def matmul(c: f64[:, :], a: f64[:, :], b: f64[:, :]):
    j, i = grid(2)
    m, n = c.shape
    if i < m and j < n:
        total: f64 = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@device
def polynomial(x: f32) -> f32:
    return (x + 1.0) * (x - 2.0)


@kernel
def shared_sums(out: f32[:], x: f32[:]):
    t = shared.array(256, f32)
    i = grid(1)
    t[threadIdx.x] = polynomial(x[i]) if i < len(x) else 0.0
    d = blockDim.x // 2
    while d > 0:
        syncthreads()
        if threadIdx.x < d:
            t[threadIdx.x] += t[threadIdx.x + d]
        d = d // 2
    if threadIdx.x == 0:
        out[blockIdx.x] = math.sqrt(t[0])


@kernel
def gather(z: i32[:], x: i32[:], index: i64[:]):
    i = grid(1)
    if i < len(z):
        z[i] = x[index[i]]


@kernel
def halve_while_large(x: f32[:]):
    i = grid(1)
    if i < len(x):
        while x[i] > 0.001:
            x[i] *= 0.5


@kernel
def bounded(x: f32[:]):
    tile = shared.array(64, f32)
    tile[threadIdx.x] = x[0]
    x[0] = tile[threadIdx.x]


@kernel
def generic(a, x):
    x[grid(1)] = a
)pyk";

Program program() { return driver::load_source(Source(kSource, "kernels.pyk"), {}).value(); }

Result<Benchmark> benchmark_of(const std::string& name, BenchmarkSettings settings = {}) {
  settings.seconds = 1e-3;
  const Program kernels = program();
  return Benchmark::create(testing::device(), kernels, find_kernel(kernels, name, "").value().front().request, {},
                           settings);
}

ir::Counts counted(const std::string& name, std::int64_t size, Dim3 block, BenchmarkSettings settings = {}) {
  const Result<Benchmark> benchmark = benchmark_of(name, std::move(settings));
  EXPECT_TRUE(benchmark) << benchmark.error().message;
  const Result<Point> point = benchmark->measure(benchmark->make_arguments(size).value(), block);
  EXPECT_TRUE(point) << point.error().message;
  EXPECT_GE(point->times.samples, 7);
  EXPECT_GT(point->times.minimum, 0);
  EXPECT_LE(point->times.minimum, point->times.median);
  EXPECT_LE(point->times.median, point->times.maximum);
  return point->counts;
}

TEST(Benchmark, VectorSum) {
  for (const std::int64_t n : {1, 1000, 100'003})
    for (const std::int64_t block : {32, 256})
      EXPECT_EQ(counted("vecadd", n, {block}), (ir::Counts{8 * n, 4 * n, n, 0}));
}

TEST(Benchmark, MatrixProduct) {
  const std::int64_t n = 50;
  const ir::Counts expected{2 * n * n * n * 8, n * n * 8, 0, 2 * n * n * n};
  EXPECT_EQ(counted("matmul", n * n, {16, 16}), expected);
  EXPECT_EQ(counted("matmul", n * n, {32, 4}), expected);
}

TEST(Benchmark, BarriersAndDeviceFunctions) {
  const std::int64_t blocks = 10, n = blocks * 256 - 3;
  const ir::Counts expected{4 * n, 4 * blocks, 3 * n + 255 * blocks + blocks, 0};
  EXPECT_EQ(counted("shared_sums", n, {256}), expected);
}

TEST(Benchmark, IntegersAreIndices) { EXPECT_EQ(counted("gather", 1000, {64}), (ir::Counts{12'000, 4'000, 0, 0})); }

TEST(Benchmark, EveryPointStartsWithTheSameNumbers) {
  const Benchmark benchmark = benchmark_of("halve_while_large").value();
  const LaunchArguments arguments = benchmark.make_arguments(1000).value();
  const ir::Counts first = benchmark.measure(arguments, {64}).value().counts;
  EXPECT_GT(first[static_cast<std::size_t>(ir::Counter::F32Operations)], 5000);  // random numbers below 1
  EXPECT_EQ(benchmark.measure(arguments, {128}).value().counts, first);
}

TEST(Benchmark, AGridOfOnesOwn) {
  EXPECT_EQ(counted("vecadd", 1000, {64}, {.grid = Dim3{2}}), (ir::Counts{8 * 128, 4 * 128, 128, 0}));
  EXPECT_EQ(counted("vecadd", 1000, {64}, {.tile = Dim3{128}}), (ir::Counts{8 * 512, 4 * 512, 512, 0}));
}

TEST(Benchmark, WhatIsLaunchedWronglyIsAnErrorOfThePoint) {
  const Benchmark bounded = benchmark_of("bounded").value();
  const LaunchArguments arguments = bounded.make_arguments(1).value();
  EXPECT_TRUE(bounded.measure(arguments, {64}));
  const Result<Point> outside = bounded.measure(arguments, {128});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, ErrorCode::KernelFault);
  EXPECT_NE(outside.error().message.find(" is out of bounds for `tile` of shape (64,)"), std::string::npos)
      << outside.error().message;
  const Result<Point> too_large = bounded.measure(arguments, {2048});
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().code, ErrorCode::InvalidLaunch);
}

TEST(CompileCounting, ForAGpu) {
  const Program kernels = program();
  CompileOptions options;
  options.target = "sm_80";
  const auto counting = [&](const std::string& name) {
    return driver::compile_counting(kernels, find_kernel(kernels, name, "").value().front().request, options).value();
  };
  const driver::CountingKernel vecadd = counting("vecadd"), matmul = counting("matmul");
  EXPECT_EQ(vecadd.axes, 1);
  EXPECT_EQ(matmul.axes, 2);
  std::string written;
  for (const ParameterInfo& parameter : vecadd.artifact.kernels[0].parameters)
    if (parameter.is_written) written += parameter.name + " ";
  EXPECT_EQ(written, "z pykc.counts ");
  EXPECT_FALSE(vecadd.has_foreign_code);
  ASSERT_EQ(vecadd.artifact.kernels.size(), 1U);
  EXPECT_EQ(to_string(vecadd.artifact.kernels[0].parameters.back().array), "i64[512]");
  // A block may be as large as without counting; counts are registers until the end.
  EXPECT_NE(vecadd.artifact.code.find(".maxnreg 64"), std::string::npos) << vecadd.artifact.code;
  EXPECT_NE(vecadd.artifact.code.find(".global.add.u64"), std::string::npos) << vecadd.artifact.code;
  EXPECT_EQ(vecadd.artifact.code.find(".local"), std::string::npos) << vecadd.artifact.code;
}

TEST(FindKernel, ErrorsNameTheKernels) {
  const auto message = [](const std::string& name, const std::string& signature) {
    const Result<std::vector<ConfiguredKernel>> found = find_kernel(program(), name, signature);
    return found ? "found " + found->front().request.kernel : found.error().message;
  };
  EXPECT_EQ(message("matmul", ""), "found matmul");
  EXPECT_EQ(
      message("matmull", ""),
      "there is no kernel `matmull`; did you mean `matmul`? The kernels of the file: vecadd, matmul, shared_sums, "
      "gather, halve_while_large, bounded, generic");
  EXPECT_EQ(message("", ""),
            "the file has several kernels; name one: vecadd, matmul, shared_sums, "
            "gather, halve_while_large, bounded, generic");
  EXPECT_EQ(message("", "generic(f32, f32[:])"), "found generic");
  EXPECT_EQ(message("vecadd", "generic(f32, f32[:])"),
            "the signature is of kernel `generic`, but `vecadd` is what to measure");
  EXPECT_EQ(message("generic", ""),
            "kernel `generic` is generic; say for which types of a, x to compile it: `generic(TYPE, TYPE)`, where "
            "a TYPE is f32, i64, f32[:], f32[:, :] or the like");
  EXPECT_NE(message("generic", "generic(f32"), "found generic");
}

TEST(FindKernel, ConfigurationsAreSwept) {
  const Program kernels = driver::load_source(Source(R"pyk(
from pykc import *


@autotune(configs=[config(N=1, threads=32), config(N=2, threads=64)])
@kernel
def tuned(x: f32[:], N: constexpr):
    x[grid(1)] = N


@autotune(configs=[config(N=1), config(N=2)])
@kernel
def generic(x, N: constexpr):
    x[grid(1)] = N


@autotune(configs=[config(threads=32), config(threads=64)])
@kernel
def typed(x: f32[:]):
    x[grid(1)] = 1.0
)pyk",
                                                     "tuned.pyk"),
                                              {})
                              .value();
  const auto found = [&](const std::string& name, const std::string& signature) {
    const Result<std::vector<ConfiguredKernel>> configured = find_kernel(kernels, name, signature);
    if (!configured) return configured.error().message;
    std::string text;
    for (const ConfiguredKernel& kernel : *configured)
      text += "[" + kernel.text() + "]" + std::to_string(kernel.request.arguments.size());
    return text;
  };
  EXPECT_EQ(found("tuned", ""), "[N=1, threads=32]1[N=2, threads=64]1");
  EXPECT_EQ(found("", "tuned(f32[:])"), "[N=1, threads=32]2[N=2, threads=64]2");
  EXPECT_EQ(found("", "tuned(f32[:], 7)"), "[]2");
  EXPECT_EQ(found("", "generic(f32[:])"), "[N=1]2[N=2]2");
  EXPECT_EQ(found("typed", ""), "[threads=32]0[threads=64]0");
  EXPECT_EQ(found("generic", "").substr(0, 28), "kernel `generic` is generic;");
}

// As many constants as annotated parameters: what is asked for was taken for all that the kernel says of itself.
TEST(FindKernel, EachConfigurationIsCompiledForItself) {
  const Program kernels = driver::load_source(Source(R"pyk(
from pykc import *


@autotune(configs=[config(N=32), config(N=64)])
@kernel
def tuned(x: f32[:], N: constexpr):
    assert blockDim.x == N
    x[grid(1)] = N
)pyk",
                                                     "tuned.pyk"),
                                              {})
                              .value();
  const std::vector<ConfiguredKernel> configured = find_kernel(kernels, "tuned", "").value();
  ASSERT_EQ(configured.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    BenchmarkSettings settings;
    settings.seconds = 1e-3;
    const auto benchmark =
        Benchmark::create(testing::device(), kernels, configured[i].request, {}, std::move(settings)).value();
    const LaunchArguments arguments = benchmark.make_arguments(64).value();
    const Result<Point> point = benchmark.measure(arguments, {i == 0 ? 32 : 64});
    EXPECT_TRUE(point) << point.error().message;
  }
}

TEST(FindKernel, AConfigurationGoesWithAnnotationsThatNoSignatureCanSpell) {
  const Program kernels = driver::load_source(Source(R"pyk(
from pykc import *


@struct
class Point:
    x: f32
    y: f32


@autotune(configs=[config(N=1), config(N=2)])
@kernel
def of_records(points: Point[:], N: constexpr):
    i = grid(1)
    if i < len(points):
        points[i].x = N
)pyk",
                                                     "records.pyk"),
                                              {})
                              .value();
  const KernelRequest request = find_kernel(kernels, "of_records", "").value().back().request;
  const Result<Benchmark> benchmark = Benchmark::create(testing::device(), kernels, request, {}, {});
  ASSERT_TRUE(benchmark) << benchmark.error().message;
  EXPECT_EQ(benchmark->kernel().parameters.size(), 1U);
}

TEST(WithValues, NamesOfAConfigurationBecomeItsValues) {
  const Configuration configuration{{"TILE", 32}, {"TILEx", 4}, {"max", 7}};
  EXPECT_EQ(with_values("TILExTILE,64..128,maxx8", configuration), "432,64..128,7x8");
  EXPECT_EQ(with_values("TILEx8", Configuration{{"TILE", 32}}), "32x8");
  EXPECT_EQ(with_values("16x16", Configuration({})), "16x16");
}

TEST(Roofline, TheLastOfMemoryAndArithmeticCounts) {
  const Roofline roofline{.bytes_per_second = 100, .f32_per_second = 1000, .f64_per_second = 500};
  EXPECT_DOUBLE_EQ(least_seconds(roofline, {100, 100, 10, 10}), 2);
  EXPECT_DOUBLE_EQ(least_seconds(roofline, {100, 0, 5000, 0}), 5);
  EXPECT_DOUBLE_EQ(least_seconds(roofline, {100, 0, 5000, 5000}), 10);
}

TEST(Roofline, IsMeasured) {
  const Roofline roofline = measure_roofline(testing::device()).value();
  EXPECT_GT(roofline.bytes_per_second, 1e8);
  EXPECT_GT(roofline.f32_per_second, 1e8);
  EXPECT_GT(roofline.f64_per_second, 1e8);
}

}  // namespace
}  // namespace pykc::measure
