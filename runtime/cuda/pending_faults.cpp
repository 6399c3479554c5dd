#include "runtime/cuda/pending_faults.h"

#include "base/errors.h"

namespace pykc::cuda {

PendingFaults::~PendingFaults() {
  if (stream_ == nullptr) return;
  const ContextScope scope(driver_, context_);
  driver_.cuStreamDestroy(stream_);
}

void PendingFaults::note_launch(const FaultSource& source, const detail::StreamState* stream) {
  const std::lock_guard lock(mutex_);
  ++launches_;
  for (Note& note : notes_) {
    if (note.source != &source || note.stream != stream) continue;
    note.number = launches_;
    return;
  }
  notes_.push_back({&source, stream, launches_});
}

std::uint64_t PendingFaults::latest() {
  const std::lock_guard lock(mutex_);
  return launches_;
}

Result<void> PendingFaults::report(const detail::StreamState* stream, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  for (const Note& note : notes_) {
    if (stream != nullptr && note.stream != stream) continue;
    RETURN_IF_FAILED(read(*note.source, note.stream));
  }
  std::erase_if(
      notes_, [&](const Note& note) { return note.number <= number && (stream == nullptr || note.stream == stream); });
  return log_.take(stream);
}

void PendingFaults::retire(const FaultSource& source) {
  retire_matching([&](const Note& note) { return note.source == &source; });
}

void PendingFaults::retire(const detail::StreamState* stream) {
  retire_matching([&](const Note& note) { return note.stream == stream; });
}

template <typename Matches>
void PendingFaults::retire_matching(Matches matches) {
  const std::lock_guard lock(mutex_);
  bool waited = false;
  for (const Note& note : notes_) {
    if (!matches(note)) continue;
    if (!waited) driver_.cuCtxSynchronize();
    waited = true;
    // A driver that fails here has lost the context, which the next call reports.
    (void)read(*note.source, nullptr);
  }
  std::erase_if(notes_, matches);
}

Result<void> PendingFaults::read(const FaultSource& source, const detail::StreamState* stream) {
  abi::FaultRecord record{};
  RETURN_IF_FAILED(copy_record(source.record, record));
  // Claimed but not ready: a kernel that nobody has waited for yet is writing it.
  if (record.ready == 0) return {};
  log_.add(stream, detail::fault_error(record, *source.kernels));
  const CUresult cleared = driver_.cuMemsetD8Async(source.record, 0, sizeof(record), stream_);
  RETURN_IF_FAILED(driver_.check("cuMemsetD8Async", cleared));
  return driver_.check("cuStreamSynchronize", driver_.cuStreamSynchronize(stream_));
}

Result<void> PendingFaults::copy_record(CUdeviceptr record, abi::FaultRecord& copy) {
  if (stream_ == nullptr) {
    const CUresult created = driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING);
    RETURN_IF_FAILED(driver_.check("cuStreamCreate", created));
  }
  const CUresult copied = driver_.cuMemcpyDtoHAsync(&copy, record, sizeof(copy), stream_);
  RETURN_IF_FAILED(driver_.check("cuMemcpyDtoHAsync", copied));
  return driver_.check("cuStreamSynchronize", driver_.cuStreamSynchronize(stream_));
}

}  // namespace pykc::cuda
