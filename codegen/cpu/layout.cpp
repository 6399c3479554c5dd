#include "codegen/cpu/layout.h"

#include <algorithm>

namespace pykc::codegen {
namespace {

std::int64_t alignment_of(const ir::ArrayStorage& array) { return std::max(array.alignment, 16); }

}  // namespace

std::int64_t size_of(const ir::ArrayStorage& array) {
  return round_up(array.count * size_in_bytes(array.element), alignment_of(array));
}

bool is_per_thread(const ir::Function& kernel, const ir::ArrayStorage& array) {
  return array.per_thread || (kernel.runs_warps_apart && is_in_scratch(array));
}

bool is_in_scratch(const ir::ArrayStorage& array) { return array.per_thread || size_of(array) > kMaxStackArray; }

CpuLayout::CpuLayout(const ir::Function& kernel) {
  for (const ir::ArrayStorage& array : kernel.shared_arrays) {
    shared_alignment = std::max(shared_alignment, array.alignment);
    if (!array.is_dynamic) static_shared_bytes = round_up(static_shared_bytes, alignment_of(array));
    shared_offsets.push_back(static_shared_bytes);
    if (!array.is_dynamic) static_shared_bytes += size_of(array);
  }
  static_shared_bytes = round_up(static_shared_bytes, shared_alignment);  // dynamic ones lie behind
  for (const ir::Type slot : kernel.slots) {
    slot_offsets.push_back(bytes_per_thread);
    bytes_per_thread += slot.is_pointer() ? 8 : size_in_bytes(slot.scalar);
  }
  bytes_per_thread = round_up(bytes_per_thread, 16);
  for (const ir::ArrayStorage& array : kernel.local_arrays) {
    std::int64_t& end = is_per_thread(kernel, array) ? bytes_per_thread : bytes_per_block;
    local_array_offsets.push_back(end);
    if (is_in_scratch(array)) end += size_of(array);
  }
}

LaunchExpression CpuLayout::scratch_bytes() const {
  using enum LaunchExpression::Op;
  LaunchExpression bytes;
  const auto push = [&](LaunchExpression::Op op, std::int64_t constant = 0) { bytes.terms.push_back({op, constant}); };
  if (bytes_per_thread == 0 && bytes_per_block == 0) return bytes;
  for (const auto op : {BlockDimX, BlockDimY, Multiply, BlockDimZ, Multiply}) push(op);
  push(Constant, kThreadPadding - 1);
  push(Add);
  push(Constant, kThreadPadding);
  push(FloorDivide);
  push(Constant, kThreadPadding * bytes_per_thread);
  push(Multiply);
  push(Constant, bytes_per_block);
  push(Add);
  return bytes;
}

}  // namespace pykc::codegen
