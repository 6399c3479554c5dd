// Which modules may hold a fault that no waiting call has seen yet.
//
// A kernel that can fault leaves its first fault in its module's global `pykc_fault` (abi::FaultRecord). Nobody looks
// there until the host waits for the kernel anyway: each launch of such a kernel notes (module, stream) here and takes
// a number, and a call that has waited for everything up to some number reads the records of the modules that were
// noted. A note goes away only when its last launch was waited for, so a launch that another thread makes during the
// wait is not forgotten.
//
// To read a record is to wait for a copy of it, so that nobody does it in vain: a kernel that has filled it also sets
// its module's signal, a word of the host's memory.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/cuda/driver.h"
#include "runtime/fault.h"

namespace pykc::cuda {

/// Where a module keeps its record, and what its numbers mean.
struct FaultSource {
  CUdeviceptr record = 0;  // 0: the module cannot fault
  const std::vector<KernelInfo>* kernels = nullptr;
  std::int32_t* signal = nullptr;  // not 0 once the record is filled; null: only the record tells
};

class PendingFaults {
 public:
  PendingFaults(const Driver& driver, CUcontext context) : driver_(driver), context_(context) {}
  ~PendingFaults();

  /// Gives the module that was just loaded a signal, where the driver has memory for it. The context is current, and
  /// the thread outside of captures.
  Result<void> add(FaultSource& source);
  /// To be called after the launch.
  void note_launch(const FaultSource& source, const detail::StreamState* stream);
  /// The number of the latest launch so far; to be asked before waiting.
  std::uint64_t latest();
  /// The caller has waited for all launches of `stream` (null: of all streams) up to `number`: reports the first fault.
  Result<void> report(const detail::StreamState* stream, std::uint64_t number);

  /// The module or stream is about to go: waits if it has to, and keeps its fault for the next waiting call. The
  /// module's signal may be another's then.
  void retire(const FaultSource& source);
  void retire(const detail::StreamState* stream);

 private:
  struct Note {
    const FaultSource* source;
    const detail::StreamState* stream;
    std::uint64_t number;  // of the last launch
  };
  Result<void> read(const FaultSource& source, const detail::StreamState* stream);
  Result<void> copy_record(CUdeviceptr record, abi::FaultRecord& copy);
  Result<CUstream> stream();
  void allocate_signals();
  template <typename Matches>
  void retire_matching(Matches matches);

  const Driver& driver_;
  const CUcontext context_;
  std::mutex mutex_;
  CUstream stream_ = nullptr;  // for reading records beside running kernels
  std::uint64_t launches_ = 0;
  std::vector<Note> notes_;
  std::vector<void*> signals_;               // blocks of pinned memory
  std::vector<std::int32_t*> free_signals_;  // of them, all 0
  detail::FaultLog log_;
};

}  // namespace pykc::cuda
