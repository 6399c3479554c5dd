// Device: opening and listing, loading artifacts, memory and streams of either kind of device.
#include <charconv>
#include <map>
#include <mutex>

#include "base/errors.h"
#include "pykc/profiler.h"
#include "runtime/constants.h"
#include "runtime/cpu/device.h"
#include "runtime/cuda/device.h"
#include "runtime/device.h"

namespace pykc {
namespace {

using DevicePointer = std::shared_ptr<detail::DeviceState>;

/// The devices that somebody holds, so that opening one twice gives the same: its memory is then known to be its own.
struct OpenDevices {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<detail::DeviceState>> by_name;
};

OpenDevices& open_devices() {
  static auto* devices = new OpenDevices;  // never destroyed: handles may outlive main
  return *devices;
}

Result<int> ordinal_of(std::string_view name) {
  int ordinal = 0;
  if (name == "cuda") return ordinal;
  if (name.starts_with("cuda:")) {
    const char* end = name.data() + name.size();
    const auto [stop, status] = std::from_chars(name.data() + 5, end, ordinal);
    if (status == std::errc{} && stop == end && ordinal >= 0) return ordinal;
  }
  return invalid_argument("there is no device `" + std::string(name) + "`: a device is called cpu, cuda:0, cuda:1, …");
}

Result<DevicePointer> open_new(const std::string& name) {
  if (name == "cpu") return cpu::open_device();
  return cuda::open_device(*ordinal_of(name));
}

Result<DevicePointer> open_shared(const std::string& name) {
  OpenDevices& open = open_devices();
  const std::lock_guard lock(open.mutex);
  if (DevicePointer device = open.by_name[name].lock()) return device;
  Result<DevicePointer> device = open_new(name);
  if (device) open.by_name[name] = *device;
  return device;
}

Result<DevicePointer> open_named(std::string_view name) {
  if (name == "cpu") return open_shared("cpu");
  ASSIGN_OR_RETURN(const int ordinal, ordinal_of(name));
  return open_shared("cuda:" + std::to_string(ordinal));
}

Result<void> check_artifact(const Artifact& artifact, bool is_cpu, const DeviceInfo& info) {
  if (is_cpu != artifact.target.starts_with("cpu"))
    return Error{ErrorCode::Unsupported, "the artifact is compiled for " + artifact.target + "; device " + info.name +
                                             " needs one for " + info.target};
  for (const KernelInfo& kernel : artifact.kernels) RETURN_IF_FAILED(detail::check_description(kernel));
  for (const ConstantInfo& constant : artifact.constants) RETURN_IF_FAILED(detail::check_constant(constant));
  return {};
}

}  // namespace

Result<Device> Device::open(std::string_view name) try {
  Result<DevicePointer> state = open_named(name.empty() ? "cuda:0" : name);
  if (!state && name.empty() && state.error().code == ErrorCode::DriverUnavailable) state = open_named("cpu");
  if (!state) return state.error();
  return Device(std::move(*state));
} catch (...) {
  return error_in_flight();
}

std::vector<DeviceInfo> Device::list() {
  std::vector<DeviceInfo> devices = cuda::list_devices();
  devices.push_back(cpu::device_info());
  return devices;
}

Result<int> Device::driver_attribute(std::string_view name, int attribute) try {
  if (name == "cpu") return Error{ErrorCode::Unsupported, "the CPU device has no driver to ask"};
  ASSIGN_OR_RETURN(const int ordinal, ordinal_of(name));
  return cuda::driver_attribute(ordinal, attribute);
} catch (...) {
  return error_in_flight();
}

const DeviceInfo& Device::info() const { return state_->info; }
bool Device::is_cpu() const { return state_->is_cpu(); }

Result<Module> Device::load(const Artifact& artifact) const try {
  RETURN_IF_FAILED(check_artifact(artifact, state_->is_cpu(), state_->info));
  ASSIGN_OR_RETURN(std::shared_ptr<detail::ModuleState> module, state_->load(artifact));
  return Module(std::move(module));
} catch (...) {
  return error_in_flight();
}

Result<Buffer> detail::DeviceState::allocate_buffer(std::int64_t bytes) {
  ASSIGN_OR_RETURN(std::shared_ptr<void> memory, allocate(bytes));
  void* const address = memory.get();
  return Buffer(std::move(memory), address, bytes, this);
}

Result<Buffer> detail::DeviceState::wrap_buffer(void* address, std::int64_t bytes, std::shared_ptr<void> owner) {
  struct Kept {
    std::shared_ptr<DeviceState> device;
    std::shared_ptr<void> owner;  // goes first
  };
  const auto kept = std::make_shared<Kept>(Kept{shared_from_this(), std::move(owner)});
  return Buffer(std::shared_ptr<void>(kept, address), address, bytes, this);
}

Result<detail::WrappedElements> detail::wrap_elements(const Device& device, void* first, const Mapping& mapping,
                                                      std::int64_t element_bytes, std::int64_t alignment,
                                                      std::shared_ptr<void> owner) try {
  const Mapping::Range range = mapping.range();
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(range.end - range.begin, element_bytes, &bytes))
    return invalid_argument("no memory holds an array with " + to_string(mapping));
  // The lowest address of all: below `first` where a stride is negative.
  const std::uintptr_t lowest =
      reinterpret_cast<std::uintptr_t>(first) + static_cast<std::uintptr_t>(range.begin * element_bytes);
  ASSIGN_OR_RETURN(Buffer buffer, device.wrap_bytes(reinterpret_cast<void*>(lowest), bytes, std::move(owner)));
  WrappedElements wrapped{std::move(buffer), mapping.rebased()};
  const Elements elements{wrapped.buffer, wrapped.mapping, element_bytes};
  RETURN_IF_FAILED(elements.check(alignment));
  return wrapped;
} catch (...) {
  return error_in_flight();
}

