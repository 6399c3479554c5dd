#include "runtime/cpu/device.h"

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/errors.h"
#include "runtime/cpu/host_functions.h"
#include "runtime/cpu/module.h"
#include "runtime/cpu/sanitizer/report.h"

namespace pykc::cpu {
namespace {

class Event final : public detail::EventState {
 public:
  Event(std::shared_ptr<detail::DeviceState> owner, const detail::StreamState& stream)
      : EventState(std::move(owner), stream.shared_graph()), stream_(&stream), time_(std::chrono::steady_clock::now()) {
    if (captured_in)
      point_ = static_cast<Graph&>(*captured_in).progress(stream);
    else
      done_ = order().at(static_cast<const Stream&>(stream).number());
  }
  Result<void> synchronize() override {
    order().wait_on_host(done_);
    return static_cast<Device&>(*device).finish(stream_);
  }
  Result<double> milliseconds_since(detail::EventState& earlier) override {
    return std::chrono::duration<double, std::milli>(time_ - static_cast<Event&>(earlier).time_).count();
  }

  const Graph::Progress& point() const { return point_; }
  const StreamTimes& done() const { return done_; }

 private:
  StreamOrder& order() const { return static_cast<Device&>(*device).watch().streams; }

  const detail::StreamState* const stream_;  // only compared: the stream may be gone
  const std::chrono::steady_clock::time_point time_;
  Graph::Progress point_;  // in the capture
  StreamTimes done_;       // in front of it
};

constexpr std::int64_t kLargestElement = 16;  // of what elements are aligned to

bool guards_arrays() {
  static const bool is_on = [] {
    const char* const setting = std::getenv("PYKC_GUARD_ARRAYS");
    return setting != nullptr && std::string_view(setting) == "on";
  }();
  return is_on;
}

constexpr std::int64_t kHugePage = std::int64_t{1} << 21;

bool is_large(std::int64_t bytes) { return bytes >= 2 * kHugePage; }

/// Memory of large arrays goes in pages of 2 MiB where the system grants them: one entry of the processor's table of
/// pages does for 512, and as many faults are one. Each array begins at another place in its page. Else the same index
/// of several arrays would be at the same place of physical pages, too, and those that go through them side by side
/// would meet in one bank of the memory: on a Xeon, a stencil took half as long again.
void* allocate_large(std::int64_t bytes) {
  constexpr std::uint32_t kPlaces = 16;
  constexpr std::int64_t kPlace = 17 * kMemoryAlignment;  // a step of whole pages would keep the last bits the same
  static std::atomic<std::uint32_t> arrays = 0;
  const std::int64_t place = kPlace * (arrays.fetch_add(1, std::memory_order_relaxed) % kPlaces);
  const auto size = static_cast<std::size_t>(round_up(place + bytes, kHugePage));
  char* const memory = static_cast<char*>(std::aligned_alloc(kHugePage, size));
  if (memory == nullptr) return nullptr;
  madvise(memory, static_cast<std::size_t>(round_up(bytes, kHugePage)), MADV_HUGEPAGE);
  return memory + place;
}

void free_large(void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  std::free(static_cast<char*>(memory) - address % kHugePage);
}

}  // namespace

Result<std::shared_ptr<detail::DeviceState>> open_device() {
  return std::shared_ptr<detail::DeviceState>(std::make_shared<Device>());
}

std::int64_t size_step() { return guards_arrays() ? kLargestElement : kMemoryAlignment; }

Result<void*> allocate_host(std::int64_t bytes) {
  const std::int64_t step = size_step();
  void* memory = nullptr;
  if (guards_arrays())
    memory = allocate_guarded(bytes, step);
  else if (bytes <= memory_bytes())
    memory = is_large(bytes)
                 ? allocate_large(bytes)
                 : std::aligned_alloc(static_cast<std::size_t>(step), static_cast<std::size_t>(round_up(bytes, step)));
  if (memory != nullptr) return memory;
  return Error{ErrorCode::OutOfMemory, "the host has no room for " + std::to_string(bytes) + " bytes: it has " +
                                           std::to_string(memory_bytes()) + " bytes of memory in all"};
}

void free_host(void* memory, std::int64_t bytes) {
  if (guards_arrays())
    free_guarded(static_cast<char*>(memory), bytes, size_step());
  else if (is_large(bytes))
    free_large(memory);
  else
    std::free(memory);
}

Stream::Stream(detail::DeviceState& on, std::shared_ptr<detail::DeviceState> owner)
    : StreamState(on),
      owner_(std::move(owner)),
      number_(owner_ == nullptr ? StreamOrder::kDefaultStream : static_cast<Device&>(on).watch().streams.add_stream()) {
}

Stream::~Stream() {
  if (owner_ != nullptr) static_cast<Device&>(device).watch().streams.remove_stream();
  if (graph() != nullptr && graph()->origin == this) graph()->close();
}

Result<void> Stream::synchronize() {
  auto& on = static_cast<Device&>(device);
  on.watch().streams.wait_on_host(number_);
  return on.finish(this);
}

Result<std::shared_ptr<detail::EventState>> Stream::record() {
  return std::shared_ptr<detail::EventState>(std::make_shared<Event>(device.shared_from_this(), *this));
}

/// A stream of this device runs its work at once, so without a capture that of the event is done.
Result<void> Stream::wait(detail::EventState& event) {
  if (!event.captured_in) {
    static_cast<Device&>(device).watch().streams.wait(number_, static_cast<Event&>(event).done());
    return {};
  }
  if (!is_capturing()) join_capture(event.captured_in);
  static_cast<Graph&>(*event.captured_in).wait(*this, static_cast<Event&>(event).point());
  return {};
}

Result<void> Stream::call(std::function<void()> function) {
  if (!capture([function](detail::StreamState& on) { return on.call(function); })) function();
  return {};
}

Result<void> Stream::begin_capture() {
  const auto graph = std::make_shared<Graph>(device.shared_from_this());
  graph->origin = this;
  (void)graph->progress(*this);  // the first
  join_capture(graph);
  return {};
}

Result<std::shared_ptr<detail::GraphState>> Stream::end_capture() {
  const std::shared_ptr<detail::GraphState> captured = shared_graph();
  auto& graph = static_cast<Graph&>(*captured);
  graph.close();
  if (!graph.is_joined()) return detail::GraphState::unjoined();
  graph.finish();
  return captured;
}

namespace {

/// Whether the work goes to a graph, for now.
template <typename Work>
bool capture(const detail::StreamState* stream, const Work& work) {
  return stream != nullptr && static_cast<const Stream*>(stream)->capture(work);
}

}  // namespace

Device::Device() : sanitizer_(watch_), pool_(watch_), default_stream_(*this, nullptr) { info = device_info(); }

Result<std::shared_ptr<detail::ModuleState>> Device::load(const Artifact& artifact) {
  return load_module(std::static_pointer_cast<Device>(shared_from_this()), artifact);
}

Result<std::shared_ptr<void>> Device::allocate(std::int64_t bytes) {
  Result<std::shared_ptr<void>> memory = allocate_pinned(bytes);
  if (!memory) return memory;
  void* const address = memory->get();
  watch_.allocated(address, bytes);
  return std::shared_ptr<void>(address, [device = std::static_pointer_cast<Device>(shared_from_this()),
                                         memory = std::move(*memory), bytes](void* freed) mutable {
    device->watch_.unwritten.remove(freed);
    device->watch_.freed.keep(std::move(memory), bytes);
  });
}

Result<void> Device::copy_from_host(const detail::StridedCopy& copy, detail::StreamState* stream) {
  if (capture(stream, [this, copy](detail::StreamState& on) { return copy_from_host(copy, &on); })) return {};
  {
    const std::lock_guard turn(turn_);
    copy_on_host(copy);
    watch_.unwritten.copied(copy);
    note_work(copy, true, stream);
  }
  // A copy that is work of a stream does not wait, so it reports nothing.
  return stream == nullptr ? finish(nullptr) : Result<void>();
}

Result<void> Device::copy_to_host(const detail::StridedCopy& copy, detail::StreamState* stream) {
  return copy_from_host(copy, stream);
}

Result<void> Device::copy_within(const detail::StridedCopy& copy, detail::StreamState* stream) {
  return copy_from_host(copy, stream);
}

Result<void> Device::fill(const detail::StridedCopy& rows, detail::FillPattern pattern, detail::StreamState* stream) {
  if (capture(stream, [this, rows, pattern](detail::StreamState& on) { return fill(rows, pattern, &on); })) return {};
  {
    const std::lock_guard turn(turn_);
    fill_on_host(rows, pattern);
    watch_.unwritten.filled(rows);
    note_work(rows, false, stream);
  }
  return stream == nullptr ? finish(nullptr) : Result<void>();
}

/// A copy or a fill, of which the host waits for those on no stream.
void Device::note_work(const detail::StridedCopy& copy, bool reads, const detail::StreamState* stream) {
  StreamOrder& order = watch_.streams;
  if (!order.is_active()) return;
  const std::uint64_t number =
      stream == nullptr ? StreamOrder::kDefaultStream : static_cast<const Stream*>(stream)->number();
  order.enter(number);
  if (stream == nullptr) return order.wait_for_all();
  std::vector<Diagnostic> found = describe(order.finish(number, work_of(copy, reads)));
  if (!found.empty()) faults_.add(stream, error_of(std::move(found), ""));
}

void Device::note_written(void* memory, std::int64_t bytes) {
  const std::lock_guard turn(turn_);
  watch_.unwritten.write(memory, bytes);
}

void Device::note_shown(void* memory) { watch_.unwritten.write_all(memory); }

void Device::note_unwritten(void* memory, std::int64_t bytes) { watch_.unwritten.add(memory, bytes); }

Result<std::shared_ptr<void>> Device::allocate_pinned(std::int64_t bytes) {
  if (bytes == 0) return std::shared_ptr<void>();
  ASSIGN_OR_RETURN(void* const memory, allocate_host(bytes));
  return std::shared_ptr<void>(memory, [bytes](void* allocated) { free_host(allocated, bytes); });
}

Result<detail::UnifiedMemory> Device::allocate_unified(detail::UnifiedKind, std::int64_t bytes) {
  ASSIGN_OR_RETURN(std::shared_ptr<void> memory, allocate_pinned(bytes));
  return detail::UnifiedMemory{memory, memory.get(), memory.get()};
}

Result<std::shared_ptr<detail::StreamState>> Device::create_stream() {
  return std::shared_ptr<detail::StreamState>(std::make_shared<Stream>(*this, shared_from_this()));
}

Result<void> Device::set_output(Output output) {
  const std::lock_guard turn(turn_);
  output_ = std::move(output);
  return {};
}

Result<void> Device::set_cost_output(CostOutput output) {
  const std::lock_guard turn(turn_);
  cost_output_ = std::move(output);
  ++cost_outputs_;
  return {};
}

void Device::set_crash_messages(bool on) {
  const std::lock_guard turn(turn_);
  tells_crashes_ = on;
}

void Device::set_block_order(std::optional<std::uint64_t> seed) {
  const std::lock_guard turn(turn_);
  seed_ = seed;
}

Result<void> Device::finish(const detail::StreamState* stream) {
  flush_prints();
  return faults_.take(stream);
}

}  // namespace pykc::cpu
