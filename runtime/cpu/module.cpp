#include "runtime/cpu/module.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
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
constexpr std::uintptr_t kLargestAlignment = 16;  // that an access asks for

struct Function {
  abi::CpuKernel entry = nullptr;
  abi::CpuKernel watched = nullptr;  // null where the kernel has none
  std::set<LaunchKey> settled;       // launches that need not be watched any more
  // Of a kind of launch that was watched: for each array, whether it writes all elements and reads none.
  std::map<LaunchKey, std::vector<bool>> fills;

  bool is_settled(const LaunchKey& kind, const Objects& arrays) const;
  void settle(const LaunchKey& kind, const Objects& arrays, const Sanitizer& sanitizer);

  BlockTime time;
  BlockTime time_of_all;  // while crashes are told
};

/// The same launch, with what is not written yet: what may be read of an array once may be read of it again, since
/// nothing that is written is taken back; but it says nothing of other arrays, unless the launch fills them.
LaunchKey with_unwritten(LaunchKey kind, const Objects& arrays, const std::vector<bool>& fills) {
  for (std::size_t i = 0; i < arrays.list().size(); ++i) {
    const Object& array = arrays.list()[i];
    if (array.unwritten == nullptr || (i < fills.size() && fills[i])) continue;
    for (const std::uint64_t word :
         {std::uint64_t{i}, array.unwritten->number(), std::uint64_t{array.begin - array.unwritten->begin()}})
      kind.push_back(word);
  }
  return kind;
}

bool Function::is_settled(const LaunchKey& kind, const Objects& arrays) const {
  const auto known = fills.find(kind);
  return known != fills.end() && settled.contains(with_unwritten(kind, arrays, known->second));
}

/// `arrays` are as they were before the launch.
void Function::settle(const LaunchKey& kind, const Objects& arrays, const Sanitizer& sanitizer) {
  if (settled.size() >= kMostSettled) settled.clear(), fills.clear();
  std::vector<bool>& all = fills[kind];
  const std::vector<bool> now = sanitizer.objects().filled();
  all.resize(now.size());
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i]) all[i] = true;
  settled.insert(with_unwritten(kind, arrays, all));
}

/// What a launch that nobody watches will have written: all that it fills, where it has been watched before (`fills`),
/// and else whatever it may write.
void write_unwatched(const Objects& arrays, const std::vector<bool>* fills) {
  for (std::size_t i = 0; i < arrays.list().size(); ++i) {
    const Object& array = arrays.list()[i];
    if (array.unwritten == nullptr || !array.is_written) continue;
    if (fills == nullptr || (i < fills->size() && (*fills)[i])) array.unwritten->write(array.begin, array.bytes());
  }
}

