#include "runtime/cuda/module.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/errors.h"
#include "runtime/constants.h"
#include "runtime/cuda/jit_log.h"
#include "runtime/cuda/linker.h"
#include "runtime/cuda/tensor_maps.h"

namespace pykc::cuda {
namespace {

/// Beyond this much shared memory a kernel must ask the driver for more.
constexpr std::int64_t kDefaultSharedBytes = 48 * 1024;

struct Function {
  CUfunction handle = nullptr;
  bool can_fault = false;
  std::int64_t static_shared_bytes = 0;
  std::atomic<bool> has_more_shared = false;  // has asked for all that the device has
  std::atomic<int> suggested_block = 0;       // without dynamic shared memory; 0: not asked for yet
};

class Module final : public detail::ModuleState {
 public:
  explicit Module(std::shared_ptr<Device> owner) : ModuleState(owner), device_(*owner) {}
  ~Module() override;

  Result<void> load(const Artifact& artifact);
  Result<void> launch(std::size_t kernel, const detail::PreparedLaunch& launch, detail::StreamState& stream) override;
  Result<int> suggested_block_size(std::size_t kernel, std::int64_t shared_bytes) override;
  Result<int> active_blocks(std::size_t kernel, const detail::PreparedLaunch& launch) override;
  Result<KernelResources> resources(std::size_t kernel) override;

 private:
  Result<void> load_code(const Artifact& artifact);
  Result<void> find_kernel(const KernelInfo& kernel, Function& function);
  Result<void> find_constants();
  Result<void> find_fault_record();
  Result<void> allow_shared(Function& function, const detail::PreparedLaunch& launch);
  Result<void> check_that_grid_fits(std::size_t kernel, const detail::PreparedLaunch& launch);
  Result<void> start(std::size_t kernel, const detail::PreparedLaunch& launch, Stream& stream);

