#include "tests/mock_cuda/mock_cuda.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cuda/driver_types.h"

using namespace pykc::cuda;

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
}  // namespace pykc::cuda

namespace {

constexpr int kMaxDevices = 4;
constexpr CUresult kInvalidValue = CUDA_ERROR_INVALID_VALUE, kInvalidContext = 201, kInvalidImage = 200,
                   kInvalidPtx = 218, kCaptureMerge = 903, kCaptureIsolation = 905;

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
  mock_cuda::TensorMap last_tensor_map{};
  CUctx_st contexts[kMaxDevices];
  std::map<void*, Block> blocks;  // memory that devices reach
  std::set<void*> objects;        // modules, streams, events, pools
  State();
};

State& state() {
  static auto* state = new State;
  return *state;
}

thread_local CUcontext current = nullptr;
thread_local int captures_of_thread = 0;
thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

State::State() {
  if (const char* count = std::getenv("MOCK_CUDA_DEVICES")) devices = std::atoi(count);
  const char* list = std::getenv("MOCK_CUDA_FAIL");
  std::istringstream rows(list == nullptr ? "" : list);
  for (std::string row; std::getline(rows, row, ',');) {
    std::istringstream fields(row);
    std::string function, nth, code;
    std::getline(fields, function, ':');
    std::getline(fields, nth, ':');
    std::getline(fields, code);
    failures[function].push_back({std::atoi(nth.c_str()), std::atoi(code.c_str())});
  }
}

/// What every call does first: count, and fail if that is asked for.
CUresult begin(const std::string& function) {
  ++state().calls[function];
  for (Failure& failure : state().failures[function])
    if (--failure.countdown == 0) return failure.code;
  const bool works_when_broken = function.starts_with("cuGetError") || function.starts_with("cuCtxGet") ||
                                 function.starts_with("cuCtxSet") || function.starts_with("cuDevice");
  return works_when_broken ? CUDA_SUCCESS : state().broken;
}

/// Functions that free what they are given even when they fail, as the driver's do, which mostly report what went wrong
/// before.
bool gives_back(std::string_view function) {
  return function.ends_with("Destroy") || function.ends_with("Release") || function.ends_with("Unload") ||
         function.starts_with("cuMemFree");
}

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
const Block* find_block(CUdeviceptr address, std::size_t bytes) {
  for (const auto& [start, block] : state().blocks) {
    const auto first = reinterpret_cast<CUdeviceptr>(start);
    if (address >= first && address + bytes <= first + block.bytes) return &block;
  }
  return nullptr;
}
bool is_device_range(CUdeviceptr address, std::size_t bytes) { return find_block(address, bytes) != nullptr; }

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace

