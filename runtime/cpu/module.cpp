#include "runtime/cpu/module.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/errors.h"
#include "runtime/constants.h"
#include "runtime/cpu/block_pool.h"
#include "runtime/cpu/cooperative.h"
#include "runtime/cpu/crash_message.h"
#include "runtime/cpu/elf_object.h"
#include "runtime/cpu/host_functions.h"

namespace pykc::cpu {
namespace {

constexpr std::int64_t kLargestScratch = std::int64_t{1} << 40;

/// Launches that are expected to be shorter do not tell of crashes: what prepares for it would show in their time.
constexpr std::int64_t kWorthACrashMessage = 20'000;  // nanoseconds

struct Function {
  abi::CpuKernel entry = nullptr;
  BlockTime time;
  BlockTime time_of_all;  // while crashes are told
};

class Module final : public detail::ModuleState {
 public:
  Module(std::shared_ptr<Device> owner, ElfObject object)
      : ModuleState(owner), device_(*owner), object_(std::move(object)) {}

  Result<void> find_kernels(const std::vector<KernelInfo>& described);
  Result<void> find_constants(const std::vector<ConstantInfo>& described);
  Result<void> launch(std::size_t kernel, const detail::PreparedLaunch& launch, detail::StreamState& stream) override;
  Result<int> suggested_block_size(std::size_t kernel, std::int64_t shared_bytes) override;
  Result<int> active_blocks(std::size_t, const detail::PreparedLaunch&) override { return 1; }
  Result<KernelResources> resources(std::size_t) override { return KernelResources{}; }

 private:
  Result<void> run_blocks(std::size_t kernel, const BlockRun& run);
  Result<void> ended(std::size_t kernel, RunningLaunch::Stop stop, const detail::PreparedLaunch& launch,
                     const detail::StreamState& stream);
  std::string place_of(const abi::FaultRecord& record) const;

