#include "runtime/cpu/module.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>

#include "base/errors.h"
#include "runtime/constants.h"
#include "runtime/cpu/block_pool.h"
#include "runtime/cpu/cooperative.h"
#include "runtime/cpu/costs/cost_counter.h"
#include "runtime/cpu/crash_message.h"
#include "runtime/cpu/elf_object.h"
#include "runtime/cpu/host_functions.h"
#include "runtime/cpu/sanitizer/report.h"

namespace pykc::cpu {
namespace {

constexpr std::int64_t kLargestScratch = std::int64_t{1} << 40;

/// Launches that are expected to be shorter do not tell of crashes: what prepares for it would show in their time.
constexpr std::int64_t kWorthACrashMessage = 20'000;  // nanoseconds

/// The words of a launch that its accesses may depend on.
using LaunchKey = std::vector<std::uint64_t>;
constexpr std::size_t kMostSettled = 4096;

struct Function {
  abi::CpuKernel entry = nullptr;
  abi::CpuKernel watched = nullptr;  // null where the kernel has none
  std::set<LaunchKey> settled;       // launches that need not be watched any more
  BlockTime time;
  BlockTime time_of_all;  // while crashes are told
};

class Module final : public detail::ModuleState {
 public:
  Module(std::shared_ptr<Device> owner, ElfObject object)
      : ModuleState(owner), device_(*owner), object_(std::move(object)) {}

  Result<void> find_kernels(const std::vector<KernelInfo>& described);
  Result<void> find_watched();
  Result<void> find_constants(const std::vector<ConstantInfo>& described);
  Result<void> launch(std::size_t kernel, const detail::PreparedLaunch& launch, detail::StreamState& stream) override;
  Result<int> suggested_block_size(std::size_t kernel, std::int64_t shared_bytes) override;
  Result<int> active_blocks(std::size_t, const detail::PreparedLaunch&) override { return 1; }
  Result<KernelResources> resources(std::size_t) override { return KernelResources{}; }