namespace pykc::cuda {
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

namespace {

/// Does a piece of a stream's work, or adds it to the graph that the stream captures.
CUresult run(CUstream stream, std::function<void()> work) {
  if (stream == nullptr || stream->capture == nullptr) {
    work();
    return CUDA_SUCCESS;
  }
  stream->capture->work.push_back(std::move(work));
  ++stream->capture->streams[stream][stream];
  return CUDA_SUCCESS;
}
/// The capture is over, and nothing came of it.
void abandon(CUgraph_st* captured) {
  for (const auto& [stream, seen] : captured->streams)
    if (state().objects.contains(stream)) stream->capture = nullptr;
  destroy(captured);
}
/// What is no work of a stream, and not allowed where the thread captures one.
CUresult check_unsafe() {
  return captures_of_thread > 0 && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED
             ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
             : CUDA_SUCCESS;
}

}  // namespace

namespace fake {

CUresult cuInit(unsigned) { return state().devices == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult error_text(CUresult error, const char** text, bool want_name) {
  struct Row {
    CUresult code;
    const char *name, *text;
  };
  static constexpr Row kRows[] = {
      {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
      {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
      {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
      {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
      {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
      {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
      {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"}};
  for (const Row& row : kRows) {
    if (row.code != error) continue;
    *text = want_name ? row.name : row.text;
    return CUDA_SUCCESS;
  }
  return kInvalidValue;
}
CUresult cuGetErrorName(CUresult error, const char** text) { return error_text(error, text, true); }
CUresult cuGetErrorString(CUresult error, const char** text) { return error_text(error, text, false); }

CUresult cuDeviceGetCount(int* count) {
  *count = state().devices;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
  std::strncpy(name, "Mock GPU", static_cast<std::size_t>(bytes));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 4;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 232448;
      break;
  }
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  *bytes = state().memory;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  *context = &state().contexts[device];
  (*context)->device = device;
  ++(*context)->retained;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  CUctx_st& context = state().contexts[device];
  if (--context.retained == 0) context = {};
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  if (current == nullptr || limit != CU_LIMIT_STACK_SIZE) return kInvalidValue;
  *value = current->stack_bytes;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  if (current == nullptr || limit != CU_LIMIT_STACK_SIZE) return kInvalidValue;
  current->stack_bytes = value;
  return CUDA_SUCCESS;
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  *can = state().has_peers && device != peer ? 1 : 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned) {
  if (current == nullptr) return kInvalidContext;
  return current->peers.insert(peer).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}
CUresult cuMemcpyPeerAsync(CUdeviceptr target, CUcontext target_context, CUdeviceptr source, CUcontext source_context,
                           std::size_t bytes, CUstream) {
  if (target_context == source_context || !is_device_range(target, bytes) || !is_device_range(source, bytes))
    return kInvalidValue;
  std::memcpy(pointer(target), pointer(source), bytes);
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() { return current == nullptr ? kInvalidContext : CUDA_SUCCESS; }
CUresult cuProfilerStart() { return current == nullptr ? kInvalidContext : CUDA_SUCCESS; }
CUresult cuProfilerStop() { return current == nullptr ? kInvalidContext : CUDA_SUCCESS; }

void take_options(const std::string& log, unsigned count, const CUjit_option* options, void** values) {
  char* buffer = nullptr;
  std::size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) buffer = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) bytes = reinterpret_cast<std::size_t>(values[i]);
    if (options[i] == CU_JIT_OPTIMIZATION_LEVEL)
      state().assembler_level = static_cast<int>(reinterpret_cast<std::size_t>(values[i]));
  }
  if (buffer != nullptr) std::strncpy(buffer, log.c_str(), bytes);
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
  if (current == nullptr) return kInvalidContext;
  if (const CUresult safe = check_unsafe(); safe != CUDA_SUCCESS) return safe;
  const std::string log = std::exchange(state().log, {});
  take_options(log, count, options, values);
  if (!log.empty()) return kInvalidPtx;
  const std::string_view text = static_cast<const char*>(image);
  if (!text.starts_with(".version") && text.find("\n.version") == text.npos) return kInvalidImage;  // behind comments
  *module = make<CUmod_st>();
  (*module)->code = static_cast<const char*>(image);
  return CUDA_SUCCESS;
}
/// What is linked is the texts one behind the other.
CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* link) {
  if (current == nullptr) return kInvalidContext;
  take_options(state().log, count, options, values);
  *link = make<CUlinkState_st>();
  return CUDA_SUCCESS;
}
CUresult cuLinkAddData(CUlinkState link, CUjitInputType type, void* data, std::size_t bytes, const char*, unsigned,
                       CUjit_option*, void**) {
  if (type == CU_JIT_INPUT_PTX && static_cast<const char*>(data)[bytes - 1] != '\0') return kInvalidPtx;
  ++state().calls["input " + std::to_string(type)];
  link->code += std::string_view(static_cast<const char*>(data), type == CU_JIT_INPUT_PTX ? bytes - 1 : bytes);
  return CUDA_SUCCESS;
}
CUresult cuLinkComplete(CUlinkState link, void** cubin, std::size_t* bytes) {
  *cubin = link->code.data();
  *bytes = link->code.size();
  return state().log.empty() ? CUDA_SUCCESS : kInvalidPtx;
}
CUresult cuLinkDestroy(CUlinkState link) {
  state().log.clear();
  return destroy(link);
}
CUresult cuModuleUnload(CUmodule module) {
  for (const auto& [name, function] : module->functions) delete function;
  for (auto& [name, memory] : module->constants) state().blocks.erase(memory.data());
  return destroy(module);
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (module->code.find(".entry " + std::string(name) + "(") == std::string::npos) return CUDA_ERROR_NOT_FOUND;
  CUfunction& known = module->functions[name];
  if (known == nullptr) known = new CUfunc_st{name, module};
  *function = known;
  return CUDA_SUCCESS;
}
/// A constant is declared as PTX has it: `.const .align 16 .b8 NAME[20];`.
CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  const std::string declared = ".b8 " + std::string(name) + "[";
  if (const std::size_t found = module->code.find(declared);
      found != std::string::npos && name != std::string_view(pykc::abi::kFaultSymbol)) {
    std::vector<char>& memory = module->constants[name];
    memory.resize(std::strtoul(module->code.c_str() + found + declared.size(), nullptr, 10));
    state().blocks[memory.data()] = {.bytes = memory.size(), .device = current->device};
    *address = reinterpret_cast<CUdeviceptr>(memory.data());
    *bytes = memory.size();
    return CUDA_SUCCESS;
  }
  if (module->code.find(" " + std::string(name)) == std::string::npos) return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(&module->fault);
  *bytes = sizeof(module->fault);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? state().max_threads
           : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 40
           : attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES    ? 24
                                                                : 0;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute, int value) {
  function->dynamic_shared_limit = value;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction, CUoccupancyB2DSize, std::size_t, int) {
  *grid = 1;
  *block = state().max_threads / 2;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int block_size, std::size_t) {
  *blocks = 2048 / block_size;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters,
                        void**) {
  if (current == nullptr) return kInvalidContext;
  if (static_cast<int>(shared_bytes) > function->dynamic_shared_limit) return kInvalidValue;
  mock_cuda::Launch launch = {{}, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, {}};
  std::strncpy(launch.function, function->name.c_str(), sizeof(launch.function) - 1);
  for (int i = 0; i < state().words; ++i) std::memcpy(&launch.words[i], parameters[i], 8);
  return run(stream, [function, launch] {
    state().last_launch = launch;
    if (state().next_fault.ready != 0) function->module->fault = state().next_fault;
    state().next_fault = {};
    state().broken = state().break_code;
    state().break_code = 0;
  });
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void** parameters) {
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters,
                        nullptr);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config->attrs[i];
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) return kInvalidValue;
    if (attribute.value.programmaticStreamSerializationAllowed != 0) ++state().early_launches;
  }
  return cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                        config->blockDimY, config->blockDimZ, config->sharedMemBytes, config->hStream, parameters,
                        extra);
}

/// The map holds what it was made of.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, std::uint32_t rank, void* address,
                                const std::uint64_t* extents, const std::uint64_t* strides, const std::uint32_t* box,
                                const std::uint32_t*, int, CUtensorMapSwizzle swizzle, int, int) {
  if (rank < 1 || rank > 5 || reinterpret_cast<std::uintptr_t>(address) % 16 != 0) return kInvalidValue;
  mock_cuda::TensorMap& made = state().last_tensor_map;
  made = {.address = reinterpret_cast<std::uintptr_t>(address),
          .type = static_cast<int>(type),
          .rank = static_cast<int>(rank),
          .swizzle = static_cast<int>(swizzle),
          .extents = {},
          .strides = {},
          .box = {}};
  std::copy_n(extents, rank, made.extents);
  std::copy_n(strides, rank - 1, made.strides);
  std::copy_n(box, rank, made.box);
  map->opaque[0] = made.address;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = state().memory;
  *free = state().memory - state().memory_used;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  if (current == nullptr) return kInvalidContext;
  if (const CUresult safe = check_unsafe(); safe != CUDA_SUCCESS) return safe;
  if (bytes == 0) return kInvalidValue;
  if (bytes > state().memory - state().memory_used) return CUDA_ERROR_OUT_OF_MEMORY;
  void* block = std::malloc(bytes);
  state().blocks[block] = {.bytes = bytes, .device = current->device};
  state().memory_used += bytes;
  *address = reinterpret_cast<CUdeviceptr>(block);
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  if (const CUresult safe = check_unsafe(); safe != CUDA_SUCCESS) return safe;
  const auto block = state().blocks.find(pointer(address));
  if (block == state().blocks.end()) return kInvalidValue;
  state().memory_used -= block->second.bytes;
  std::free(block->first);
  state().blocks.erase(block);
  return CUDA_SUCCESS;
}
CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL) return kInvalidValue;
  const CUresult allocated = cuMemAlloc(address, bytes);
  if (allocated == CUDA_SUCCESS) state().blocks[pointer(*address)].is_managed = true;
  return allocated;
}
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  if (properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return kInvalidValue;
  if (current == nullptr || properties->location.id != current->device) return kInvalidValue;
  *pool = make<CUmemPoolHandle_st>();
  return CUDA_SUCCESS;
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  state().memory_used -= pool->reserved;
  return destroy(pool);
}
std::uint64_t* find_attribute(CUmemoryPool pool, CUmemPool_attribute attribute) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return &pool->threshold;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return &pool->reserved;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return &pool->peak_reserved;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return &pool->used;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return &pool->peak_used;
  }
  return nullptr;
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  *static_cast<std::uint64_t*>(value) = *find_attribute(pool, attribute);
  return CUDA_SUCCESS;
}
/// The peaks may be set to 0, and are then what is in use.
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  const std::uint64_t number = *static_cast<std::uint64_t*>(value);
  if (attribute != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD && number != 0) return kInvalidValue;
  *find_attribute(pool, attribute) = number;
  pool->peak_used = std::max(pool->peak_used, pool->used);
  pool->peak_reserved = std::max(pool->peak_reserved, pool->reserved);
  return CUDA_SUCCESS;
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t keep) {
  const std::uint64_t reserved = std::min(pool->reserved, std::max<std::uint64_t>(pool->used, keep));
  state().memory_used -= pool->reserved - reserved;
  pool->reserved = reserved;
  return CUDA_SUCCESS;
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream) {
  if (current == nullptr || bytes == 0) return kInvalidValue;
  const std::size_t more = bytes - std::min<std::size_t>(bytes, pool->reserved - pool->used);
  if (more > state().memory - state().memory_used) return CUDA_ERROR_OUT_OF_MEMORY;
  void* block = std::malloc(bytes);
  state().blocks[block] = {.bytes = bytes, .device = current->device, .pool = pool};
  state().memory_used += more;
  pool->used += bytes;
  pool->reserved += more;
  pool->peak_used = std::max(pool->peak_used, pool->used);
  pool->peak_reserved = std::max(pool->peak_reserved, pool->reserved);
  *address = reinterpret_cast<CUdeviceptr>(block);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  const auto block = state().blocks.find(pointer(address));
  const bool is_stream = stream == nullptr || state().objects.contains(stream);
  if (block == state().blocks.end() || block->second.pool == nullptr || !is_stream) return kInvalidValue;
  block->second.pool->used -= block->second.bytes;
  std::free(block->first);
  state().blocks.erase(block);
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  if (const CUresult safe = check_unsafe(); safe != CUDA_SUCCESS) return safe;
  *address = std::malloc(bytes);
  state().blocks[*address] = {.bytes = bytes, .is_pinned = true};
  return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* on_device, void* address, unsigned) {
  *on_device = reinterpret_cast<CUdeviceptr>(address);
  return find_block(*on_device, 1) != nullptr ? CUDA_SUCCESS : kInvalidValue;
}
CUresult cuMemFreeHost(void* address) {
  const auto block = state().blocks.find(address);
  if (block == state().blocks.end() || !block->second.is_pinned) return kInvalidValue;
  std::free(address);
  state().blocks.erase(block);
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  const Block* const block = find_block(address, 1);
  if (block == nullptr) return kInvalidValue;
  int* const number = static_cast<int*>(value);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *number = block->is_pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *number = block->is_managed ? 1 : 0;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *number = block->device;
      break;
  }
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void* source, std::size_t bytes, CUstream stream) {
  if (!is_device_range(target, bytes)) return kInvalidValue;
  return run(stream, [=] { std::memcpy(pointer(target), source, bytes); });
}
CUresult cuMemcpyDtoHAsync(void* target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return run(stream, [=] { std::memcpy(target, pointer(source), bytes); });  // a fault record lies in no block
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  if (!is_device_range(target, bytes) || !is_device_range(source, bytes)) return kInvalidValue;
  return run(stream, [=] { std::memcpy(pointer(target), pointer(source), bytes); });
}
/// One side of a rectangle; the driver asks that rows do not overlap.
CUresult find_rows(const CUDA_MEMCPY2D& copy, CUmemorytype type, const void* host, CUdeviceptr device,
                   std::size_t pitch, char** rows) {
  constexpr std::size_t kMaxPitch = 2147483647;
  if (pitch < copy.WidthInBytes || pitch > kMaxPitch || copy.Height == 0) return kInvalidValue;
  const std::size_t covered = pitch * (copy.Height - 1) + copy.WidthInBytes;
  if (type == CU_MEMORYTYPE_DEVICE && !is_device_range(device, covered)) return kInvalidValue;
  *rows = static_cast<char*>(type == CU_MEMORYTYPE_DEVICE ? pointer(device) : const_cast<void*>(host));
  return CUDA_SUCCESS;
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  char *target = nullptr, *source = nullptr;
  for (const CUresult found :
       {find_rows(*copy, copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstPitch, &target),
        find_rows(*copy, copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcPitch, &source)})
    if (found != CUDA_SUCCESS) return found;
  return run(stream, [target, source, copied = *copy] {
    for (std::size_t row = 0; row < copied.Height; ++row)
      std::memcpy(target + row * copied.dstPitch, source + row * copied.srcPitch, copied.WidthInBytes);
  });
}
template <typename Value>
CUresult fill_rows(CUdeviceptr target, std::size_t pitch, Value value, std::size_t width, std::size_t height,
                   CUstream stream) {
  const std::size_t bytes = width * sizeof(Value);
  if (pitch < bytes || height == 0 || !is_device_range(target, pitch * (height - 1) + bytes)) return kInvalidValue;
  if (target % sizeof(Value) != 0 || pitch % sizeof(Value) != 0) return kInvalidValue;
  return run(stream, [=] {
    for (std::size_t row = 0; row < height; ++row)
      for (std::size_t i = 0; i < width; ++i)
        std::memcpy(pointer(target + row * pitch + i * sizeof(Value)), &value, sizeof(Value));
  });
}
CUresult cuMemsetD2D8Async(CUdeviceptr target, std::size_t pitch, unsigned char value, std::size_t width,
                           std::size_t height, CUstream stream) {
  return fill_rows(target, pitch, value, width, height, stream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr target, std::size_t pitch, unsigned short value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return fill_rows(target, pitch, value, width, height, stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr target, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return fill_rows(target, pitch, value, width, height, stream);
}
CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, std::size_t bytes, CUstream) {
  std::memset(pointer(target), value, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD16Async(CUdeviceptr target, unsigned short value, std::size_t count, CUstream stream) {
  return fill_rows(target, count * sizeof(value), value, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr target, unsigned value, std::size_t count, CUstream stream) {
  return fill_rows(target, count * sizeof(value), value, count, 1, stream);
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  if (current == nullptr) return kInvalidContext;
  *stream = make<CUstream_st>();
  (*stream)->context = current;
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream stream) {
  if (stream->capture != nullptr && stream->capture->origin == stream) abandon(stream->capture);
  return destroy(stream);
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  if (!state().objects.contains(stream)) return kInvalidValue;
  *context = stream->context;
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  if (current == nullptr) return kInvalidContext;
  return stream == nullptr || state().objects.contains(stream) ? CUDA_SUCCESS : kInvalidValue;
}
CUresult cuStreamQuery(CUstream stream) { return cuStreamSynchronize(stream); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  if (!state().objects.contains(event)) return kInvalidValue;
  const bool is_capturing = stream != nullptr && stream->capture != nullptr;
  if (event->capture == nullptr) return is_capturing ? kCaptureIsolation : CUDA_SUCCESS;
  if (stream == nullptr || !state().objects.contains(event->capture)) return kInvalidValue;
  if (stream->capture != nullptr && stream->capture != event->capture) return kCaptureMerge;
  stream->capture = event->capture;
  Progress& seen = event->capture->streams[stream];
  for (const auto& [other, count] : event->point) seen[other] = std::max(seen[other], count);
  return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  if (stream == nullptr || stream->capture != nullptr) return kInvalidValue;
  stream->capture = make<CUgraph_st>();
  stream->capture->streams[stream] = {};
  stream->capture->origin = stream;
  ++captures_of_thread;
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  CUgraph_st* const captured = stream->capture;
  if (captured == nullptr) return kInvalidValue;
  --captures_of_thread;
  Progress& seen = captured->streams[stream];
  bool is_joined = true;
  for (auto& [other, own] : captured->streams) {
    is_joined &= seen[other] == own[other];
    if (state().objects.contains(other)) other->capture = nullptr;
  }
  *graph = captured;
  if (is_joined) return CUDA_SUCCESS;
  destroy(std::exchange(*graph, nullptr));
  return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return CUDA_SUCCESS;
}
/// Graphs of as many pieces of work count as alike.
CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode*, int*) {
  if (!state().objects.contains(executable) || !state().objects.contains(graph)) return kInvalidValue;
  if (executable->work.size() != graph->work.size()) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  executable->work = graph->work;
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  *executable = make<CUgraphExec_st>();
  (*executable)->work = graph->work;
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  for (const auto& work : executable->work) run(stream, work);
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec executable) { return destroy(executable); }
CUresult cuGraphDestroy(CUgraph graph) { return destroy(graph); }
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  if (current == nullptr) return kInvalidContext;
  return run(stream, [=] { function(data); });
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = make<CUevent_st>();
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) { return destroy(event); }
CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (!state().objects.contains(event)) return kInvalidValue;
  event->capture = stream == nullptr ? nullptr : stream->capture;
  if (event->capture != nullptr) event->point = event->capture->streams[stream];
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent event) { return state().objects.contains(event) ? CUDA_SUCCESS : kInvalidValue; }
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  *milliseconds = 1.5F;
  return CUDA_SUCCESS;
}

}  // namespace fake

