// What a profiler looks at that was started to wait for it: `nsys profile --capture-range=cudaProfilerApi`, `ncu
// --profile-from-start off`.
//
//   pykc::start_profiler(device).value();
//   kernel.launch({.grid = {n / 256}, .block = {256}}, x, y).value();
//   device.synchronize().value();
//   pykc::stop_profiler(device).value();
#pragma once

#include "pykc/device.h"

namespace [[gnu::visibility("default")]] pykc {

/// From here on, until stop_profiler(), the device's work is looked at. Neither waits for it. Both do nothing where no
/// profiler waits, and on the CPU device.
Result<void> start_profiler(const Device& device);
Result<void> stop_profiler(const Device& device);

}  // namespace pykc
