// Streams and events of a GPU.
#include <chrono>
#include <thread>

#include "base/errors.h"
#include "runtime/cuda/device.h"

namespace pykc::cuda {
namespace {

class Event final : public detail::EventState {
 public:
  /// `launches` is how many launches the event comes after.
  Event(std::shared_ptr<detail::DeviceState> owner, CUevent handle, const Stream& stream, std::uint64_t launches)
      : EventState(std::move(owner), stream.shared_graph()), handle_(handle), stream_(&stream), launches_(launches) {}
  ~Event() override {
    const ContextScope scope = on().enter();
    on().driver().cuEventDestroy(handle_);
  }

  Result<void> synchronize() override {
    const ContextScope scope = on().enter();
    const CUresult waited = on().driver().cuEventSynchronize(handle_);
    RETURN_IF_FAILED(on().check("cuEventSynchronize", waited));
    return on().faults().report(stream_, launches_);
  }

  Result<double> milliseconds_since(detail::EventState& earlier) override {
    const ContextScope scope = on().enter();
    float milliseconds = 0;
    const CUresult measured =
        on().driver().cuEventElapsedTime(&milliseconds, static_cast<Event&>(earlier).handle_, handle_);
    RETURN_IF_FAILED(on().check("cuEventElapsedTime", measured));
    return static_cast<double>(milliseconds);
  }

  CUevent handle() const { return handle_; }

 private:
  Device& on() const { return static_cast<Device&>(*device); }

  const CUevent handle_;
  const Stream* const stream_;  // only compared: the stream may be gone
  const std::uint64_t launches_;
};

constexpr CUresult kLastCaptureError = 908;  // of those that say what was wrong with a capture, and end it

}  // namespace

Stream::Stream(Device& on, CUstream handle, std::shared_ptr<detail::DeviceState> owner)
    : StreamState(on), device_(on), owner_(std::move(owner)), handle_(handle) {}

Stream::Stream(Device& on, CUstream handle, std::shared_ptr<detail::DeviceState> owner, std::shared_ptr<void> keeper)
    : StreamState(on),
      device_(on),
      owner_(std::move(owner)),
      keeper_(std::move(keeper)),
      handle_(handle),
      is_wrapped_(true) {}

Stream::~Stream() {
  if (handle_ == nullptr) return;
  const ContextScope scope = device_.enter();
  if (graph() != nullptr && graph()->origin == this) (void)end_capture();
  device_.faults().retire(this);
  if (!is_wrapped_) device_.driver().cuStreamDestroy(handle_);
}

Result<void> Stream::synchronize() {
  const ContextScope scope = device_.enter();
  const std::uint64_t latest = device_.faults().latest();
  const CUresult waited = device_.driver().cuStreamSynchronize(handle_);
  RETURN_IF_FAILED(device_.check("cuStreamSynchronize", waited));
  return device_.faults().report(this, latest);
}

Result<bool> Stream::wait_at_most(std::chrono::nanoseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const ContextScope scope = device_.enter();
  const Clock::time_point start = Clock::now();
  while (true) {
    const CUresult state = device_.driver().cuStreamQuery(handle_);
    if (state != CUDA_ERROR_NOT_READY) {
      RETURN_IF_FAILED(device_.check("cuStreamQuery", state));
      return true;
    }
    if (Clock::now() - start >= timeout) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

Result<std::shared_ptr<detail::EventState>> Stream::record() {
  const ContextScope scope = device_.enter();
  CUevent handle = nullptr;
  const CUresult created = device_.driver().cuEventCreate(&handle, CU_EVENT_DEFAULT);
  RETURN_IF_FAILED(device_.check("cuEventCreate", created));
  auto event = std::make_shared<Event>(device_.shared_from_this(), handle, *this, device_.faults().latest());
  RETURN_IF_FAILED(device_.check("cuEventRecord", device_.driver().cuEventRecord(handle, handle_)));
  return std::shared_ptr<detail::EventState>(std::move(event));
}

Result<void> Stream::wait(detail::EventState& event) {
  const ContextScope scope = device_.enter();
  const CUresult queued = device_.driver().cuStreamWaitEvent(handle_, static_cast<Event&>(event).handle(), 0);
  RETURN_IF_FAILED(device_.check("cuStreamWaitEvent", queued));
  if (event.captured_in && !is_capturing()) join_capture(event.captured_in);
  return {};
}

Result<void> Stream::call(std::function<void()> function) {
  using Function = std::function<void()>;
  const ContextScope scope = device_.enter();
  if (Graph* const graph = this->graph()) {
    const auto run = [](void* data) noexcept { (*static_cast<Function*>(data))(); };
    Function* const kept = graph->keep(std::move(function));
    return device_.check("cuLaunchHostFunc", device_.driver().cuLaunchHostFunc(handle_, run, kept));
  }
  auto held = std::make_unique<Function>(std::move(function));
  const auto run = [](void* data) noexcept { (*std::unique_ptr<Function>(static_cast<Function*>(data)))(); };
  if (Result<void> done =
          device_.check("cuLaunchHostFunc", device_.driver().cuLaunchHostFunc(handle_, run, held.get()));
      !done)
    return done;
  held.release();  // by the call
  return {};
}

Result<void> Stream::begin_capture() {
  const ContextScope scope = device_.enter();
  const CUresult begun = device_.driver().cuStreamBeginCapture(handle_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  RETURN_IF_FAILED(device_.check("cuStreamBeginCapture", begun));
  const auto graph = std::make_shared<Graph>(device_.shared_from_this());
  graph->origin = this;
  join_capture(graph);
  device_.count_capture(1);
  return {};
}

Result<std::shared_ptr<detail::GraphState>> Stream::end_capture() {
  const ContextScope scope = device_.enter();
  const std::shared_ptr<detail::GraphState> state = shared_graph();
  state->close();
  CUgraph captured = nullptr;
  const CUresult ended = device_.driver().cuStreamEndCapture(handle_, &captured);
  // After another failure the driver may go on capturing.
  if (ended == CUDA_SUCCESS || (ended >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && ended <= kLastCaptureError))
    device_.count_capture(-1);
  if (ended == CUDA_ERROR_STREAM_CAPTURE_UNJOINED) return detail::GraphState::unjoined();
  RETURN_IF_FAILED(device_.check("cuStreamEndCapture", ended));
  RETURN_IF_FAILED(static_cast<Graph&>(*state).instantiate(captured));
  return state;
}

}  // namespace pykc::cuda
