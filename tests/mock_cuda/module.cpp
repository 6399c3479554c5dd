// Modules and what is linked to them, functions, launches, tensor maps.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "tests/mock_cuda/state.h"

namespace fake {
namespace {

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

void fault(pykc::abi::FaultRecord& record, pykc::abi::FaultRecord what) {
  what.signal = record.signal;
  record = what;
  if (record.signal != 0) std::atomic_ref(*static_cast<std::int32_t*>(pointer(record.signal))) = 1;
}

}  // namespace

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
  state().blocks.erase(&module->fault);
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
  state().blocks[&module->fault] = {.bytes = sizeof(module->fault), .device = current->device};
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
    if (state().next_fault.ready != 0) fault(function->module->fault, state().next_fault);
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

}  // namespace fake