  Device& device_;
  CUmodule handle_ = nullptr;
  std::int64_t stack_bytes_ = 0;  // reserved of the device
  std::unique_ptr<Function[]> functions_;
  FaultSource faults_;
};

/// 90 of "nvptx:sm_90a"; 0 if there is no such number.
int chip_number(std::string_view target) {
  const std::size_t start = target.find("sm_");
  int number = 0;
  if (start != std::string_view::npos)
    std::from_chars(target.data() + start + 3, target.data() + target.size(), number);
  return number;
}

Result<void> check_target(const Artifact& artifact, const DeviceInfo& device) {
  if (chip_number(artifact.target) <= chip_number(device.target)) return {};
  return Error{ErrorCode::Unsupported, "the artifact is compiled for " + artifact.target + ", and " + device.name +
                                           " is an older " + device.target + "; compile for " + device.target};
}

Module::~Module() {
  if (handle_ == nullptr) return;
  const ContextScope scope = device_.enter();
  if (faults_.record != 0) device_.faults().retire(faults_);
  const OutsideCapture outside = device_.leave_captures();
  device_.driver().cuModuleUnload(handle_);
  if (stack_bytes_ > 0) device_.release_stack(stack_bytes_);
}

Result<void> Module::load(const Artifact& artifact) {
  const ContextScope scope = device_.enter();
  const OutsideCapture outside = device_.leave_captures();
  RETURN_IF_FAILED(outside.check());
  RETURN_IF_FAILED(load_code(artifact));
  kernels = artifact.kernels;
  constants = artifact.constants;
  functions_ = std::make_unique<Function[]>(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) RETURN_IF_FAILED(find_kernel(kernels[i], functions_[i]));
  const auto recursion_bytes = [](const KernelInfo& kernel) { return kernel.recursion_bytes; };
  const auto deepest = std::ranges::max_element(kernels, {}, recursion_bytes);
  if (deepest != kernels.end() && deepest->recursion_bytes > 0) {
    RETURN_IF_FAILED(device_.reserve_stack(deepest->recursion_bytes));
    stack_bytes_ = deepest->recursion_bytes;
  }
  RETURN_IF_FAILED(find_constants());
  return find_fault_record();
}

Result<void> Module::load_code(const Artifact& artifact) {
  if (!is_code(artifact.code))
    return Error{ErrorCode::InputOutput, "the artifact is damaged: its code is neither PTX nor a whole cubin"};
  std::string linked;
  if (!artifact.libraries.empty()) {
    ASSIGN_OR_RETURN(linked, link(device_.driver(), artifact));
  }
  const std::string& code = linked.empty() ? artifact.code : linked;
  JitLog log(artifact.assembler_level);
  const CUresult result =
      device_.driver().cuModuleLoadDataEx(&handle_, code.c_str(), JitLog::kOptions, log.options(), log.values());
  if (result != CUDA_SUCCESS) handle_ = nullptr;
  return log.check(device_.driver(), "cuModuleLoadDataEx", result);
}

Result<void> Module::find_kernel(const KernelInfo& kernel, Function& function) {
  const Driver& driver = device_.driver();
  const CUresult found = driver.cuModuleGetFunction(&function.handle, handle_, kernel.symbol.c_str());
  if (found == CUDA_ERROR_NOT_FOUND)
    return Error{ErrorCode::InputOutput,
                 "the artifact is damaged: its code has no entry point `" + kernel.symbol + "`"};
  RETURN_IF_FAILED(driver.check("cuModuleGetFunction", found));
  int threads = 0;
  const CUresult asked = driver.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function.handle);
  RETURN_IF_FAILED(driver.check("cuFuncGetAttribute", asked));
  function.can_fault = !kernel.faults.empty();
  function.static_shared_bytes = kernel.static_shared_bytes;
  rules.emplace_back(kernel, threads, device_.info.max_shared_bytes_per_block);
  return {};
}

Result<void> Module::find_constants() {
  for (const ConstantInfo& constant : constants) {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const CUresult found = device_.driver().cuModuleGetGlobal(&address, &bytes, handle_, constant.symbol.c_str());
    // What is no variable, but a function of that name, gives another error than what is not there.
    if (Result<void> done = device_.check("cuModuleGetGlobal", found); !done) {
      Error error = detail::no_such_constant(constant);
      if (found != CUDA_ERROR_NOT_FOUND) error.message += " (" + done.error().message + ")";
      return error;
    }
    if (bytes != static_cast<std::size_t>(detail::bytes_of(constant))) return detail::no_such_constant(constant);
    constant_addresses.push_back(reinterpret_cast<void*>(address));
  }
  return {};
}

Result<void> Module::find_fault_record() {
  CUdeviceptr record = 0;
  std::size_t bytes = 0;
  const CUresult found = device_.driver().cuModuleGetGlobal(&record, &bytes, handle_, abi::kFaultSymbol);
  if (found == CUDA_ERROR_NOT_FOUND) return {};
  RETURN_IF_FAILED(device_.check("cuModuleGetGlobal", found));
  if (bytes != sizeof(abi::FaultRecord))
    return Error{ErrorCode::InputOutput, "the artifact is damaged: its fault record has " + std::to_string(bytes) +
                                             " bytes instead of " + std::to_string(sizeof(abi::FaultRecord))};
  faults_ = {record, &kernels};
  return device_.faults().add(faults_);
}

/// Asks for more than every kernel gets, once; idempotent, so threads may race to it.
Result<void> Module::allow_shared(Function& function, const detail::PreparedLaunch& launch) {
  if (launch.dynamic_shared_bytes <= kDefaultSharedBytes - function.static_shared_bytes ||
      function.has_more_shared.load(std::memory_order_relaxed))
    return {};
  const std::int64_t room = device_.info.max_shared_bytes_per_block - function.static_shared_bytes;
  const CUresult set = device_.driver().cuFuncSetAttribute(
      function.handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(room));
  RETURN_IF_FAILED(device_.check("cuFuncSetAttribute", set));
  function.has_more_shared.store(true, std::memory_order_relaxed);
  return {};
}

/// Blocks that wait for one another must all run at a time.
Result<void> Module::check_that_grid_fits(std::size_t kernel, const detail::PreparedLaunch& launch) {
  ASSIGN_OR_RETURN(const int blocks, active_blocks(kernel, launch));
  const std::int64_t most = std::int64_t{blocks} * device_.info.multiprocessors;
  if (launch.blocks <= most) return {};
  return detail::too_many_cooperative_blocks(kernels[kernel], launch.blocks, most);
}

/// Without attributes.
CUlaunchConfig config_of(const detail::PreparedLaunch& launch, CUstream stream) {
  const auto size = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
  return {size(launch.grid.x),
          size(launch.grid.y),
          size(launch.grid.z),
          size(launch.block.x),
          size(launch.block.y),
          size(launch.block.z),
          size(launch.dynamic_shared_bytes),
          stream,
          nullptr,
          0};
}

/// Whether the driver lets kernels begin early, on the stream or in a graph that it captures.
bool lets_begin_early(const Driver& driver, const Stream& stream) {
  constexpr int kFirstWithGraphs = 12030;  // CUDA 12.3
  return driver.cuLaunchKernelEx != nullptr && (!stream.is_capturing() || driver.version() >= kFirstWithGraphs);
}

/// Calls the driver.
Result<void> Module::start(std::size_t kernel, const detail::PreparedLaunch& launch, Stream& stream) {
  const KernelInfo& info = kernels[kernel];
  const Driver& driver = device_.driver();
  const CUfunction function = functions_[kernel].handle;
  void** const parameters = const_cast<void**>(launch.parameters);
  CUlaunchConfig config = config_of(launch, stream.handle());
  const auto run = [&](auto launch_kernel, auto... more) {
    return launch_kernel(function, config.gridDimX, config.gridDimY, config.gridDimZ, config.blockDimX,
                         config.blockDimY, config.blockDimZ, config.sharedMemBytes, config.hStream, parameters,
                         more...);
  };
  const char* call = "cuLaunchKernel";
  CUresult launched = CUDA_SUCCESS;
  if (info.is_cooperative) {
    call = "cuLaunchCooperativeKernel";
    launched = run(driver.cuLaunchCooperativeKernel);
  } else if (info.begins_early && lets_begin_early(driver, stream)) {
    call = "cuLaunchKernelEx";
    CUlaunchAttribute early{.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .pad = {}, .value = {}};
    early.value.programmaticStreamSerializationAllowed = 1;
    config.attrs = &early;
    config.numAttrs = 1;
    launched = driver.cuLaunchKernelEx(&config, function, parameters, nullptr);
  } else {
    launched = run(driver.cuLaunchKernel, nullptr);
  }
  if (launched == CUDA_SUCCESS) return {};
  Error error = driver.error(call, launched);
  error.message = "kernel `" + info.name + "`: " + error.message;
  return error;
}

Result<void> Module::launch(std::size_t kernel, const detail::PreparedLaunch& launch, detail::StreamState& stream) {
  Function& function = functions_[kernel];
  const ContextScope scope = device_.enter();
  RETURN_IF_FAILED(allow_shared(function, launch));
  const bool has_limit = launch.timeout.count() > 0;
  if (has_limit && stream.is_capturing())
    return detail::invalid_launch(kernels[kernel], "the launches of a graph have no limits of time on a GPU");
  std::optional<detail::PreparedLaunch> with_maps;
  if (!kernels[kernel].tensor_maps.empty()) {
    with_maps.emplace(launch);
    RETURN_IF_FAILED(append_tensor_maps(device_.driver(), kernels[kernel], *with_maps));
  }
  if (kernels[kernel].is_cooperative) RETURN_IF_FAILED(check_that_grid_fits(kernel, launch));
  RETURN_IF_FAILED(start(kernel, with_maps ? *with_maps : launch, static_cast<Stream&>(stream)));
  const bool may_fault = function.can_fault && faults_.record != 0;
  if (Graph* const graph = static_cast<Stream&>(stream).graph())
    graph->keep(shared_from_this(), may_fault ? &faults_ : nullptr);
  else if (may_fault)
    device_.faults().note_launch(faults_, &stream);
  if (!has_limit) return {};
  ASSIGN_OR_RETURN(const bool in_time, static_cast<Stream&>(stream).wait_at_most(launch.timeout));
  if (in_time) return {};
  return detail::timeout_error(kernels[kernel], launch.timeout, "goes on, since no driver stops a kernel of a GPU");
}

Result<int> Module::suggested_block_size(std::size_t kernel, std::int64_t shared_bytes) {
  std::atomic<int>& known = functions_[kernel].suggested_block;
  if (shared_bytes == 0 && known != 0) return known.load();
  const ContextScope scope = device_.enter();
  int grid = 0, block = 0;
  const CUresult asked = device_.driver().cuOccupancyMaxPotentialBlockSize(
      &grid, &block, functions_[kernel].handle, nullptr, static_cast<std::size_t>(shared_bytes), 0);
  RETURN_IF_FAILED(device_.check("cuOccupancyMaxPotentialBlockSize", asked));
  if (shared_bytes == 0) known = block;
  return block;
}

Result<int> Module::active_blocks(std::size_t kernel, const detail::PreparedLaunch& launch) {
  const ContextScope scope = device_.enter();
  RETURN_IF_FAILED(allow_shared(functions_[kernel], launch));
  int blocks = 0;
  const CUresult asked = device_.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, functions_[kernel].handle, static_cast<int>(launch.block.x * launch.block.y * launch.block.z),
      static_cast<std::size_t>(launch.dynamic_shared_bytes));
  RETURN_IF_FAILED(device_.check("cuOccupancyMaxActiveBlocksPerMultiprocessor", asked));
  return blocks;
}

Result<KernelResources> Module::resources(std::size_t kernel) {
  const ContextScope scope = device_.enter();
  int registers = 0, local_bytes = 0;
  for (const auto& [attribute, value] : {std::pair(CU_FUNC_ATTRIBUTE_NUM_REGS, &registers),
                                         std::pair(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &local_bytes)}) {
    const CUresult asked = device_.driver().cuFuncGetAttribute(value, attribute, functions_[kernel].handle);
    RETURN_IF_FAILED(device_.check("cuFuncGetAttribute", asked));
  }
  return KernelResources{.registers_per_thread = registers, .local_bytes_per_thread = local_bytes};
}

}  // namespace

Result<std::shared_ptr<detail::ModuleState>> load_module(std::shared_ptr<Device> device, const Artifact& artifact) {
  RETURN_IF_FAILED(check_target(artifact, device->info));
  auto module = std::make_shared<Module>(std::move(device));
  RETURN_IF_FAILED(module->load(artifact));
  return std::shared_ptr<detail::ModuleState>(std::move(module));
}

}  // namespace pykc::cuda