Result<Buffer> Device::wrap_bytes(void* address, std::int64_t bytes, std::shared_ptr<void> owner) const try {
  if (bytes < 0) return invalid_argument("a buffer cannot have " + std::to_string(bytes) + " bytes");
  if (bytes > 0) {
    if (address == nullptr)
      return invalid_argument("a null pointer is no memory of " + std::to_string(bytes) + " bytes");
    RETURN_IF_FAILED(state_->check_foreign(address));
  }
  return state_->wrap_buffer(address, bytes, std::move(owner));
} catch (...) {
  return error_in_flight();
}

Result<Buffer> Device::allocate_bytes(std::int64_t bytes) const try {
  if (bytes < 0) return invalid_argument("a buffer cannot have " + std::to_string(bytes) + " bytes");
  return state_->allocate_buffer(bytes);
} catch (...) {
  return error_in_flight();
}

Result<detail::UnifiedBuffer> Device::allocate_unified_bytes(detail::UnifiedKind kind, std::int64_t bytes) const try {
  detail::UnifiedMemory memory;
  if (bytes > 0) {
    ASSIGN_OR_RETURN(memory, state_->allocate_unified(kind, bytes));
  }
  ASSIGN_OR_RETURN(Buffer buffer, state_->wrap_buffer(memory.on_device, bytes, std::move(memory.memory)));
  return detail::UnifiedBuffer{std::move(buffer), memory.on_host};
} catch (...) {
  return error_in_flight();
}

Result<std::shared_ptr<void>> Device::allocate_pinned_bytes(std::int64_t bytes) const try {
  if (bytes < 0) return invalid_argument("host memory cannot have " + std::to_string(bytes) + " bytes");
  return state_->allocate_pinned(bytes);
} catch (...) {
  return error_in_flight();
}

MemoryPool Device::pool() const {
  return MemoryPool(std::shared_ptr<detail::PoolState>(state_, &state_->pool()));  // shares the device, which owns it
}

Result<Stream> Device::create_stream() const try {
  ASSIGN_OR_RETURN(std::shared_ptr<detail::StreamState> stream, state_->create_stream());
  return Stream(std::move(stream));
} catch (...) {
  return error_in_flight();
}

Result<Stream> Device::wrap_stream(void* native_handle, std::shared_ptr<void> owner) const try {
  if (native_handle == nullptr) return default_stream();
  ASSIGN_OR_RETURN(std::shared_ptr<detail::StreamState> stream, state_->wrap_stream(native_handle, std::move(owner)));
  return Stream(std::move(stream));
} catch (...) {
  return error_in_flight();
}

Stream Device::default_stream() const {
  // Shares the device, which owns the stream.
  return Stream(std::shared_ptr<detail::StreamState>(state_, &state_->default_stream()));
}

Result<CurrentContext> Device::make_current() const try {
  ASSIGN_OR_RETURN(std::shared_ptr<void> restorer, state_->make_current());
  return CurrentContext(std::move(restorer));
} catch (...) {
  return error_in_flight();
}

Result<void> Device::synchronize() const try { return state_->synchronize(); } catch (...) {
  return error_in_flight();
}

Result<void> Device::report_faults() const try { return state_->report_faults(); } catch (...) {
  return error_in_flight();
}

Result<MemoryInfo> Device::memory_info() const try { return state_->memory_info(); } catch (...) {
  return error_in_flight();
}

Result<void> Device::cancel() const try { return state_->cancel(); } catch (...) {
  return error_in_flight();
}

Result<void> Device::set_output(Output output) const try { return state_->set_output(std::move(output)); } catch (...) {
  return error_in_flight();
}

Result<void> Device::set_cost_output(CostOutput output) const try {
  return state_->set_cost_output(std::move(output));
} catch (...) {
  return error_in_flight();
}

void Device::set_crash_messages(bool on) const { state_->set_crash_messages(on); }

void Device::set_block_order(std::optional<std::uint64_t> seed) const { state_->set_block_order(seed); }

Result<void> Device::enable_peer_access(const Device& other) const try {
  if (state_ == other.state_) return {};
  if (is_cpu() || other.is_cpu())
    return invalid_argument("peer access joins two GPUs, not " + info().name + " and " + other.info().name +
                            "; copy the arrays");
  return state_->enable_peer_access(*other.state_);
} catch (...) {
  return error_in_flight();
}

Result<void> start_profiler(const Device& device) { return device.state()->start_profiler(); }
Result<void> stop_profiler(const Device& device) { return device.state()->stop_profiler(); }

}  // namespace pykc
