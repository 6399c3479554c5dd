// Streams and their captures, graphs, events.
#include <algorithm>
#include <utility>

#include "tests/mock_cuda/state.h"

namespace fake {
namespace {

/// The capture is over, and nothing came of it.
void abandon(CUgraph_st* captured) {
  for (const auto& [stream, seen] : captured->streams)
    if (state().objects.contains(stream)) stream->capture = nullptr;
  destroy(captured);
}

}  // namespace

CUresult run(CUstream stream, std::function<void()> work) {
  if (stream == nullptr || stream->capture == nullptr) {
    work();
    return CUDA_SUCCESS;
  }
  stream->capture->work.push_back(std::move(work));
  ++stream->capture->streams[stream][stream];
  return CUDA_SUCCESS;
}

CUresult check_unsafe() {
  return captures_of_thread > 0 && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED
             ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
             : CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  if (current == nullptr) return kInvalidContext;
  *stream = make<CUstream_st>();
  (*stream)->context = current;
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream stream) {
  if (stream->capture != nullptr && stream->capture->origin == stream) abandon(stream->capture);
  return destroy(stream);
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  if (!state().objects.contains(stream)) return kInvalidValue;
  *context = stream->context;
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  if (current == nullptr) return kInvalidContext;
  return stream == nullptr || state().objects.contains(stream) ? CUDA_SUCCESS : kInvalidValue;
}
CUresult cuStreamQuery(CUstream stream) { return cuStreamSynchronize(stream); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  if (!state().objects.contains(event)) return kInvalidValue;
  const bool is_capturing = stream != nullptr && stream->capture != nullptr;
  if (event->capture == nullptr) return is_capturing ? kCaptureIsolation : CUDA_SUCCESS;
  if (stream == nullptr || !state().objects.contains(event->capture)) return kInvalidValue;
  if (stream->capture != nullptr && stream->capture != event->capture) return kCaptureMerge;
  stream->capture = event->capture;
  Progress& seen = event->capture->streams[stream];
  for (const auto& [other, count] : event->point) seen[other] = std::max(seen[other], count);
  return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  if (stream == nullptr || stream->capture != nullptr) return kInvalidValue;
  stream->capture = make<CUgraph_st>();
  stream->capture->streams[stream] = {};
  stream->capture->origin = stream;
  ++captures_of_thread;
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  CUgraph_st* const captured = stream->capture;
  if (captured == nullptr) return kInvalidValue;
  --captures_of_thread;
  Progress& seen = captured->streams[stream];
  bool is_joined = true;
  for (auto& [other, own] : captured->streams) {
    is_joined &= seen[other] == own[other];
    if (state().objects.contains(other)) other->capture = nullptr;
  }
  *graph = captured;
  if (is_joined) return CUDA_SUCCESS;
  destroy(std::exchange(*graph, nullptr));
  return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return CUDA_SUCCESS;
}
/// Graphs of as many pieces of work count as alike.
CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode*, int*) {
  if (!state().objects.contains(executable) || !state().objects.contains(graph)) return kInvalidValue;
  if (executable->work.size() != graph->work.size()) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  executable->work = graph->work;
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  *executable = make<CUgraphExec_st>();
  (*executable)->work = graph->work;
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  for (const auto& work : executable->work) run(stream, work);
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec executable) { return destroy(executable); }
CUresult cuGraphDestroy(CUgraph graph) { return destroy(graph); }
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  if (current == nullptr) return kInvalidContext;
  return run(stream, [=] { function(data); });
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = make<CUevent_st>();
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) { return destroy(event); }
CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (!state().objects.contains(event)) return kInvalidValue;
  event->capture = stream == nullptr ? nullptr : stream->capture;
  if (event->capture != nullptr) event->point = event->capture->streams[stream];
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent event) { return state().objects.contains(event) ? CUDA_SUCCESS : kInvalidValue; }
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  *milliseconds = 1.5F;
  return CUDA_SUCCESS;
}

}  // namespace fake
