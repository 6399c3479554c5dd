#include "runtime/cuda/pending_faults.h"

#include <atomic>
#include <cstddef>
#include <cstring>

#include "base/errors.h"

namespace pykc::cuda {
namespace {

constexpr std::size_t kBytesOfSignals = 4096;  // a page, which the driver takes at least

}  // namespace

PendingFaults::~PendingFaults() {
  if (stream_ == nullptr && signals_.empty()) return;
  const ContextScope scope(driver_, context_);
  if (stream_ != nullptr) driver_.cuStreamDestroy(stream_);
  for (void* const block : signals_) driver_.cuMemFreeHost(block);
}

Result<void> PendingFaults::add(FaultSource& source) {
  const std::lock_guard lock(mutex_);
  if (free_signals_.empty()) allocate_signals();
  if (free_signals_.empty()) return {};
  CUdeviceptr address = 0;
  const CUresult mapped = driver_.cuMemHostGetDevicePointer(&address, free_signals_.back(), 0);
  RETURN_IF_FAILED(driver_.check("cuMemHostGetDevicePointer", mapped));
  ASSIGN_OR_RETURN(const CUstream on, stream());
  const CUresult copied = driver_.cuMemcpyHtoDAsync(source.record + offsetof(abi::FaultRecord, signal), &address,
                                                    sizeof(abi::FaultRecord::signal), on);
  RETURN_IF_FAILED(driver_.check("cuMemcpyHtoDAsync", copied));
  // Else a kernel of another stream could fault before.
  RETURN_IF_FAILED(driver_.check("cuStreamSynchronize", driver_.cuStreamSynchronize(on)));
  source.signal = free_signals_.back();
  free_signals_.pop_back();
  return {};
}

/// Drivers that have no such memory go on without.
void PendingFaults::allocate_signals() {
  void* block = nullptr;
  if (driver_.cuMemHostAlloc(&block, kBytesOfSignals, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS) return;
  signals_.push_back(block);
  std::memset(block, 0, kBytesOfSignals);
  auto* const words = static_cast<std::int32_t*>(block);
  for (std::size_t i = 0; i < kBytesOfSignals / sizeof(*words); ++i) free_signals_.push_back(words + i);
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
  if (source.signal == nullptr) return;
  const std::lock_guard lock(mutex_);
  *source.signal = 0;
  free_signals_.push_back(source.signal);
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
  if (source.signal != nullptr && std::atomic_ref(*source.signal) == 0) return {};
  abi::FaultRecord record{};
  RETURN_IF_FAILED(copy_record(source.record, record));
  // Claimed but not ready: a kernel that nobody has waited for yet is writing it.
  if (record.ready == 0) return {};
  log_.add(stream, detail::fault_error(record, *source.kernels));
  if (source.signal != nullptr) std::atomic_ref(*source.signal) = 0;  // before the next fault can set it
  const CUresult cleared = driver_.cuMemsetD8Async(source.record, 0, offsetof(abi::FaultRecord, signal), stream_);
  if (cleared != CUDA_SUCCESS && source.signal != nullptr) std::atomic_ref(*source.signal) = 1;  // as the record says
  RETURN_IF_FAILED(driver_.check("cuMemsetD8Async", cleared));
  return driver_.check("cuStreamSynchronize", driver_.cuStreamSynchronize(stream_));
}

Result<void> PendingFaults::copy_record(CUdeviceptr record, abi::FaultRecord& copy) {
  ASSIGN_OR_RETURN(const CUstream on, stream());
  const CUresult copied = driver_.cuMemcpyDtoHAsync(&copy, record, sizeof(copy), on);
  RETURN_IF_FAILED(driver_.check("cuMemcpyDtoHAsync", copied));
  return driver_.check("cuStreamSynchronize", driver_.cuStreamSynchronize(on));
}

Result<CUstream> PendingFaults::stream() {
  if (stream_ == nullptr) {
    const CUresult created = driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING);
    RETURN_IF_FAILED(driver_.check("cuStreamCreate", created));
  }
  return stream_;
}

}  // namespace pykc::cuda
