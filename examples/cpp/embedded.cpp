// Carries examples/vecadd.pyk compiled: nothing is compiled at run time, and no source is read.
#include <cstdio>
#include <vector>

#include "vecadd.h"  // made by pykc_add_kernels

namespace {

pykc::Result<void> add_vectors() {
  const pykc::Result<pykc::Device> device = pykc::Device::open();
  if (!device) return device.error();
  const pykc::Result<vecadd::Kernels> kernels = vecadd::load(*device);
  if (!kernels) return kernels.error();

  const std::int64_t n = 1'000'003;
  std::vector<float> x(n, 1.5F), y(n, 2.0F), z(n);
  const auto device_x = device->copy_from<float>(x), device_y = device->copy_from<float>(y);
  const auto device_z = device->allocate<float>(n);
  if (!device_x || !device_y || !device_z) return pykc::Error{pykc::ErrorCode::OutOfMemory, "no room for the vectors"};

  const pykc::LaunchConfig config{.grid = {(n + 255) / 256}, .block = {256}};
  if (auto launched = kernels->vecadd(config, *device_z, *device_x, *device_y); !launched) return launched;
  if (auto copied = device_z->copy_to(z); !copied) return copied;  // waits for the kernel

  for (float sum : z)
    if (sum != 3.5F) return pykc::Error{pykc::ErrorCode::Internal, "a sum is wrong"};
  std::printf("%lld sums on %s are right\n", static_cast<long long>(n), device->info().description.c_str());
  return {};
}

}  // namespace

int main() {
  const pykc::Result<void> done = add_vectors();
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return 1;
}
