// A CUDA driver that runs one kernel, `vecadd`, from its object for the CPU: both take the same parameters, which is
// what the test shows. What is not here is the fake driver's.
#include <fstream>
#include <sstream>
#include <string>

#include "pykc/kernel_abi.h"
#include "runtime/cuda/driver_types.h"

using namespace pykc::cuda;

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule*, const void*, unsigned, CUjit_option*, void**);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr, const void*, std::size_t, CUstream);
CUresult cuMemcpyDtoHAsync_v2(void*, CUdeviceptr, std::size_t, CUstream);
void pykc_kernel_vecadd(const pykc::abi::CpuLaunch*, void* shared, void* scratch, std::int64_t first,
                        std::int64_t last);

CUresult cuModuleLoad(CUmodule* module, const char* file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  const std::size_t start = text.str().find(".version");  // behind LLVM's comment
  if (start == std::string::npos) return CUDA_ERROR_NOT_FOUND;
  return cuModuleLoadDataEx(module, text.str().c_str() + start, 0, nullptr, nullptr);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr target, const void* source, std::size_t bytes) {
  return cuMemcpyHtoDAsync_v2(target, source, bytes, nullptr);
}
CUresult cuMemcpyDtoH_v2(void* target, CUdeviceptr source, std::size_t bytes) {
  return cuMemcpyDtoHAsync_v2(target, source, bytes, nullptr);
}

CUresult cuLaunchKernel(CUfunction, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned, CUstream, void** parameters, void**) {
  pykc::abi::FaultRecord fault{};
  const pykc::abi::CpuLaunch launch{.parameters = parameters,
                                    .grid = {grid_x, grid_y, grid_z},
                                    .block = {block_x, block_y, block_z},
                                    .shared_bytes = 0,
                                    .fault = &fault,
                                    .streams = 0};
  alignas(64) char shared[64], scratch[64];  // of which the kernel needs nothing
  pykc_kernel_vecadd(&launch, shared, scratch, 0, std::int64_t{grid_x} * grid_y * grid_z);
  return CUDA_SUCCESS;
}
}
