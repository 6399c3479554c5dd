// What the CPU device keeps of its arrays and streams, so that watched kernels can be told what is wrong with them.
#pragma once

#include "runtime/cpu/sanitizer/freed.h"
#include "runtime/cpu/sanitizer/stream_order.h"
#include "runtime/cpu/sanitizer/unwritten.h"

namespace pykc::cpu {

struct ArrayWatch {
  UnwrittenArrays unwritten;
  FreedArrays freed;
  StreamOrder streams;

  /// Kernels are loaded that look for it.
  void want(const Sanitize& what) {
    freed.want();
    if (what.uninitialised) unwritten.want();
    if (what.races) streams.want();
  }
  void allocated(const void* memory, std::int64_t bytes) {
    unwritten.add(memory, bytes);
    freed.remove(memory);
    streams.forget(memory, bytes);
  }
};

}  // namespace pykc::cpu