extern "C" {

#define DRIVER_FUNCTION(name, symbol, parameters, arguments)         \
  CUresult symbol parameters {                                       \
    const std::lock_guard lock(state().mutex);                       \
    const CUresult failed = begin(#name);                            \
    if (failed != CUDA_SUCCESS && !gives_back(#name)) return failed; \
    const CUresult result = fake::name arguments;                    \
    return failed != CUDA_SUCCESS ? failed : result;                 \
  }
#include "runtime/cuda/driver_api.def"
}

namespace mock_cuda {

void mock_reset() {
  const std::lock_guard lock(state().mutex);
  current = nullptr;
  captures_of_thread = 0;
  capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  state().devices = 1;
  state().has_peers = true;
  state().memory = std::size_t{1} << 30;
  state().max_threads = 1024;
  state().words = 0;
  state().calls.clear();
  state().failures.clear();
  state().log.clear();
  state().next_fault = {};
  state().break_code = state().broken = 0;
}
void mock_set_devices(int count) { state().devices = count; }
void mock_set_peers(bool possible) { state().has_peers = possible; }
void mock_set_memory(std::size_t bytes) { state().memory = bytes; }
std::size_t* mock_stack_limit() { return &state().contexts[0].stack_bytes; }
void mock_set_max_threads(int threads) { state().max_threads = threads; }
void mock_set_words(int count) { state().words = count; }
void mock_fail(const char* function, int nth, int code) { state().failures[function].push_back({nth, code}); }
void mock_fail_next_load(const char* log) { state().log = log; }
void mock_fault_at_next_launch(const pykc::abi::FaultRecord* record) { state().next_fault = *record; }
void mock_break_at_next_launch(int code) { state().break_code = code; }

int mock_calls(const char* function) { return state().calls[function]; }
int mock_live_objects() {
  int live = static_cast<int>(state().objects.size() + state().blocks.size());
  for (const CUctx_st& context : state().contexts) live += context.retained;
  return live;
}
int mock_assembler_level() { return state().assembler_level; }
const Launch* mock_last_launch() { return &state().last_launch; }
int mock_early_launches() { return state().early_launches; }
const TensorMap* mock_last_tensor_map() { return &state().last_tensor_map; }

}  // namespace mock_cuda
