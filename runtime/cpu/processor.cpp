#include "runtime/cpu/processor.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "runtime/cpu/thread_pool.h"

namespace pykc::cpu {
namespace {

// The largest GPU gives a block as much (227 KB), so that what fits there fits here.
constexpr std::int64_t kSharedBytesPerBlock = 232448;

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "processor";
}

enum class Needs { Sse42, Avx, Avx2, Avx512, Avx512Bf16, Avx512Fp16 };

/// LLVM's names of processors by what the runtime must find before it runs code for them.
struct Chip {
  std::string_view name;
  Needs needs;
};
constexpr Chip kChips[] = {
    {"x86-64-v2", Needs::Sse42},
    {"nehalem", Needs::Sse42},
    {"westmere", Needs::Sse42},
    {"sandybridge", Needs::Avx},
    {"ivybridge", Needs::Avx},
    {"x86-64-v3", Needs::Avx2},
    {"haswell", Needs::Avx2},
    {"broadwell", Needs::Avx2},
    {"skylake", Needs::Avx2},
    {"alderlake", Needs::Avx2},
    {"raptorlake", Needs::Avx2},
    {"meteorlake", Needs::Avx2},
    {"arrowlake", Needs::Avx2},
    {"lunarlake", Needs::Avx2},
    {"znver1", Needs::Avx2},
    {"znver2", Needs::Avx2},
    {"znver3", Needs::Avx2},
    {"x86-64-v4", Needs::Avx512},
    {"skylake-avx512", Needs::Avx512},
    {"cascadelake", Needs::Avx512},
    {"icelake-client", Needs::Avx512},
    {"icelake-server", Needs::Avx512},
    {"rocketlake", Needs::Avx512},
    {"tigerlake", Needs::Avx512},
    {"cooperlake", Needs::Avx512Bf16},
    {"znver4", Needs::Avx512Bf16},
    {"znver5", Needs::Avx512Bf16},
    {"sapphirerapids", Needs::Avx512Fp16},
    {"emeraldrapids", Needs::Avx512Fp16},
    {"graniterapids", Needs::Avx512Fp16},
};

bool processor_has(Needs needs) {
#ifdef __x86_64__
  switch (needs) {
    case Needs::Sse42:
      return __builtin_cpu_supports("sse4.2");
    case Needs::Avx:
      return __builtin_cpu_supports("avx");
    case Needs::Avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    case Needs::Avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case Needs::Avx512Bf16:
      return processor_has(Needs::Avx512) && __builtin_cpu_supports("avx512bf16");
    case Needs::Avx512Fp16:
      return processor_has(Needs::Avx512) && __builtin_cpu_supports("avx512fp16");
  }
#endif
  return needs == Needs::Sse42;
}

/// What is compiled for the device: code for the processor that this machine has, unless PYKC_PROCESSOR names another.
std::string target() {
  const char* const said = std::getenv("PYKC_PROCESSOR");
  return said == nullptr || *said == '\0' ? "cpu" : std::string("cpu:") + said;
}

}  // namespace

DeviceInfo device_info() {
  const int threads = thread_count();
  return DeviceInfo{.name = "cpu",
                    .description = processor_name(),
                    .target = target(),
                    .multiprocessors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)),
                    .memory_bytes = memory_bytes(),
                    .max_shared_bytes_per_block = kSharedBytesPerBlock,
                    .max_threads_per_block = 1024,
                    .driver = std::to_string(threads) + (threads == 1 ? " thread" : " threads")};
}

std::int64_t memory_bytes() { return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE); }

std::int64_t available_bytes() {
  std::ifstream lines("/proc/meminfo");
  constexpr std::string_view kName = "MemAvailable:";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(kName)) return 1024 * std::strtoll(line.c_str() + kName.size(), nullptr, 10);
  return static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

int instruction_level(std::string_view chip) {
  for (const Chip& known : kChips)
    if (known.name == chip) return 1 + static_cast<int>(known.needs);
  return 0;
}

bool can_run(std::string_view chip) {
  for (const Chip& known : kChips)
    if (known.name == chip) return processor_has(known.needs);
  return true;
}

}  // namespace pykc::cpu
