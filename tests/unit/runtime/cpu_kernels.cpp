// Kernels for cpu_device_test.cpp. Compiled to an object that the runtime loads from its bytes, never linked.
#include <cmath>
#include <cstring>

#include "pykc/kernel_abi.h"

using pykc::abi::CpuLaunch;

// Called through the global offset table, by the compilers that can be told so; what libm has is called through the
// linkage table.
#if __has_attribute(noplt)
#define BY_OFFSET_TABLE __attribute__((noplt))
#else
#define BY_OFFSET_TABLE
#endif
extern "C" BY_OFFSET_TABLE void pykc_print(const char* format, ...);

namespace {

template <typename T>
T parameter(const CpuLaunch* launch, int index) {
  T value;
  std::memcpy(&value, launch->parameters[index], sizeof(T));
  return value;
}

struct Record {
  int site;
  std::int64_t value;
};

// A table of addresses: its relocations are absolute.
double twice(double x) { return 2 * x; }
double square(double x) { return x * x; }
double (*volatile const kFunctions[])(double) = {twice, square};

// Not constant, and not zero: a section that is copied and can be written.
int calls = 40;

void stop(const CpuLaunch* launch, int kernel, int site, std::int64_t block, std::int64_t thread, std::int64_t value) {
  if (__atomic_exchange_n(&launch->fault->claimed, 1, __ATOMIC_RELAXED) != 0) return;
  launch->fault->kernel = kernel;
  launch->fault->site = site;
  launch->fault->block[0] = static_cast<int>(block);
  launch->fault->thread[0] = static_cast<int>(thread);
  launch->fault->values[0] = value;
  launch->fault->ready = 1;
}

}  // namespace

extern "C" {

// z[i] = x[i] + y[i]
void vecadd(const CpuLaunch* launch, void*, void*, std::int64_t first, std::int64_t last) {
  auto* z = parameter<float*>(launch, 0);
  const auto n = parameter<std::int64_t>(launch, 1);
  const auto* x = parameter<const float*>(launch, 2);
  const auto* y = parameter<const float*>(launch, 4);
  for (std::int64_t i = first * launch->block[0]; i < last * launch->block[0] && i < n; ++i) z[i] = x[i] + y[i];
}

void nothing(const CpuLaunch*, void*, void*, std::int64_t, std::int64_t) {}

// Writes each block's number through shared memory and scratch; runs of stale memory would show.
void block_numbers(const CpuLaunch* launch, void* shared, void* scratch, std::int64_t first, std::int64_t last) {
  auto* out = parameter<std::int64_t*>(launch, 0);
  auto* slots = static_cast<std::int64_t*>(scratch);
  auto* tile = static_cast<std::int64_t*>(shared);
  for (std::int64_t block = first; block < last; ++block) {
    for (std::int64_t t = 0; t < launch->block[0]; ++t) tile[t] = slots[t] = block;
    out[block] += tile[launch->block[0] - 1] + slots[0];
  }
}

// Stops at thread 3 of the block that the parameter names.
void faulty(const CpuLaunch* launch, void*, void*, std::int64_t first, std::int64_t last) {
  const auto bad = parameter<std::int64_t>(launch, 0);
  for (std::int64_t block = first; block < last; ++block)
    if (block == bad) return stop(launch, 1, 0, block, 3, bad);
}

// Ends when the host asks it to, and tells where, as code generation has it.
void endless(const CpuLaunch* launch, void*, void*, std::int64_t, std::int64_t) {
  pykc::abi::FaultRecord& record = *launch->fault;
  while (__atomic_load_n(&record.claimed, __ATOMIC_RELAXED) == 0) continue;
  std::int32_t asked = pykc::abi::kStopAsked;
  if (!__atomic_compare_exchange_n(&record.claimed, &asked, pykc::abi::kStopSeen, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    return;
  record.site = -1;
  record.values[0] = reinterpret_cast<std::int64_t>("endless.pyk:7");
  record.ready = 1;
}

void printing(const CpuLaunch* launch, void*, void*, std::int64_t first, std::int64_t last) {
  const auto text = parameter<std::int64_t>(launch, 0);
  for (std::int64_t block = first; block < last; ++block)
    pykc_print("block %lld says %lld and %.3g\n", static_cast<long long>(block), static_cast<long long>(text), 0.5);
}

// x[i, j] += 100 * i + j, with any strides
void add_indices(const CpuLaunch* launch, void*, void*, std::int64_t, std::int64_t) {
  auto* x = parameter<std::int32_t*>(launch, 0);
  const auto rows = parameter<std::int64_t>(launch, 1), columns = parameter<std::int64_t>(launch, 2);
  const auto row_stride = parameter<std::int64_t>(launch, 3), column_stride = parameter<std::int64_t>(launch, 4);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      x[i * row_stride + j * column_stride] += static_cast<std::int32_t>(100 * i + j);
}

// Uses what the host provides, a table of addresses and a variable.
void references(const CpuLaunch* launch, void*, void*, std::int64_t, std::int64_t) {
  auto* out = parameter<double*>(launch, 0);
  out[0] = std::fma(out[0], 3.0, 1.0);
  out[1] = std::fmod(out[1], 4.0);
  out[2] = kFunctions[0](out[2]);
  out[3] = kFunctions[1](out[3]);
  out[4] = ++calls;
}
}
