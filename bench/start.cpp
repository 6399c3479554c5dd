// From the start of a process to the first result, with the kernel in the cache on disk: on a GPU beside a process that
// does no more than open the driver and make the context: cuInit and cuDevicePrimaryCtxRetain. Each sample is a process
// of its own, the two kinds in turn; prints medians in milliseconds.
//
//     pykc_bench_start [DEVICE]
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace {

using namespace pykc::bench;

constexpr int kSamples = 31;
constexpr std::int64_t kSize = 1000;
constexpr const char* kSource = R"(
@kernel
def vecadd(z: f32[:], x: f32[:], y: f32[:]):
    i = grid(1)
    if i < len(z):
        z[i] = x[i] + y[i]
)";

using Clock = std::chrono::steady_clock;  // which all processes of a machine share

/// Tells the process that waits when the result was there.
int tell_time(bool is_right) {
  const Clock::time_point now = Clock::now();
  return is_right && write(STDOUT_FILENO, &now, sizeof now) == sizeof now ? 0 : 1;
}

/// What a process of ours does. The context, which takes 50 ms to go, is still there when the time is told.
int first_result(const std::string& name) {
  const pykc::Device device = pykc::Device::open(name).value();
  const pykc::Artifact artifact = pykc::compile(kSource, {.target = device.info().target}).value();
  const pykc::Kernel vecadd = device.load(artifact).value().kernel("vecadd").value();
  std::vector<float> x(kSize, 1.5F), z(kSize);
  const auto dx = device.copy_from<float>(x).value(), dz = device.allocate<float>(kSize).value();
  vecadd.launch({.grid = {(kSize + 255) / 256}, .block = {256}}, dz, dx, dx).value();
  dz.copy_to(z).value();
  return tell_time(std::ranges::count(z, 3.0F) == kSize);
}

/// What no program with a GPU can do without.
int bare_context() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return 1;
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto retain = reinterpret_cast<int (*)(void**, int)>(dlsym(driver, "cuDevicePrimaryCtxRetain"));
  void* context = nullptr;
  return tell_time(init(0) == 0 && retain(&context, 0) == 0);
}

/// How long a process takes that runs this program in that mode, until it tells the time: what it takes to end does not
/// count. Negative where it failed.
double milliseconds(const char* mode, const char* device) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const Clock::time_point start = Clock::now();
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl("/proc/self/exe", "pykc_bench_start", device, mode, nullptr);
    _exit(127);
  }
  close(ends[1]);
  Clock::time_point done;
  const bool told = read(ends[0], &done, sizeof done) == sizeof done;
  close(ends[0]);
  int status = 1;
  waitpid(child, &status, 0);
  return told && status == 0 ? std::chrono::duration<double, std::milli>(done - start).count() : -1;
}

}  // namespace

int main(int argc, char** argv) {
  const char* device = argc > 1 ? argv[1] : "cpu";
  if (argc > 2) return std::strcmp(argv[2], "bare") == 0 ? bare_context() : first_result(device);
  const bool is_gpu = std::strcmp(device, "cpu") != 0;
  std::vector<double> ours, bare, differences;
  if (milliseconds("first", device) < 0) return 1;  // fills the cache
  for (int i = 0; i < kSamples; ++i) {
    ours.push_back(milliseconds("first", device));
    bare.push_back(is_gpu ? milliseconds("bare", device) : 0);
    if (ours.back() < 0 || bare.back() < 0) return 1;
    differences.push_back(ours.back() - bare.back());
  }
  std::printf("%s: process to first result, from the cache: %.1f ms", device, median(ours));
  if (is_gpu) std::printf("; cuInit and context alone: %.1f ms; difference %.1f ms", median(bare), median(differences));
  std::printf(" (medians of %d processes)\n", kSamples);
  return 0;
}
