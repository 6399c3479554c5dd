#include "runtime/cuda/device.h"

#include <algorithm>
#include <iterator>

#include "base/errors.h"
#include "runtime/cuda/module.h"

namespace pykc::cuda {
namespace {

/// Of stack for a thread beside what recursion needs: the driver's own default.
constexpr std::size_t kUsualStackBytes = 1024;

std::string driver_name(const Driver& driver) {
  const int version = driver.version();
  return "CUDA driver " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Hopper and later chips can do more where code is for them alone: "sm_90a".
std::string chip_of(int major, int minor) {
  return "sm_" + std::to_string(10 * major + minor) + (major >= 9 ? "a" : "");
}

/// "GPU-00112233-4455-6677-8899-aabbccddeeff"
std::string to_string(const CUuuid& uuid) {
  std::string text = "GPU";
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t i = 0; i < std::size(uuid.bytes); ++i) {
    const auto byte = static_cast<std::uint8_t>(uuid.bytes[i]);
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Result<DeviceInfo> describe(const Driver& driver, int ordinal, CUdevice device) {
  char name[256] = {};
  std::size_t memory = 0;
  if (Result<void> done = driver.check("cuDeviceGetName", driver.cuDeviceGetName(name, sizeof(name) - 1, device));
      !done)
    return done.error();
  RETURN_IF_FAILED(driver.check("cuDeviceTotalMem", driver.cuDeviceTotalMem(&memory, device)));
  CUuuid uuid = {};
  RETURN_IF_FAILED(driver.check("cuDeviceGetUuid", driver.cuDeviceGetUuid(&uuid, device)));
  constexpr CUdevice_attribute kAttributes[] = {
      CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
      CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
      CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK};
  int values[std::size(kAttributes)] = {};
  for (std::size_t i = 0; i < std::size(kAttributes); ++i) {
    const CUresult result = driver.cuDeviceGetAttribute(&values[i], kAttributes[i], device);
    RETURN_IF_FAILED(driver.check("cuDeviceGetAttribute", result));
  }
  return DeviceInfo{.name = "cuda:" + std::to_string(ordinal),
                    .description = name,
                    .target = chip_of(values[0], values[1]),
                    .multiprocessors = values[2],
                    .memory_bytes = static_cast<std::int64_t>(memory),
                    .max_shared_bytes_per_block = values[3],
                    .max_threads_per_block = values[4],
                    .driver = driver_name(driver),
                    .uuid = to_string(uuid)};
}

Result<CUdevice> find_device(const Driver& driver, int ordinal) {
  int count = 0;
  RETURN_IF_FAILED(driver.check("cuDeviceGetCount", driver.cuDeviceGetCount(&count)));
  if (count == 0)
    return Error{ErrorCode::DriverUnavailable, "the NVIDIA driver finds no GPU; the device `cpu` needs none"};
  if (ordinal >= count)
    return Error{ErrorCode::NotFound, "there is no device `cuda:" + std::to_string(ordinal) +
                                          "`: the last GPU is cuda:" + std::to_string(count - 1)};
  CUdevice device = 0;
  RETURN_IF_FAILED(driver.check("cuDeviceGet", driver.cuDeviceGet(&device, ordinal)));
  return device;
}

}  // namespace

Result<std::shared_ptr<detail::DeviceState>> open_device(int ordinal) {
  ASSIGN_OR_RETURN(const Driver* const found, Driver::get());
  const Driver& driver = *found;
  ASSIGN_OR_RETURN(const CUdevice device, find_device(driver, ordinal));
  ASSIGN_OR_RETURN(DeviceInfo info, describe(driver, ordinal, device));
  ASSIGN_OR_RETURN(std::unique_ptr<PrimaryContext> context, PrimaryContext::retain(driver, device));
  return std::shared_ptr<detail::DeviceState>(std::make_shared<Device>(driver, std::move(context), std::move(info)));
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  const Result<const Driver*> driver = Driver::get();
  if (!driver) return devices;
  for (int ordinal = 0; ordinal < (*driver)->device_count(); ++ordinal) {
    const Result<CUdevice> device = find_device(**driver, ordinal);
    if (!device) continue;
    if (Result<DeviceInfo> info = describe(**driver, ordinal, *device)) devices.push_back(std::move(*info));
  }
  return devices;
}

Result<int> driver_attribute(int ordinal, int attribute) {
  ASSIGN_OR_RETURN(const Driver* const driver, Driver::get());
  ASSIGN_OR_RETURN(const CUdevice device, find_device(*driver, ordinal));
  int value = 0;
  RETURN_IF_FAILED(driver->check("cuDeviceGetAttribute",
                                 driver->cuDeviceGetAttribute(&value, CUdevice_attribute{attribute}, device)));
  return value;
}

Device::Device(const Driver& driver, std::unique_ptr<PrimaryContext> context, DeviceInfo description)
    : driver_(driver),
      context_(std::move(context)),
      faults_(driver, context_->handle()),
      pool_(*this),
      default_stream_(*this, nullptr, nullptr) {
  info = std::move(description);
}

Result<std::shared_ptr<detail::ModuleState>> Device::load(const Artifact& artifact) {
  return load_module(std::static_pointer_cast<Device>(shared_from_this()), artifact);
}

Result<std::shared_ptr<detail::StreamState>> Device::create_stream() {
  const ContextScope scope = enter();
  CUstream handle = nullptr;
  RETURN_IF_FAILED(check("cuStreamCreate", driver_.cuStreamCreate(&handle, CU_STREAM_DEFAULT)));
  return std::shared_ptr<detail::StreamState>(std::make_shared<Stream>(*this, handle, shared_from_this()));
}

Result<std::shared_ptr<detail::StreamState>> Device::wrap_stream(void* native_handle, std::shared_ptr<void> owner) {
  const ContextScope scope = enter();
  const auto handle = static_cast<CUstream>(native_handle);
  CUcontext its_context = nullptr;
  RETURN_IF_FAILED(check("cuStreamGetCtx", driver_.cuStreamGetCtx(handle, &its_context)));
  if (its_context != context_->handle())
    return invalid_argument("the stream to wrap is of another GPU, or of another context, than the primary one of " +
                            info.name);
  return std::shared_ptr<detail::StreamState>(
      std::make_shared<Stream>(*this, handle, shared_from_this(), std::move(owner)));
}

Result<std::shared_ptr<void>> Device::make_current() {
  CUcontext previous = nullptr;
  RETURN_IF_FAILED(check("cuCtxGetCurrent", driver_.cuCtxGetCurrent(&previous)));
  RETURN_IF_FAILED(check("cuCtxSetCurrent", driver_.cuCtxSetCurrent(context_->handle())));
  const auto restore = [device = shared_from_this(), this, previous](void*) {
    if (previous != nullptr) driver_.cuCtxSetCurrent(previous);  // as ContextScope does
  };
  return std::shared_ptr<void>(nullptr, restore);
}

Result<void> Device::synchronize() {
  const ContextScope scope = enter();
  const std::uint64_t latest = faults_.latest();
  RETURN_IF_FAILED(check("cuCtxSynchronize", driver_.cuCtxSynchronize()));
  return faults_.report(nullptr, latest);
}

Result<void> Device::start_profiler() const {
  const ContextScope scope = enter();
  return check("cuProfilerStart", driver_.cuProfilerStart());
}

Result<void> Device::stop_profiler() const {
  const ContextScope scope = enter();
  return check("cuProfilerStop", driver_.cuProfilerStop());
}

Result<std::size_t> Device::stack_limit() const {
  std::size_t present = 0;
  RETURN_IF_FAILED(check("cuCtxGetLimit", driver_.cuCtxGetLimit(&present, CU_LIMIT_STACK_SIZE)));
  return present;
}

Result<void> Device::reserve_stack(std::int64_t bytes) {
  const std::lock_guard lock(stack_mutex_);
  const std::size_t wanted = kUsualStackBytes + static_cast<std::size_t>(bytes);
  ASSIGN_OR_RETURN(const std::size_t present, stack_limit());
  if (present < wanted) {
    RETURN_IF_FAILED(check("cuCtxSetLimit", driver_.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, wanted)));
    if (present != own_stack_limit_) others_stack_limit_ = present;
    own_stack_limit_ = wanted;
  }
  reserved_stacks_.insert(wanted);
  return {};
}

void Device::release_stack(std::int64_t bytes) {
  const std::lock_guard lock(stack_mutex_);
  reserved_stacks_.erase(reserved_stacks_.find(kUsualStackBytes + static_cast<std::size_t>(bytes)));
  const Result<std::size_t> present = stack_limit();
  if (!present || *present != own_stack_limit_) return;  // somebody else's by now
  const std::size_t most = reserved_stacks_.empty() ? 0 : *reserved_stacks_.rbegin();
  const std::size_t wanted = std::max(others_stack_limit_, most);
  if (wanted < *present && driver_.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, wanted) == CUDA_SUCCESS)
    own_stack_limit_ = wanted;
}

Result<void> Device::finish_default_stream() {
  const std::uint64_t latest = faults_.latest();
  RETURN_IF_FAILED(check("cuStreamSynchronize", driver_.cuStreamSynchronize(nullptr)));
  return faults_.report(nullptr, latest);
}

Result<MemoryInfo> Device::memory_info() {
  const ContextScope scope = enter();
  std::size_t free = 0, total = 0;
  RETURN_IF_FAILED(check("cuMemGetInfo", driver_.cuMemGetInfo(&free, &total)));
  return MemoryInfo{static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

Error Device::out_of_memory(std::int64_t bytes) const {
  std::size_t free = 0, total = 0;
  driver_.cuMemGetInfo(&free, &total);
  return Error{ErrorCode::OutOfMemory, info.name + " has no room for " + std::to_string(bytes) +
                                           " bytes: " + std::to_string(free) + " of its " + std::to_string(total) +
                                           " bytes are free"};
}

}  // namespace pykc::cuda