 private:
  static LaunchKey key_of(const KernelInfo& kernel, const abi::CpuLaunch& launch);
  Result<void> run_watched(std::size_t kernel, const BlockRun& run);
  Result<void> run_counted(std::size_t kernel, const BlockRun& run);
  Result<void> run_blocks(std::size_t kernel, const BlockRun& run);
  void report_findings(std::size_t kernel, const abi::CpuLaunch& launch, const detail::StreamState& stream);
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
  return find_watched();
}

Result<void> Module::find_watched() {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string& symbol = kernels[i].watched.symbol;
    if (symbol.empty()) continue;
    functions_[i].watched = reinterpret_cast<abi::CpuKernel>(object_.find(symbol));
    if (functions_[i].watched == nullptr)
      return Error{ErrorCode::InputOutput, "the artifact is damaged: its code has no entry point `" + symbol + "`"};
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
  Function& function = functions_[kernel];
  RunningLaunch& running = device_.running();
  const std::uint64_t cancellations = running.cancellations();
  const std::lock_guard turn(device_.turn());
  const abi::CpuLaunch raw{.parameters = launch.parameters,
                           .grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                           .block = {launch.block.x, launch.block.y, launch.block.z},
                           .shared_bytes = launch.dynamic_shared_bytes,
                           .fault = &running.record()};
  LaunchKey key = function.watched == nullptr ? LaunchKey() : key_of(info, raw);
  const bool counts = info.watched.counts();
  if (counts && !key.empty()) key.push_back(device_.cost_outputs());  // which tells what is new to whom
  const bool is_watched = function.watched != nullptr && (key.empty() || !function.settled.contains(key)) &&
                          (!counts || device_.cost_output());
  const auto scratch_for = [&](const LaunchExpression& bytes) {
    return bytes.evaluate(launch.grid, launch.block).value_or(-1);
  };
  std::int64_t scratch = scratch_for(is_watched ? info.watched.scratch_bytes : info.scratch_bytes);
  if (is_watched && counts) scratch = std::max(scratch, scratch_for(info.scratch_bytes));  // some blocks are not
  if (scratch < 0 || scratch > kLargestScratch)
    return detail::invalid_launch(info, "a block would need " + std::to_string(scratch) + " bytes of scratch memory");
  // Dynamic shared memory begins 16-byte aligned behind the static part.
  const std::int64_t static_shared = round_up(info.static_shared_bytes, 16);
  const BlockRun run{.kernel = is_watched ? function.watched : function.entry,
                     .launch = &raw,
                     .blocks = launch.blocks,
                     .shared_bytes = static_shared + launch.dynamic_shared_bytes,
                     .scratch_bytes = scratch};
  if (info.is_cooperative && launch.blocks > kMostCooperativeBlocks)
    return detail::too_many_cooperative_blocks(info, launch.blocks, kMostCooperativeBlocks);
  Result<void> done = running.begin(cancellations, launch.timeout);
  if (done && !running.is_to_stop())
    done = !is_watched ? run_blocks(kernel, run) : counts ? run_counted(kernel, run) : run_watched(kernel, run);
  const RunningLaunch::Stop stop = running.end(cancellations, launch.timeout);
  if (!done) {
    done.error().message = "kernel `" + info.name + "`: " + done.error().message;
    return done;
  }
  if (is_watched && counts) {
    if (!key.empty() && function.settled.size() < kMostSettled) function.settled.insert(key);
  } else if (is_watched) {
    const bool is_whole = stop == RunningLaunch::Stop::None && running.record().ready == 0;
    if (is_whole) report_findings(kernel, raw, stream);
    if (is_whole && !key.empty() && device_.sanitizer().is_settled() && function.settled.size() < kMostSettled)
      function.settled.insert(key);
  }
  return ended(kernel, stop, launch, stream);
}

/// In the device's turn. Notes alone are no reason to fail.
void Module::report_findings(std::size_t kernel, const abi::CpuLaunch& launch, const detail::StreamState& stream) {
  std::vector<Diagnostic> diagnostics = describe(device_.sanitizer(), kernels[kernel], launch);
  const auto first = std::ranges::find(diagnostics, Severity::Error, &Diagnostic::severity);
  if (first == diagnostics.end()) return;
  const auto more = std::ranges::count(diagnostics, Severity::Error, &Diagnostic::severity) - 1;
  std::string message = first->place.file + ":" + std::to_string(first->place.line) + ": " + first->message +
                        ", in kernel " + kernels[kernel].name;
  if (more > 0) message += " (and " + std::to_string(more) + " more that the sanitizer has found)";
  device_.faults().add(&stream, {ErrorCode::KernelFault, std::move(message), std::move(diagnostics)});
}

/// On one thread, so that the sanitizer sees one thing after the other. In the device's turn.
Result<void> Module::run_watched(std::size_t kernel, const BlockRun& run) try {
  const PrintsTo prints(device_.output());
  Sanitizer& sanitizer = device_.sanitizer();
  sanitizer.begin(kernels[kernel], *run.launch);
  const Watch watch(sanitizer);
  ThreadPool alone(1);
  Result<void> done = kernels[kernel].is_cooperative
                          ? run_cooperative(run, alone)
                          : device_.blocks().run_in_order(
                                run, [&](const void* shared) { sanitizer.set_shared_memory(shared, run.shared_bytes); },
                                [&](std::int64_t block) {
                                  return BlockPool::Piece{run.kernel, block + 1};
                                });
  sanitizer.end();
  return done;
} catch (...) {
  return error_in_flight();  // the launch has begun, and must end
}

/// On one thread, too. Of many blocks some are counted, the others run as they are.
Result<void> Module::run_counted(std::size_t kernel, const BlockRun& run) try {
  const PrintsTo prints(device_.output());
  CostCounter counter(kernels[kernel], *run.launch);
  {
    const Watch watch(counter);
    if (kernels[kernel].is_cooperative) {
      ThreadPool alone(1);
      RETURN_IF_FAILED(run_cooperative(run, alone));
    } else {
      const abi::CpuKernel plain = functions_[kernel].entry;
      const auto piece_at = [&](std::int64_t block) {
        const std::int64_t next = counter.next_to_count(block);
        return next == block ? BlockPool::Piece{run.kernel, block + 1} : BlockPool::Piece{plain, next};
      };
      RETURN_IF_FAILED(device_.blocks().run_in_order(
          run, [&](const void* shared) { counter.set_shared_memory(shared, run.shared_bytes); }, piece_at));
    }
  }
  if (counter.is_whole()) device_.cost_output()(counter.take());
  return {};
} catch (...) {
  return error_in_flight();  // the launch has begun, and must end
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

/// Where arrays lie is no part of it, nor are floats: what depends on these is watched each time. Empty where arrays
/// share memory, which another launch of that shape need not do.
LaunchKey Module::key_of(const KernelInfo& kernel, const abi::CpuLaunch& launch) {
  if (Objects(kernel, launch).overlap()) return {};
  LaunchKey key = {static_cast<std::uint64_t>(launch.shared_bytes)};
  for (const auto& shape : {launch.grid, launch.block})
    for (int axis = 0; axis < 3; ++axis) key.push_back(static_cast<std::uint64_t>(shape[axis]));
  int word = 0;
  const auto add = [&](std::int64_t bytes) {
    const auto* const from = static_cast<const char*>(launch.parameters[word++]);
    for (std::int64_t i = 0; i < bytes; i += 8) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, from + i, static_cast<std::size_t>(std::min<std::int64_t>(8, bytes - i)));
      key.push_back(bits);
    }
  };
  for (const ParameterInfo& parameter : kernel.parameters) {
    const int axes = parameter.array.has_static_shape() ? 0 : parameter.array.rank();
    if (!parameter.is_array) {
      const bool is_number = !parameter.value.is_record() && is_float(parameter.value.scalar);
      is_number ? void(++word) : add(size_in_bytes(parameter.value));
      continue;
    }
    ++word;
    for (int i = 0; i < axes * (parameter.array.layout == Layout::Strided ? 2 : 1); ++i) add(8);
  }
  return key;
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
