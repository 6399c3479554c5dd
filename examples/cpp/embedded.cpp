// A program that carries its kernels, those of examples/vecadd.pyk: the build compiled them for GPUs and for the CPU
// device. It links pykc::runtime alone, so it is small, and where it runs there is no compiler, no source and no cache.
//
//   embedded [DEVICE [SIZE]]        adds two vectors of SIZE numbers
#include "example.h"
#include "vecadd.h"  // made by pykc_add_kernels: a C++ function a kernel, with its types

using example::require;

int main(int count, char** arguments) {
  const example::Options options = example::options(count, arguments, {.gpu = 100'000'003, .cpu = 10'000'003});
  const pykc::Device& device = options.device;
  const std::int64_t n = options.size;
  example::Report report("sums of " + std::to_string(n) + " pairs", device);
  const vecadd::Kernels kernels = require(vecadd::load(device));

  std::vector<float> host_x(n), host_y(n), host_z(n);
  std::vector<double> expected(n);
  example::Random random(1);
  for (std::int64_t i = 0; i < n; ++i) {
    host_x[i] = random.next();
    host_y[i] = random.next();
    expected[i] = static_cast<double>(host_x[i]) + static_cast<double>(host_y[i]);
  }
  const pykc::Array<float> x = require(device.copy_from<float>(host_x)), y = require(device.copy_from<float>(host_y));
  const pykc::Array<float> z = require(device.like(x));

  const double ms = example::milliseconds(device.default_stream(), [&] {
    require(kernels.vecadd({.grid = {(n + 255) / 256}, .block = {256}}, z, x, y));  // a wrong type would not compile
  });
  report.rate("z = x + y", ms, 1e-6 * 3 * sizeof(float) * static_cast<double>(n) / ms, "GB/s");

  require(z.copy_to(host_z));
  report.check("every sum", example::largest_difference<float>(host_z, expected),
               0x1p-24);  // below 2: half its last bit
  return report.exit_code();
}
