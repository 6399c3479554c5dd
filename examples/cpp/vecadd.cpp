// Compiles examples/vecadd.pyk and runs its kernel: on the GPU if there is one, else on the CPU device.
#include <cstdio>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace {

pykc::Result<void> add_vectors(const char* source_file) {
  pykc::Result<pykc::Device> device = pykc::Device::open();
  if (!device) return device.error();
  pykc::Result<pykc::Artifact> artifact = pykc::compile_file(source_file, {.target = device->info().target});
  if (!artifact) return artifact.error();
  pykc::Result<pykc::Module> module = device->load(*artifact);
  if (!module) return module.error();
  pykc::Result<pykc::Kernel> vecadd = module->kernel("vecadd");
  if (!vecadd) return vecadd.error();

  const std::int64_t n = 1'000'003;
  std::vector<float> x(n, 1.5F), y(n, 2.0F), z(n);
  auto device_x = device->copy_from<float>(x), device_y = device->copy_from<float>(y);
  auto device_z = device->allocate<float>(n);
  if (!device_x || !device_y || !device_z) return pykc::Error{pykc::ErrorCode::OutOfMemory, "no room for the vectors"};

  const pykc::LaunchConfig config{.grid = {(n + 255) / 256}, .block = {256}};
  if (auto launched = vecadd->launch(config, *device_z, *device_x, *device_y); !launched) return launched;
  if (auto copied = device_z->copy_to(z); !copied) return copied;  // waits for the kernel

  for (float sum : z)
    if (sum != 3.5F) return pykc::Error{pykc::ErrorCode::Internal, "a sum is wrong"};
  std::printf("%lld sums on %s are right\n", static_cast<long long>(n), device->info().description.c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const pykc::Result<void> done = add_vectors(argc > 1 ? argv[1] : "examples/vecadd.pyk");
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  for (const pykc::Diagnostic& diagnostic : done.error().diagnostics)
    std::fprintf(stderr, "%s", to_text(diagnostic).c_str());
  return 1;
}