  Device& device_;
  const ElfObject object_;
  std::unique_ptr<Function[]> functions_;
};

Result<void> Module::find_kernels(const std::vector<KernelInfo>& described) {
  kernels = described;
  functions_ = std::make_unique<Function[]>(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    rules.emplace_back(kernels[i], device_.info.max_threads_per_block, device_.info.max_shared_bytes_per_block);
    functions_[i].entry = reinterpret_cast<abi::CpuKernel>(object_.find(kernels[i].symbol));
    if (functions_[i].entry == nullptr)
      return Error{ErrorCode::InputOutput,
                   "the artifact is damaged: its code has no entry point `" + kernels[i].symbol + "`"};
  }
  return {};
}

Result<void> Module::find_constants(const std::vector<ConstantInfo>& described) {
  constants = described;
  for (const ConstantInfo& constant : constants) {
    void* const address =
        object_.find_variable(constant.symbol, static_cast<std::uint64_t>(detail::bytes_of(constant)));
    if (address == nullptr) return detail::no_such_constant(constant);
    constant_addresses.push_back(address);
  }
  return {};
}

Result<void> Module::launch(std::size_t kernel, const detail::PreparedLaunch& launch, detail::StreamState& stream) {
  const auto& on = static_cast<const Stream&>(stream);
  if (on.is_capturing()) {
    on.capture([module = shared_from_this(), kernel, captured = std::make_shared<const detail::PreparedLaunch>(launch)](
                   detail::StreamState& later) { return module->launch(kernel, *captured, later); });
    return {};
  }
  const KernelInfo& info = kernels[kernel];
  const std::int64_t scratch = info.scratch_bytes.evaluate(launch.grid, launch.block).value_or(-1);
  if (scratch < 0 || scratch > kLargestScratch)
    return detail::invalid_launch(info, "a block would need " + std::to_string(scratch) + " bytes of scratch memory");
  RunningLaunch& running = device_.running();
  const abi::CpuLaunch raw{.parameters = launch.parameters,
                           .grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                           .block = {launch.block.x, launch.block.y, launch.block.z},
                           .shared_bytes = launch.dynamic_shared_bytes,
                           .fault = &running.record()};
  // Dynamic shared memory begins 16-byte aligned behind the static part.
  const std::int64_t static_shared = round_up(info.static_shared_bytes, 16);
  const BlockRun run{.kernel = functions_[kernel].entry,
                     .launch = &raw,
                     .blocks = launch.blocks,
                     .shared_bytes = static_shared + launch.dynamic_shared_bytes,
                     .scratch_bytes = scratch};
  if (info.is_cooperative && launch.blocks > kMostCooperativeBlocks)
    return detail::too_many_cooperative_blocks(info, launch.blocks, kMostCooperativeBlocks);
  const std::uint64_t cancellations = running.cancellations();
  const std::lock_guard turn(device_.turn());
  Result<void> done = running.begin(cancellations, launch.timeout);
  if (done && !running.is_to_stop()) done = run_blocks(kernel, run);
  const RunningLaunch::Stop stop = running.end(cancellations, launch.timeout);
  if (!done) {
    done.error().message = "kernel `" + info.name + "`: " + done.error().message;
    return done;
  }
  return ended(kernel, stop, launch, stream);
}

/// In the device's turn.
Result<void> Module::run_blocks(std::size_t kernel, const BlockRun& run) {
  Function& function = functions_[kernel];
  const PrintsTo prints(device_.output());
  const auto run_it = [&] {
    return kernels[kernel].is_cooperative ? run_cooperative(run, device_.blocks().threads())
                                          : device_.blocks().run(run, function.time);
  };
  if (!device_.tells_crashes() || function.time_of_all.nanoseconds_for(run.blocks) < kWorthACrashMessage)
    return run_it();
  const CrashMessage message(kernels[kernel].name, object_);
  const auto start = std::chrono::steady_clock::now();
  Result<void> done = run_it();
  function.time_of_all.measured(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count(), run.blocks);
  return done;
}

/// How a launch that has run has ended.
Result<void> Module::ended(std::size_t kernel, RunningLaunch::Stop stop, const detail::PreparedLaunch& launch,
                           const detail::StreamState& stream) {
  const abi::FaultRecord& record = device_.running().record();
  if (stop == RunningLaunch::Stop::Cancelled)
    return Error{ErrorCode::Cancelled, "kernel `" + kernels[kernel].name + "` was cancelled" + place_of(record)};
  if (stop == RunningLaunch::Stop::Timeout)
    return detail::timeout_error(kernels[kernel], launch.timeout, "was stopped" + place_of(record));
  if (record.ready != 0) device_.faults().add(&stream, detail::fault_error(record, kernels));
  return {};
}

/// " at file.pyk:7", where a launch that was stopped has said it.
std::string Module::place_of(const abi::FaultRecord& record) const {
  if (record.ready == 0) return "";
  if (record.site < 0) return std::string(" at ") + reinterpret_cast<const char*>(record.values[0]);
  const auto kernel = static_cast<std::size_t>(record.kernel), site = static_cast<std::size_t>(record.site);
  if (kernel >= kernels.size() || site >= kernels[kernel].faults.size()) return "";
  const FaultSite& at = kernels[kernel].faults[site];
  return " at " + at.file + ":" + std::to_string(at.line);
}

/// A block is one loop over its threads: long enough for the loop to count, short enough for its scratch to stay in
/// cache.
Result<int> Module::suggested_block_size(std::size_t kernel, std::int64_t) {
  constexpr int kThreads = 256;
  const int most = kernels[kernel].max_threads_per_block;
  return most > 0 ? std::min(most, kThreads) : kThreads;
}

Result<void> check_target(const Artifact& artifact) {
  const std::size_t colon = artifact.target.find(':');
  const std::string_view chip =
      colon == std::string::npos ? std::string_view() : std::string_view(artifact.target).substr(colon + 1);
  if (can_run(chip)) return {};
  return Error{ErrorCode::Unsupported, "the artifact is compiled for " + artifact.target +
                                           ", which has instructions that this processor lacks; compile for cpu"};
}

}  // namespace

Result<std::shared_ptr<detail::ModuleState>> load_module(std::shared_ptr<Device> device, const Artifact& artifact) {
  RETURN_IF_FAILED(check_target(artifact));
  ASSIGN_OR_RETURN(ElfObject object, ElfObject::load(artifact.code, find_host_function));
  auto module = std::make_shared<Module>(std::move(device), std::move(object));
  RETURN_IF_FAILED(module->find_kernels(artifact.kernels));
  RETURN_IF_FAILED(module->find_constants(artifact.constants));
  return std::shared_ptr<detail::ModuleState>(std::move(module));
}

}  // namespace pykc::cpu
