// pykc info: what this machine has, for people who wonder why something does not run.
#include <cstdio>

#include "cli/command.h"
#include "cli/output.h"
#include "driver/artifact_cache.h"
#include "pykc/runtime.h"

namespace pykc::cli {
namespace {

void print_device(const DeviceInfo& device) {
  std::printf("%s: %s\n", device.name.c_str(), device.description.c_str());
  std::printf("  target              %s\n", device.target.c_str());
  std::printf("  multiprocessors     %d\n", device.multiprocessors);
  std::printf("  memory              %.1f GiB\n", static_cast<double>(device.memory_bytes) / (1 << 30));
  std::printf("  shared memory       %lld KiB a block\n",
              static_cast<long long>(device.max_shared_bytes_per_block / 1024));
  std::printf("  threads             %d a block\n", device.max_threads_per_block);
  if (!device.uuid.empty()) std::printf("  uuid                %s\n", device.uuid.c_str());
  std::printf("  runs on             %s\n", device.driver.c_str());
}

int run() {
  std::printf("pykc %s\n", version().c_str());
  std::printf("  LLVM                %s\n", llvm_version().c_str());
  std::printf("  math library        %s\n", math_library().c_str());
  const Result<driver::ArtifactCache> cache = driver::ArtifactCache::open();
  std::printf("  cache               %s\n", cache ? cache->folder().c_str() : "off");
  const std::vector<DeviceInfo> devices = Device::list();
  for (const DeviceInfo& device : devices) print_device(device);
  if (devices.size() == 1)
    if (const Result<Device> gpu = Device::open("cuda:0"); !gpu) std::printf("cuda: %s\n", gpu.error().message.c_str());
  return kSuccess;
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("info", "Show the devices, the driver and what pykc was built with");
  command->callback([&exit_code] { exit_code = run(); });
}

}  // namespace pykc::cli
