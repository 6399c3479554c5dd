// Devices, contexts, and the texts of errors.
#include <cstring>

#include "tests/mock_cuda/state.h"

namespace fake {
namespace {

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

}  // namespace

CUresult cuInit(unsigned) { return state().devices == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) {
  *version = state().driver_version;
  return CUDA_SUCCESS;
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
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(17 * i + device);
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
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      *value = 25;
      break;
    default:
      return kInvalidValue;
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
CUresult cuCtxSynchronize() { return current == nullptr ? kInvalidContext : CUDA_SUCCESS; }
CUresult cuProfilerStart() { return current == nullptr ? kInvalidContext : CUDA_SUCCESS; }
CUresult cuProfilerStop() { return current == nullptr ? kInvalidContext : CUDA_SUCCESS; }

}  // namespace fake
