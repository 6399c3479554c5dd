// A driver for tests that have no GPU: libmock_cuda.so has the functions of runtime/cuda/driver_api.def, keeps device
// memory on the host, launches nothing, counts calls, and fails when asked to. Use it through PYKC_CUDA_LIBRARY.
//
// A test that links the library steers it by these functions. For another process there are environment variables, read
// at its first call:
//   MOCK_CUDA_DEVICES=2
//   MOCK_CUDA_FAIL=cuMemAlloc:3:2      the third call of cuMemAlloc gives code 2; several are separated by commas
#pragma once

#include <cstddef>
#include <cstdint>

#include "pykc/kernel_abi.h"

namespace mock_cuda {

constexpr int kWords = 8;

struct Launch {
  char function[64];
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  std::uint64_t words[kWords];  // the first parameters' values
};

/// What cuTensorMapEncodeTiled was given; axes from the one whose elements are neighbours on.
struct TensorMap {
  std::uint64_t address;
  int type, rank, swizzle;
  std::uint64_t extents[5], strides[4];
  std::uint32_t box[5];
};

extern "C" {
/// Forgets everything that was asked for, and all counts.
void mock_reset();
void mock_set_devices(int count);
/// Whether one GPU can reach another's memory; at first it can.
void mock_set_peers(bool possible);
/// Bytes of memory of each device.
void mock_set_memory(std::size_t bytes);
/// Of a thread on the first device, in bytes; other code of the process may set it.
std::size_t* mock_stack_limit();
/// What a kernel's registers allow.
void mock_set_max_threads(int threads);
/// How many parameters a launch has; so many words are copied into Launch::words.
void mock_set_words(int count);
/// The `nth` call from now (1: the next) gives `code`.
void mock_fail(const char* function, int nth, int code);
/// The next loading of a module fails as wrong PTX does, and the compiler's log says this.
void mock_fail_next_load(const char* log);
/// The next launch leaves this record in its module's pykc_fault.
void mock_fault_at_next_launch(const pykc::abi::FaultRecord* record);
/// The next launch succeeds, and every call after it gives `code`.
void mock_break_at_next_launch(int code);

/// Also of "input 1": how often the linker was given code of CUjitInputType 1.
int mock_calls(const char* function);
/// Contexts, modules, streams, events and memory that nobody has given back.
int mock_live_objects();
/// How much ptxas was to optimise what was loaded or linked last.
int mock_assembler_level();
const Launch* mock_last_launch();
/// How many launches were let begin before those before them have ended.
int mock_early_launches();
/// 13000, for CUDA 13.0, until then.
void mock_set_driver_version(int version);
/// What the newest tensor map was made of.
const TensorMap* mock_last_tensor_map();
}

}  // namespace mock_cuda
