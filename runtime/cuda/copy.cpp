// Copies between a GPU and the host, and within a GPU, of elements that may lie apart.
//
// The driver copies rectangles: rows at a pitch on each side. So the innermost axis of a copy and its rows are one
// call, and the host counts through the axes outside of it. Where the other side's elements lie in another order than
// the device's, or its rows overlap, they go through dense memory on the host that has the device's order.
#include "base/errors.h"
#include "runtime/cuda/device.h"

namespace pykc::cuda {
namespace {

using detail::FillPattern;
using detail::HostBytes;
using detail::StridedCopy;
using Axis = StridedCopy::Axis;

constexpr std::int64_t kMaxPitch = 2147483647;
/// More calls than this take longer than a copy of the whole stretch of memory.
constexpr std::int64_t kManyCalls = 256;
/// Rows shorter than this take the copy engine as long as this many bytes.
constexpr std::int64_t kShortRow = 64;

CUdeviceptr pointer(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

bool is_rectangle(const StridedCopy& copy, const Axis& axis) {
  const auto is_pitch = [&](std::int64_t stride) { return stride >= copy.row_bytes && stride <= kMaxPitch; };
  return is_pitch(axis.target_stride) && is_pitch(axis.source_stride);
}

/// Driver calls that a copy takes.
std::int64_t calls_of(const StridedCopy& copy) {
  std::int64_t calls = 1;
  for (int i = 0; i < copy.rank; ++i) {
    const Axis& axis = copy.axes[static_cast<std::size_t>(i)];
    if (i + 1 < copy.rank || !is_rectangle(copy, axis)) calls *= axis.extent;
  }
  return calls;
}

/// Calls `rectangle` with a copy of one axis at most for each combination of the other axes.
template <typename Rectangle>
Result<void> for_each_rectangle(StridedCopy copy, Rectangle rectangle) {
  const bool is_single = copy.rank == 0 || (copy.rank == 1 && is_rectangle(copy, copy.axes[0]));
  if (is_single) return rectangle(copy);
  const Axis outermost = copy.axes[0];
  std::copy(copy.axes.begin() + 1, copy.axes.end(), copy.axes.begin());
  --copy.rank;
  for (std::int64_t i = 0; i < outermost.extent; ++i) {
    RETURN_IF_FAILED(for_each_rectangle(copy, rectangle));
    copy.target += outermost.target_stride;
    copy.source += outermost.source_stride;
  }
  return {};
}

enum class Direction : std::uint8_t { ToDevice, ToHost, Within };

Result<void> copy_row(const Device& device, const StridedCopy& copy, Direction direction, CUstream stream) {
  const auto bytes = static_cast<std::size_t>(copy.row_bytes);
  switch (direction) {
    case Direction::ToDevice:
      return device.check("cuMemcpyHtoDAsync",
                          device.driver().cuMemcpyHtoDAsync(pointer(copy.target), copy.source, bytes, stream));
    case Direction::ToHost:
      return device.check("cuMemcpyDtoHAsync",
                          device.driver().cuMemcpyDtoHAsync(copy.target, pointer(copy.source), bytes, stream));
    case Direction::Within:
      break;
  }
  return device.check("cuMemcpyDtoDAsync",
                      device.driver().cuMemcpyDtoDAsync(pointer(copy.target), pointer(copy.source), bytes, stream));
}

Result<void> copy_rectangle(const Device& device, const StridedCopy& copy, Direction direction, CUstream stream) {
  if (copy.rank == 0) return copy_row(device, copy, direction, stream);
  CUDA_MEMCPY2D rectangle{};
  rectangle.srcMemoryType = direction == Direction::ToDevice ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  rectangle.srcHost = copy.source;
  rectangle.srcDevice = pointer(copy.source);
  rectangle.srcPitch = static_cast<std::size_t>(copy.axes[0].source_stride);
  rectangle.dstMemoryType = direction == Direction::ToHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  rectangle.dstHost = copy.target;
  rectangle.dstDevice = pointer(copy.target);
  rectangle.dstPitch = static_cast<std::size_t>(copy.axes[0].target_stride);
  rectangle.WidthInBytes = static_cast<std::size_t>(copy.row_bytes);
  rectangle.Height = static_cast<std::size_t>(copy.axes[0].extent);
  return device.check("cuMemcpy2DAsync", device.driver().cuMemcpy2DAsync(&rectangle, stream));
}

Result<void> copy_rectangles(const Device& device, const StridedCopy& copy, Direction direction, CUstream stream) {
  if (copy.row_bytes == 0) return {};
  return for_each_rectangle(
      copy, [&](const StridedCopy& rectangle) { return copy_rectangle(device, rectangle, direction, stream); });
}

/// Whether the other side's rows lie in the device's order, too.
bool has_one_order(const StridedCopy& copy) {
  for (int i = 0; i < copy.rank; ++i) {
    const Axis& axis = copy.axes[static_cast<std::size_t>(i)];
    if (!is_rectangle(copy, axis)) return false;
    if (i == 0) continue;
    const Axis& outer = copy.axes[static_cast<std::size_t>(i - 1)];
    if (outer.source_stride < axis.source_stride || outer.target_stride < axis.target_stride) return false;
  }
  return true;
}

CUstream handle_of(detail::StreamState* stream) {
  return stream == nullptr ? nullptr : static_cast<Stream*>(stream)->handle();
}

Result<void> wait_for(const Device& device, CUstream stream) {
  return device.check("cuStreamSynchronize", device.driver().cuStreamSynchronize(stream));
}

Result<void> copy_to_device(const Device& device, const StridedCopy& copy, CUstream stream) {
  if (has_one_order(copy)) return copy_rectangles(device, copy, Direction::ToDevice, stream);
  ASSIGN_OR_RETURN(const HostBytes staging, detail::host_bytes(copy.bytes()));
  copy_on_host(copy.into_dense(staging.get()));
  const StridedCopy rest = copy.out_of_dense(staging.get());
  RETURN_IF_FAILED(copy_rectangles(device, rest, Direction::ToDevice, stream));
  return wait_for(device, stream);  // before the staging memory goes
}

/// Short rows are read with what lies between them, where that is little, and sorted out here.
bool is_read_whole(const StridedCopy& copy) {
  const bool is_slow = copy.row_bytes < kShortRow || calls_of(copy) > kManyCalls;
  return copy.rank > 0 && is_slow && copy.covered_source_bytes() / 4 <= copy.bytes();
}

Result<void> copy_from_device(const Device& device, const StridedCopy& copy, CUstream stream) {
  const bool whole = is_read_whole(copy);
  if (!whole && has_one_order(copy)) return copy_rectangles(device, copy, Direction::ToHost, stream);
  ASSIGN_OR_RETURN(const HostBytes staging, detail::host_bytes(whole ? copy.covered_source_bytes() : copy.bytes()));
  StridedCopy first = copy.into_dense(staging.get()), rest = copy.out_of_dense(staging.get());
  if (whole) {
    first = {.target = staging.get(), .source = copy.source, .row_bytes = copy.covered_source_bytes(), .axes = {}};
    rest = copy;
    rest.source = staging.get();
  }
  RETURN_IF_FAILED(copy_rectangles(device, first, Direction::ToHost, stream));
  RETURN_IF_FAILED(wait_for(device, stream));
  copy_on_host(rest);
  return {};
}

/// A copy that no rectangles describe goes by way of the host.
Result<void> copy_within_device(const Device& device, const StridedCopy& copy, CUstream stream) {
  if (calls_of(copy) <= kManyCalls) return copy_rectangles(device, copy, Direction::Within, stream);
  ASSIGN_OR_RETURN(const HostBytes staging, detail::host_bytes(copy.bytes()));
  const StridedCopy reading = copy.into_dense(staging.get()).simplified(StridedCopy::Side::Source);
  RETURN_IF_FAILED(copy_from_device(device, reading, stream));
  return copy_to_device(device, copy.out_of_dense(staging.get()), stream);
}

Result<void> fill_row(const Device& device, const StridedCopy& row, FillPattern pattern, CUstream stream) {
  const CUdeviceptr target = pointer(row.target);
  const auto count = static_cast<std::size_t>(row.row_bytes / pattern.bytes);
  const Driver& driver = device.driver();
  switch (pattern.bytes) {
    case 1:
      return device.check("cuMemsetD8Async",
                          driver.cuMemsetD8Async(target, static_cast<unsigned char>(pattern.bits), count, stream));
    case 2:
      return device.check("cuMemsetD16Async",
                          driver.cuMemsetD16Async(target, static_cast<unsigned short>(pattern.bits), count, stream));
    default:
      return device.check("cuMemsetD32Async", driver.cuMemsetD32Async(target, pattern.bits, count, stream));
  }
}

Result<void> fill_rectangle(const Device& device, const StridedCopy& rows, FillPattern pattern, CUstream stream) {
  if (rows.rank == 0) return fill_row(device, rows, pattern, stream);
  const CUdeviceptr target = pointer(rows.target);
  const auto pitch = static_cast<std::size_t>(rows.axes[0].target_stride);
  const auto width = static_cast<std::size_t>(rows.row_bytes / pattern.bytes);
  const auto height = static_cast<std::size_t>(rows.axes[0].extent);
  const Driver& driver = device.driver();
  switch (pattern.bytes) {
    case 1:
      return device.check(
          "cuMemsetD2D8Async",
          driver.cuMemsetD2D8Async(target, pitch, static_cast<unsigned char>(pattern.bits), width, height, stream));
    case 2:
      return device.check(
          "cuMemsetD2D16Async",
          driver.cuMemsetD2D16Async(target, pitch, static_cast<unsigned short>(pattern.bits), width, height, stream));
    default:
      return device.check("cuMemsetD2D32Async",
                          driver.cuMemsetD2D32Async(target, pitch, pattern.bits, width, height, stream));
  }
}

using CopyNow = Result<void> (*)(const Device&, const StridedCopy&, CUstream);

/// A graph's copies are made when it is launched, so none can go by way of the host, which would take part now.
Result<void> copy_or_capture(const Device& device, const StridedCopy& copy, Direction direction, CopyNow copy_now,
                             detail::StreamState* stream) {
  if (stream == nullptr || !stream->is_capturing()) return copy_now(device, copy, handle_of(stream));
  if (has_one_order(copy)) return copy_rectangles(device, copy, direction, handle_of(stream));
  return Error{ErrorCode::Unsupported,
               "a graph cannot hold a copy between elements that lie in different orders, which goes by way of the "
               "host; make both sides dense in one order"};
}

}  // namespace

Result<void> Device::copy_from_host(const StridedCopy& copy, detail::StreamState* stream) {
  const ContextScope scope = enter();
  RETURN_IF_FAILED(copy_or_capture(*this, copy, Direction::ToDevice, copy_to_device, stream));
  return stream == nullptr ? finish_default_stream() : Result<void>();
}

Result<void> Device::copy_to_host(const StridedCopy& copy, detail::StreamState* stream) {
  const ContextScope scope = enter();
  RETURN_IF_FAILED(copy_or_capture(*this, copy, Direction::ToHost, copy_from_device, stream));
  return stream == nullptr ? finish_default_stream() : Result<void>();
}

Result<void> Device::copy_within(const StridedCopy& copy, detail::StreamState* stream) {
  const ContextScope scope = enter();
  RETURN_IF_FAILED(copy_or_capture(*this, copy, Direction::Within, copy_within_device, stream));
  return stream == nullptr ? finish_default_stream() : Result<void>();
}

Result<void> Device::fill(const StridedCopy& rows, FillPattern pattern, detail::StreamState* stream) {
  const ContextScope scope = enter();
  const CUstream on = handle_of(stream);
  if (rows.row_bytes > 0)
    RETURN_IF_FAILED(for_each_rectangle(
        rows, [&](const StridedCopy& rectangle) { return fill_rectangle(*this, rectangle, pattern, on); }));
  return stream == nullptr ? finish_default_stream() : Result<void>();
}

}  // namespace pykc::cuda
