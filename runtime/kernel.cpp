// Modules and kernels: each call checks what all devices ask for, then goes to the device's own state.
#include "base/errors.h"
#include "base/text.h"
#include "runtime/device.h"

namespace pykc {

const KernelInfo& Kernel::info() const { return module_->kernels[index_]; }

Result<int> Kernel::suggested_block_size(std::int64_t shared_bytes) const try {
  if (shared_bytes < 0 || shared_bytes > module_->rules[index_].max_shared_bytes)
    return detail::invalid_launch(info(),
                                  std::to_string(shared_bytes) + " bytes of shared memory a block are not possible");
  return module_->suggested_block_size(index_, shared_bytes);
} catch (...) {
  return error_in_flight();
}

Result<LaunchConfig> Kernel::configuration_for(std::int64_t tasks, std::int64_t shared_bytes) const try {
  if (tasks < 0) return detail::invalid_launch(info(), "there cannot be " + std::to_string(tasks) + " tasks");
  ASSIGN_OR_RETURN(const int threads, suggested_block_size(shared_bytes));
  const std::int64_t blocks = tasks / threads + (tasks % threads == 0 ? 0 : 1);
  return LaunchConfig{.grid = {round_up(blocks, info().cluster.x)}, .block = {threads}, .shared_bytes = shared_bytes};
} catch (...) {
  return error_in_flight();
}

Result<int> Kernel::active_blocks_per_multiprocessor(const LaunchConfig& config) const try {
  detail::PreparedLaunch prepared;
  RETURN_IF_FAILED(detail::prepare_configuration(info(), module_->rules[index_], config, prepared));
  return module_->active_blocks(index_, prepared);
} catch (...) {
  return error_in_flight();
}

Result<KernelResources> Kernel::resources() const try {
  Result<KernelResources> resources = module_->resources(index_);
  if (resources) resources->max_threads_per_block = module_->rules[index_].max_threads_per_block;
  return resources;
} catch (...) {
  return error_in_flight();
}

Result<void> Kernel::launch_with(const LaunchConfig& config, std::span<const Argument> arguments) const try {
  detail::DeviceState& device = *module_->device;
  detail::StreamState& stream = config.stream == nullptr ? device.default_stream() : *config.stream->state_;
  if (&stream.device != &device) return invalid_argument("the launch's stream belongs to another device");
  detail::PreparedLaunch prepared;
  if (Result<void> fits =
          detail::prepare_launch(module_->kernels[index_], module_->rules[index_], device, config, arguments, prepared);
      !fits)
    return fits;
  if (prepared.blocks == 0) return {};
  return module_->launch(index_, prepared, stream);
} catch (...) {
  return error_in_flight();
}

const std::vector<KernelInfo>& Module::kernels() const { return state_->kernels; }

Result<Kernel> Module::kernel(std::string_view name) const try {
  for (std::size_t i = 0; i < state_->kernels.size(); ++i)
    if (state_->kernels[i].name == name) return Kernel(state_, i);
  return Error{ErrorCode::NotFound, "the module has no kernel `" + std::string(name) +
                                        "`; it has: " + list_text(state_->kernels, &KernelInfo::name)};
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
