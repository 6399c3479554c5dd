#include "runtime/cpu/module.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>

#include "base/errors.h"
#include "runtime/constants.h"
#include "runtime/cpu/block_order.h"
#include "runtime/cpu/block_pool.h"
#include "runtime/cpu/cache.h"
#include "runtime/cpu/cooperative.h"
#include "runtime/cpu/costs/cost_counter.h"
#include "runtime/cpu/crash_message.h"
#include "runtime/cpu/elf_object.h"
#include "runtime/cpu/host_functions.h"
#include "runtime/cpu/sanitizer/known_launches.h"
#include "runtime/cpu/sanitizer/report.h"

namespace pykc::cpu {
namespace {

constexpr std::int64_t kLargestScratch = std::int64_t{1} << 40;

/// Launches that are expected to be shorter do not tell of crashes: what prepares for it would show in their time.
constexpr std::int64_t kWorthACrashMessage = 20'000;  // nanoseconds

struct Function {
  abi::CpuKernel entry = nullptr;
  abi::CpuKernel watched = nullptr;  // null where the kernel has none
  KnownLaunches known;               // of the watched one
  BlockTime time;
  BlockTime time_of_all;  // while crashes are told
};

constexpr std::int64_t kFewBlocks = 256;  // what so many touch fits into the cache

/// Whether a launch is to write past the cache: nobody will find there what it has written, and it writes whole lines.
/// Blocks that wait for one another may read it at once.
bool is_to_stream(const KernelInfo& kernel, const detail::PreparedLaunch& launch, int threads) {
  return launch.blocks > kFewBlocks && !kernel.is_cooperative &&
         touched_bytes(kernel, launch) > static_cast<double>(cache_bytes(threads)) &&
         writes_along_lines(kernel, launch);
}

/// What is done about a launch beside running it.
struct Watching {
  Objects arrays;  // none where nobody looks at them
  LaunchKind kind;
  bool is_watched = false;
  bool is_counted = false;           // instead of being looked at for faults
  std::shared_ptr<StreamWork> work;  // where launches on other streams are told of it
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
  Watching watching_of(std::size_t kernel, const abi::CpuLaunch& launch, const Stream& stream);
  void end_watching(std::size_t kernel, const Watching& watching, const abi::CpuLaunch& launch, const Stream& stream,
                    bool is_whole);
  Result<void> run_watched(std::size_t kernel, const BlockRun& run, StreamWork* work);
  Result<void> run_counted(std::size_t kernel, const BlockRun& run);
  Result<void> run_blocks(std::size_t kernel, const BlockRun& run);
  void report_findings(std::size_t kernel, const abi::CpuLaunch& launch, const Stream& stream,
                       const std::shared_ptr<StreamWork>& work);
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
    if (!kernels[i].watched.counts()) device_.watch().want(kernels[i].watched.looks_for);
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
                           .fault = &running.record(),
                           .streams = is_to_stream(info, launch, device_.blocks().threads().size())};
  const Watching watching = watching_of(kernel, raw, on);
  const auto scratch_for = [&](const LaunchExpression& bytes) {
    return bytes.evaluate(launch.grid, launch.block).value_or(-1);
  };
  std::int64_t scratch = scratch_for(watching.is_watched ? info.watched.scratch_bytes : info.scratch_bytes);
  if (watching.is_watched) scratch = std::max(scratch, scratch_for(info.scratch_bytes));  // some blocks are not
  if (scratch < 0 || scratch > kLargestScratch)
    return detail::invalid_launch(info, "a block would need " + std::to_string(scratch) + " bytes of scratch memory");
  // Dynamic shared memory begins 16-byte aligned behind the static part.
  const std::int64_t static_shared = round_up(info.static_shared_bytes, 16);
  const Dim3 cluster = info.runs_warps_apart ? info.cluster : Dim3{};
  const BlockRun run{.kernel = watching.is_watched ? function.watched : function.entry,
                     .launch = &raw,
                     .blocks = launch.blocks / (cluster.x * cluster.y * cluster.z),
                     .shared_bytes = round_up(static_shared + launch.dynamic_shared_bytes, info.shared_alignment),
                     .scratch_bytes = scratch,
                     .runs_warps_apart = info.runs_warps_apart,
                     .cluster = cluster};
  if (info.is_cooperative && launch.blocks > kMostCooperativeBlocks)
    return detail::too_many_cooperative_blocks(info, launch.blocks, kMostCooperativeBlocks);
  Result<void> done = running.begin(cancellations, launch.timeout);
  if (done && !running.is_to_stop())
    done = watching.is_counted   ? run_counted(kernel, run)
           : watching.is_watched ? run_watched(kernel, run, watching.work.get())
                                 : run_blocks(kernel, run);
  const RunningLaunch::Stop stop = running.end(cancellations, launch.timeout);
  if (!done) {
    done.error().message = "kernel `" + info.name + "`: " + done.error().message;
    return done;
  }
  end_watching(kernel, watching, raw, on, stop == RunningLaunch::Stop::None && running.record().ready == 0);
  return ended(kernel, stop, launch, stream);
}

/// Whether a launch is watched, and what it writes where it is not. In the device's turn.
Watching Module::watching_of(std::size_t kernel, const abi::CpuLaunch& launch, const Stream& stream) {
  const KernelInfo& info = kernels[kernel];
  const Function& function = functions_[kernel];
  ArrayWatch& watch = device_.watch();
  watch.streams.enter(stream.number());
  Watching watching;
  if (function.watched == nullptr && !watch.unwritten.any()) return watching;
  if (function.watched == nullptr && !watch.unwritten.is_wanted()) {
    write_wholly(info, launch, watch.unwritten);
    return watching;
  }
  watching.arrays = Objects(info, launch);
  watching.arrays.look_up(watch);
  if (function.watched == nullptr) {
    write_all(watching.arrays);
    return watching;
  }
  watching.kind = kind_of(info, watching.arrays, launch);
  if (info.watched.counts()) {
    write_all(watching.arrays);
    if (!watching.kind.empty()) watching.kind.push_back(device_.cost_outputs());  // which tells what is new to whom
    const bool is_known = !watching.kind.empty() && function.known.contain(watching.kind, Objects());
    watching.is_watched = watching.is_counted = device_.cost_output() && !is_known;
    return watching;
  }
  const bool is_told_of = info.watched.looks_for.races && stream.number() != StreamOrder::kDefaultStream;
  const bool is_new = watching.arrays.has_freed() || (is_told_of && watch.streams.has_several());
  watching.is_watched = is_new || watching.kind.empty() || !function.known.contain(watching.kind, watching.arrays);
  if (!watching.is_watched) function.known.write(watching.kind, watching.arrays);
  if (watching.is_watched && is_told_of) watching.work = std::make_shared<StreamWork>();
  return watching;
}

/// `is_whole`: nothing has stopped it. In the device's turn.
void Module::end_watching(std::size_t kernel, const Watching& watching, const abi::CpuLaunch& launch,
                          const Stream& stream, bool is_whole) {
  KnownLaunches& known = functions_[kernel].known;
  if (watching.is_counted) {
    if (!watching.kind.empty()) known.add(watching.kind, Objects(), {});
  } else if (watching.is_watched && is_whole) {
    report_findings(kernel, launch, stream, watching.work);
    if (!watching.kind.empty() && device_.sanitizer().is_settled())
      known.add(watching.kind, watching.arrays, device_.sanitizer().objects().filled());
  }
}

/// In the device's turn. Notes alone are no reason to fail.
void Module::report_findings(std::size_t kernel, const abi::CpuLaunch& launch, const Stream& stream,
                             const std::shared_ptr<StreamWork>& work) {
  std::vector<Diagnostic> diagnostics = describe(device_.sanitizer(), kernels[kernel], launch);
  if (work != nullptr) {
    work->arrays = device_.sanitizer().objects();
    std::ranges::move(describe(device_.watch().streams.finish(stream.number(), work)), std::back_inserter(diagnostics));
  }
  if (std::ranges::find(diagnostics, Severity::Error, &Diagnostic::severity) == diagnostics.end()) return;
  if (device_.seed())
    for (Diagnostic& diagnostic : diagnostics)
      diagnostic.notes.push_back("the blocks ran in the order of seed " + std::to_string(*device_.seed()));
  device_.faults().add(&stream, error_of(std::move(diagnostics), ", in kernel " + kernels[kernel].name));
}

/// On one thread, so that the sanitizer sees one thing after the other. Blocks come first that go ways of their own;
/// the others need not be watched where that shows nothing. In the device's turn.
Result<void> Module::run_watched(std::size_t kernel, const BlockRun& run, StreamWork* work) try {
  const PrintsTo prints(device_.output());
  Sanitizer& sanitizer = device_.sanitizer();
  sanitizer.begin(kernels[kernel], *run.launch, run.blocks, work);
  bool leaves_others = false;
  Result<void> done;
  {
    const Watch watch(sanitizer);
    ThreadPool alone(1);
    const auto piece_at = [&, order = BlockOrder(run.blocks, device_.seed())](std::int64_t) mutable {
      const auto one = [&](std::int64_t block) { return BlockPool::Piece{run.kernel, block, block + 1}; };
      if (const std::optional<std::int64_t> block = sanitizer.alike().next()) return one(*block);
      leaves_others = leaves_others || sanitizer.may_leave_others();
      if (leaves_others) return BlockPool::Piece{run.kernel, 0, 0};
      sanitizer.alike().give_up();
      std::int64_t block = order.next();
      while (sanitizer.alike().was_watched(block)) block = order.next();
      return one(block);
    };
    done = kernels[kernel].is_cooperative
               ? run_cooperative(run, alone)
               : device_.blocks().run_in_order(
                     run, [&](const void* shared) { sanitizer.set_shared_memory(shared, run.shared_bytes); }, piece_at);
    sanitizer.end();
  }
  if (!leaves_others) return done;
  for (const auto& [first, end] : sanitizer.alike().others()) {
    if (!done) break;
    done = run_blocks(kernel, {.kernel = functions_[kernel].entry,
                               .launch = run.launch,
                               .blocks = end,
                               .shared_bytes = run.shared_bytes,
                               .scratch_bytes = run.scratch_bytes,
                               .first = first});
  }
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
        return next == block ? BlockPool::Piece{run.kernel, block, block + 1} : BlockPool::Piece{plain, block, next};
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
  if (!device_.tells_crashes() || function.time_of_all.nanoseconds_for(run.blocks - run.first) < kWorthACrashMessage)
    return run_it();
  const CrashMessage message(kernels[kernel].name, object_);
  const auto start = std::chrono::steady_clock::now();
  Result<void> done = run_it();
  function.time_of_all.measured(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count(),
                                run.blocks - run.first);
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
  if (stop == RunningLaunch::Stop::Endless)
    device_.faults().add(&stream,
                         Error{ErrorCode::KernelFault, "kernel `" + kernels[kernel].name + "` waits for ever" +
                                                           place_of(record) + ": no warp of the block goes on"});
  else if (record.ready != 0)
    device_.faults().add(&stream, detail::fault_error(record, kernels));
  return {};
}

/// " at file.pyk:7", where a launch that was stopped has said it.
std::string Module::place_of(const abi::FaultRecord& record) const {
  if (record.ready == 0) return "";
  if (record.site < 0) return std::string(" at ") + reinterpret_cast<const char*>(record.values[0]);
  const auto kernel = static_cast<std::size_t>(record.kernel), site = static_cast<std::size_t>(record.site);
  if (kernel >= kernels.size() || site >= kernels[kernel].faults.size()) return "";
  const FaultSite& at = kernels[kernel].faults[site];
  return " at " + at.file + (at.line == 0 ? "" : ":" + std::to_string(at.line));  // a thread that others stop has none
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
