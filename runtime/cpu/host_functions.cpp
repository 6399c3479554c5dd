#include "runtime/cpu/host_functions.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "pykc/kernel_abi.h"
#include "runtime/cpu/observer.h"
#include "runtime/cpu/warps.h"

namespace pykc::cpu {
namespace {

/// Where the kernel that runs prints to. What it calls has no other way to be told.
struct Printing {
  std::atomic<const Output*> output = nullptr;  // null: stdout
  std::mutex one_at_a_time;
};
Printing printing;

void show(std::string_view line) {
  const Output* const output = printing.output.load(std::memory_order_relaxed);
  if (output == nullptr) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    return;
  }
  const std::lock_guard lock(printing.one_at_a_time);
  (*output)(line);
}

}  // namespace

PrintsTo::PrintsTo(const Output& output) {
  printing.output.store(output ? &output : nullptr, std::memory_order_relaxed);
}
PrintsTo::~PrintsTo() { printing.output.store(nullptr, std::memory_order_relaxed); }

}  // namespace pykc::cpu

extern "C" {
// Conversions of half precision, which processors without F16C instructions leave to the compiler's library.
float __extendhfsf2(_Float16);
_Float16 __truncsfhf2(float);
_Float16 __truncdfhf2(double);

/// One whole line, by one call of stdio, so that lines of different threads do not mix.
static void print_line(const char* format, ...) {
  thread_local std::string line;
  line.resize(line.capacity());
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  const int bytes = std::vsnprintf(line.data(), line.size() + 1, format, arguments);
  if (bytes > static_cast<int>(line.size())) {
    line.resize(static_cast<std::size_t>(bytes));
    std::vsnprintf(line.data(), line.size() + 1, format, again);
  }
  va_end(again);
  va_end(arguments);
  if (bytes > 0) pykc::cpu::show({line.data(), static_cast<std::size_t>(bytes)});
}

static std::int64_t nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}

namespace pykc::cpu {
namespace {

struct HostFunction {
  std::string_view name;
  void* address;
};

template <typename Function>
HostFunction row(std::string_view name, Function* function) {
  return {name, reinterpret_cast<void*>(function)};
}

}  // namespace

void* find_host_function(std::string_view name) {
  const HostFunction functions[] = {
      row(abi::kPrintSymbol, print_line),
      row(abi::kNanosecondsSymbol, nanoseconds),
      row(abi::kGridSyncSymbol, sync_grid),
      row(abi::kBlockBarrierSymbol, sync_block),
      row(abi::kNamedBarrierSymbol, meet_at_barrier),
      row(abi::kClusterBarrierSymbol, meet_in_cluster),
      row(abi::kClusterRankSymbol, rank_in_cluster),
      row(abi::kClusterBlocksSymbol, blocks_of_cluster),
      row(abi::kClusterMemorySymbol, memory_in_cluster),
      row(abi::kWaitTurnSymbol, wait_turn),
      row(abi::kObserveSymbol, observe),
      row(abi::kObserveMeetingSymbol, observe_meeting),
      row<double(double, double, double)>("fma", std::fma),
      row<float(float, float, float)>("fmaf", std::fma),
      row<double(double, double)>("fmod", std::fmod),
      row<float(float, float)>("fmodf", std::fmod),
      row("memcpy", std::memcpy),
      row("memmove", std::memmove),
      row("memset", std::memset),
      row("__extendhfsf2", __extendhfsf2),
      row("__truncsfhf2", __truncsfhf2),
      row("__truncdfhf2", __truncdfhf2),
  };
  for (const HostFunction& function : functions)
    if (function.name == name) return function.address;
  return nullptr;
}

void flush_prints() { std::fflush(stdout); }

}  // namespace pykc::cpu
