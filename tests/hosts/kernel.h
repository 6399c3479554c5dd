// What the programs of this folder let pykc do: compile a kernel, launch it on the CPU device, check its results.
#pragma once

#include <pykc/compiler.h>
#include <pykc/runtime.h>

#include <string>
#include <vector>

namespace hosts {

inline pykc::Result<pykc::Kernel> compile_kernel(const pykc::Device& device) {
  constexpr const char* kSource = R"(
from pykc import *


@kernel
def twice_and_one(x: f32[:]):
    i = grid(1)
    if i < len(x):
        x[i] = 2.0 * x[i] + 1.0
)";
  pykc::Result<pykc::Artifact> artifact = pykc::compile(kSource, {.target = "cpu", .cache = false});
  if (!artifact) return artifact.error();
  pykc::Result<pykc::Module> module = device.load(*artifact);
  if (!module) return module.error();
  return module->kernel("twice_and_one");
}

/// On an array that is long enough for all threads; what is wrong, or nothing.
inline std::string launch_and_check(const pykc::Device& device, const pykc::Kernel& kernel) {
  const std::vector<float> before(1 << 18, 3.0F);
  const auto x = device.copy_from<float>(before).value();
  if (pykc::Result<void> done = kernel.for_all(x.size(), x); !done) return done.error().message;
  std::vector<float> after(before.size());
  if (pykc::Result<void> done = x.copy_to(after); !done) return done.error().message;
  for (const float value : after)
    if (value != 7.0F) return "a value is " + std::to_string(value);
  return "";
}

inline std::string compile_launch_and_check() {
  pykc::Result<pykc::Device> device = pykc::Device::open("cpu");
  if (!device) return device.error().message;
  const pykc::Result<pykc::Kernel> kernel = compile_kernel(*device);
  return kernel ? launch_and_check(*device, *kernel) : kernel.error().message;
}

}  // namespace hosts
