// The CPU device beside plain C++ on the same number of threads, in one run: vecadd of 2^26 floats beside a loop, the shared-memory
// block reduction beside std::reduce. Prints medians and ratios; exits non-zero if a result is wrong.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace {

constexpr std::int64_t kSize = std::int64_t{1} << 26;

constexpr const char* kSource = R"pyk(
@kernel
def vecadd(z: f32[:], x: f32[:], y: f32[:]):
    i = grid(1)
    if i < len(z):
        z[i] = x[i] + y[i]

@kernel
def block_sums(out: f32[:], x: f32[:]):
    temp = shared.array(blockDim.x, f32)
    tid = threadIdx.x
    i = grid(1)
    temp[tid] = x[i] if i < len(x) else 0.0
    d = blockDim.x // 2
    while d > 0:
        syncthreads()
        if tid < d:
            temp[tid] += temp[tid + d]
        d = d // 2
    if tid == 0:
        out[blockIdx.x] = temp[0]
)pyk";

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Times the two in turn, so that a machine that changes its speed changes both.
void compare(const char* name, const std::function<void()>& ours, const std::function<void()>& theirs) {
  std::vector<double> a, b, ratios;
  ours();
  theirs();
  for (int i = 0; i < 15; ++i) {
    a.push_back(milliseconds(ours));
    b.push_back(milliseconds(theirs));
    ratios.push_back(a.back() / b.back());
  }
  for (std::vector<double>* list : {&a, &b, &ratios}) std::sort(list->begin(), list->end());
  std::printf("%-28s pykc %8.3f ms   C++ %8.3f ms   ratio %.3f (min %.3f, max %.3f)\n", name, a[7], b[7], ratios[7], ratios[0],
              ratios[14]);
}

[[gnu::noinline]] void add_loop(float* z, const float* x, const float* y, std::int64_t n) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

[[gnu::noinline]] float reduce_loop(const float* x, std::int64_t n) {
  float total = 0;
#pragma omp parallel reduction(+ : total)
  {
    const std::int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
    total += std::reduce(x + n * me / threads, x + n * (me + 1) / threads, 0.0f);
  }
  return total;
}

}  // namespace

int main() {
  const pykc::Device device = pykc::Device::open("cpu").value();
  pykc::CompileOptions options;
  options.target = "cpu";
  const pykc::Module module = device.load(pykc::compile(kSource, options).value()).value();
  const pykc::Kernel vecadd = module.kernel("vecadd").value();
  const pykc::Kernel block_sums = module.kernel("block_sums").value();

  std::vector<float> host(kSize);
  for (std::int64_t i = 0; i < kSize; ++i) host[static_cast<std::size_t>(i)] = static_cast<float>(i % 1000) * 0.001f;
  const auto x = device.copy_from<float>(host).value();
  const auto y = device.copy_from<float>(host).value();
  const auto z = device.allocate<float>(kSize).value();
  const auto sums = device.allocate<float>(kSize / 256).value();

  std::printf("%s, %d threads, 2^26 floats, medians of 15\n", device.info().description.c_str(), omp_get_max_threads());
  compare("vecadd", [&] { vecadd.launch({.grid = {kSize / 256}, .block = {256}}, z, x, y).value(); },
          [&] { add_loop(z.address(), x.address(), y.address(), kSize); });
  if (z.address()[12345] != 2 * host[12345]) return 1;

  float from_kernel = 0, from_loop = 0;
  compare("block reduction, 256 threads",
          [&] {
            block_sums.launch({.grid = {kSize / 256}, .block = {256}}, sums, x).value();
            from_kernel = std::reduce(sums.address(), sums.address() + sums.size(), 0.0f);
          },
          [&] { from_loop = reduce_loop(x.address(), kSize); });
  std::printf("sums: %g and %g\n", static_cast<double>(from_kernel), static_cast<double>(from_loop));

  for (const std::int64_t blocks : {1, 1000}) {
    const auto nothing = device.allocate<float>(std::int64_t{0}).value();
    std::vector<double> times;
    for (int i = 0; i < 1001; ++i)
      times.push_back(1000 * milliseconds([&] { vecadd.launch({.grid = {blocks}, .block = {1}}, nothing, nothing, nothing).value(); }));
    std::sort(times.begin(), times.end());
    std::printf("launch of %4lld blocks that do nothing: %.2f us\n", static_cast<long long>(blocks), times[500]);
  }
  return std::fabs(from_kernel - from_loop) > 0.01f * std::fabs(from_loop) ? 1 : 0;
}