/// All blocks of a launch: by their numbers or, with a seed, in steps of a length that has no divisor in common with
/// how many they are, so that each comes once.
class BlockOrder {
 public:
  BlockOrder(std::int64_t blocks, std::optional<std::uint64_t> seed) : blocks_(blocks) {
    if (!seed) return;
    std::mt19937_64 random(*seed);
    const auto number = [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(blocks)); };
    next_ = number();
    for (step_ = number(); std::gcd(step_, blocks) != 1;) ++step_;
  }
  std::int64_t next() {
    const std::int64_t block = next_;
    next_ = (next_ + step_) % blocks_;
    return block;
  }

 private:
  const std::int64_t blocks_;
  std::int64_t next_ = 0, step_ = 1;
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
  static LaunchKey key_of(const KernelInfo& kernel, const Objects& arrays, const abi::CpuLaunch& launch);
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
                           .fault = &running.record()};
  ArrayWatch& watch = device_.watch();
  watch.streams.enter(on.number());
  Objects arrays;
  if (function.watched != nullptr || (watch.unwritten.any() && watch.unwritten.is_wanted())) {
    arrays = Objects(info, raw);
    arrays.look_up(watch);
  } else if (watch.unwritten.any()) {
    write_wholly(info, raw, watch.unwritten);
  }
  LaunchKey kind = function.watched == nullptr ? LaunchKey() : key_of(info, arrays, raw);
  const bool counts = info.watched.counts();
  if (counts && !kind.empty()) kind.push_back(device_.cost_outputs());  // which tells what is new to whom
  const bool is_told_of =                                               // to launches on other streams
      info.watched.looks_for.races && on.number() != StreamOrder::kDefaultStream;
  const bool is_new = arrays.has_freed() || (is_told_of && watch.streams.has_several());
  const bool is_settled =
      !kind.empty() && !is_new && (counts ? function.settled.contains(kind) : function.is_settled(kind, arrays));
  const bool is_watched = function.watched != nullptr && !is_settled && (!counts || device_.cost_output());
  if (!is_watched || counts)
    write_unwatched(arrays, function.watched == nullptr || counts ? nullptr : &function.fills[kind]);
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
  const auto work = is_watched && is_told_of ? std::make_shared<StreamWork>() : nullptr;
  Result<void> done = running.begin(cancellations, launch.timeout);
  if (done && !running.is_to_stop())
    done = !is_watched ? run_blocks(kernel, run)
           : counts    ? run_counted(kernel, run)
                       : run_watched(kernel, run, work.get());
  const RunningLaunch::Stop stop = running.end(cancellations, launch.timeout);
  if (!done) {
    done.error().message = "kernel `" + info.name + "`: " + done.error().message;
    return done;
  }
  if (is_watched && counts) {
    if (!kind.empty() && function.settled.size() < kMostSettled) function.settled.insert(kind);
  } else if (is_watched) {
    const bool is_whole = stop == RunningLaunch::Stop::None && running.record().ready == 0;
    if (is_whole) report_findings(kernel, raw, on, work);
    if (is_whole && !kind.empty() && device_.sanitizer().is_settled())
      function.settle(kind, arrays, device_.sanitizer());
  }
  return ended(kernel, stop, launch, stream);
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

/// On one thread, so that the sanitizer sees one thing after the other. In the device's turn.
Result<void> Module::run_watched(std::size_t kernel, const BlockRun& run, StreamWork* work) try {
  const PrintsTo prints(device_.output());
  Sanitizer& sanitizer = device_.sanitizer();
  sanitizer.begin(kernels[kernel], *run.launch, work);
  const Watch watch(sanitizer);
  ThreadPool alone(1);
  Result<void> done = kernels[kernel].is_cooperative
                          ? run_cooperative(run, alone)
                          : device_.blocks().run_in_order(
                                run, [&](const void* shared) { sanitizer.set_shared_memory(shared, run.shared_bytes); },
                                [&, order = BlockOrder(run.blocks, device_.seed())](std::int64_t) mutable {
                                  const std::int64_t block = order.next();
                                  return BlockPool::Piece{run.kernel, block, block + 1};
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
  if (!device_.tells_crashes() || function.time_of_all.nanoseconds_for(run.blocks) < kWorthACrashMessage)
    return run_it();
  const CrashMessage message(kernels[kernel].name, object_);
  const auto start = std::chrono::steady_clock::now();
  Result<void> done = run_it();
  function.time_of_all.measured(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count(), run.blocks);
  return done;
}

/// Where arrays lie is no part of it beyond what they are aligned to, nor are floats: what depends on these is watched
/// each time. Empty where arrays
/// share memory, which another launch of that shape need not do.
LaunchKey Module::key_of(const KernelInfo& kernel, const Objects& arrays, const abi::CpuLaunch& launch) {
  if (arrays.overlap()) return {};
  LaunchKey key = {static_cast<std::uint64_t>(launch.shared_bytes)};
  for (const auto& shape : {launch.grid, launch.block})
    for (int axis = 0; axis < 3; ++axis) key.push_back(static_cast<std::uint64_t>(shape[axis]));
  int word = 0;
  std::size_t array = 0;
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
    if (parameter.is_array) key.push_back(arrays.list()[array++].begin % kLargestAlignment);
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
