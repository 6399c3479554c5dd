// Kernels that are compiled while the program runs, for the types that they are called with: saxpy stands in this file,
// and nobody wrote the kernels of the other two. On the GPU if there is one, else on the CPU device.
#include <cstdio>
#include <vector>

#include "pykc/elementwise.h"
#include "pykc/reduction.h"
#include "pykc/runtime.h"
#include "pykc/source_module.h"

namespace {

using namespace pykc::literals;

pykc::Result<double> distance(const pykc::Device& device) {
  const std::int64_t n = 1'000'003;
  const std::vector<float> ones(n, 1.0F), threes(n, 3.0F);
  const auto x = device.copy_from<float>(ones), y = device.copy_from<float>(threes);
  if (!x) return x.error();
  if (!y) return y.error();

  const auto module = pykc::SourceModule::load(device, R"pyk(
    @kernel
    def saxpy(a, x, y):
        i = grid(1)
        if i < len(x):
            y[i] += a * x[i]
  )pyk"_pyk);
  if (!module) return module.error();
  const pykc::LaunchConfig config{.grid = {(n + 255) / 256}, .block = {256}};
  if (auto launched = module->launch("saxpy", config, 2.0F, *x, *y); !launched) return launched.error();  // y = 5

  const auto clamp = pykc::Elementwise::create(device, {"x, limit", "z", "z = min(x, limit)"});
  if (!clamp) return clamp.error();
  const auto limited = clamp->map<float>(*y, 4.0F);
  if (!limited) return limited.error();

  const auto sum = pykc::Reduction::create(device, {.inputs = "x, y", .map = "(x - y) * (x - y)"});
  if (!sum) return sum.error();
  const auto squares = sum->reduce<double>({}, *limited, *x);  // (4 - 1)² each
  if (!squares) return squares.error();
  double result = 0;
  if (auto copied = squares->copy_to({&result, 1}); !copied) return copied.error();  // waits
  return result / static_cast<double>(n);
}

}  // namespace

int main() {
  const auto device = pykc::Device::open();
  const pykc::Result<double> found = device ? distance(*device) : pykc::Result<double>(device.error());
  if (!found) {
    std::fprintf(stderr, "%s\n", found.error().message.c_str());
    for (const pykc::Diagnostic& diagnostic : found.error().diagnostics)
      std::fprintf(stderr, "%s", to_text(diagnostic).c_str());
    return 1;
  }
  std::printf("the mean square is %g on %s\n", *found, device->info().description.c_str());
  return *found == 9.0 ? 0 : 1;
}
