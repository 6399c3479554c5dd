// What the parts of the fake driver have in common: its objects, and what it counts and is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/cuda/driver_types.h"
#include "tests/mock_cuda/mock_cuda.h"

namespace pykc::cuda {
struct CUctx_st {
  int device = 0;
  int retained = 0;
  std::size_t stack_bytes = 1024;
  std::set<CUctx_st*> peers;
};
struct CUmod_st {
  std::string code;
  pykc::abi::FaultRecord fault{};
  std::map<std::string, CUfunc_st*> functions;
  std::map<std::string, std::vector<char>> constants;
};
/// What is given back stays reserved until the pool is trimmed.
struct CUmemPoolHandle_st {
  std::uint64_t used = 0, reserved = 0, peak_used = 0, peak_reserved = 0, threshold = 0;
};
struct CUfunc_st {
  std::string name;
  CUmod_st* module = nullptr;
  int dynamic_shared_limit = 48 * 1024;
};
/// How many pieces of each stream's captured work come before a point.
using Progress = std::map<CUstream, int>;
struct CUgraph_st {
  std::vector<std::function<void()>> work;
  std::map<CUstream, Progress> streams;  // that take part, and what each comes after
  CUstream origin = nullptr;
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> work;
};
struct CUstream_st {
  CUcontext context = nullptr;
  CUgraph_st* capture = nullptr;
};
struct CUevent_st {
  CUgraph_st* capture = nullptr;
  Progress point{};
};
struct CUlinkState_st {
  std::string code;
};
}  // namespace pykc::cuda

/// The driver's functions as they are where nothing fails; mock_cuda.cpp calls them.
namespace fake {

using namespace pykc::cuda;

constexpr int kMaxDevices = 4;
constexpr CUresult kInvalidValue = CUDA_ERROR_INVALID_VALUE, kInvalidContext = 201, kInvalidImage = 200,
                   kInvalidPtx = 218, kCaptureMerge = 903, kCaptureImplicit = 906, kCaptureIsolation = 905;

struct Failure {
  int countdown = 0;
  CUresult code = 0;
};

struct Block {
  std::size_t bytes = 0;
  int device = 0;
  bool is_managed = false;
  bool is_pinned = false;
  CUmemoryPool pool = nullptr;
};

struct State {
  std::recursive_mutex mutex;
  int devices = 1;
  bool has_peers = true;
  std::size_t memory = std::size_t{1} << 30;
  std::size_t memory_used = 0;
  int max_threads = 1024;
  int words = 0;
  int assembler_level = -1;
  std::map<std::string, int> calls;
  std::map<std::string, std::vector<Failure>> failures;
  std::string log;
  pykc::abi::FaultRecord next_fault{};
  CUresult break_code = 0;  // at the next launch
  CUresult broken = 0;      // from now on
  mock_cuda::Launch last_launch{};
  int early_launches = 0;
  int driver_version = 13000;
  mock_cuda::TensorMap last_tensor_map{};
  CUctx_st contexts[kMaxDevices];
  std::map<void*, Block> blocks;  // memory that devices reach
  std::set<void*> objects;        // modules, streams, events, pools
  State();
};

State& state();

inline thread_local CUcontext current = nullptr;
inline thread_local int captures_of_thread = 0;
inline thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

template <typename T>
T* make() {
  auto* object = new T;
  state().objects.insert(object);
  return object;
}

template <typename T>
CUresult destroy(T* object) {
  if (state().objects.erase(object) == 0) return kInvalidValue;
  delete object;
  return CUDA_SUCCESS;
}

/// The block that holds all of the range, or null.
const Block* find_block(CUdeviceptr address, std::size_t bytes);
inline bool is_device_range(CUdeviceptr address, std::size_t bytes) { return find_block(address, bytes) != nullptr; }
inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

/// Does a piece of a stream's work, or adds it to the graph that the stream captures.
CUresult run(CUstream stream, std::function<void()> work);
/// What is no work of a stream, and not allowed where the thread captures one.
CUresult check_unsafe();

#define DRIVER_FUNCTION(name, symbol, parameters, arguments) CUresult name parameters;
#include "runtime/cuda/driver_api.def"

}  // namespace fake
