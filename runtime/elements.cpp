// Copies and clearing of device memory: bytes of a Buffer, and elements of an Array, which may lie apart. What all
// devices ask for is checked here.
#include "base/errors.h"
#include "runtime/device.h"

namespace pykc {
namespace {

using detail::FillPattern;
using detail::StridedCopy;

Error other_device() { return invalid_argument("the copy's stream belongs to another device"); }

StridedCopy bytes_between(void* target, const void* source, std::int64_t bytes) {
  StridedCopy copy;
  copy.target = static_cast<std::byte*>(target);
  copy.source = static_cast<const std::byte*>(source);
  copy.row_bytes = bytes;
  return copy;
}

Result<void> check_target(const Mapping& mapping) {
  for (std::size_t i = 0; i < mapping.shape().size() && mapping.size() > 0; ++i)
    if (mapping.strides()[i] == 0 && mapping.shape()[i] > 1)
      return invalid_argument("an array whose elements along axis " + std::to_string(i) +
                              " are one and the same (its stride is 0) cannot be written to");
  return {};
}

}  // namespace

namespace detail {

Result<DenseMemory> dense_memory(std::span<const std::int64_t> shape, Layout order, std::int64_t element_bytes) try {
  ASSIGN_OR_RETURN(const Mapping mapping, Mapping::dense(shape, order));
  DenseMemory dense{mapping, 0};
  if (!__builtin_mul_overflow(mapping.size(), element_bytes, &dense.bytes)) return dense;
  return invalid_argument("no memory holds " + std::to_string(mapping.size()) + " elements of " +
                          std::to_string(element_bytes) + " bytes");
} catch (...) {
  return error_in_flight();
}

Result<void> Elements::check(std::int64_t alignment) const try {
  const Mapping::Range range = mapping.range();
  if (range.begin < 0 || range.end > buffer.bytes() / element_bytes)
    return invalid_argument("an array with " + to_string(mapping) + " from element " +
                            std::to_string(mapping.offset()) + " leaves its buffer, which has room for " +
                            std::to_string(buffer.bytes() / element_bytes) + " elements");
  if (reinterpret_cast<std::uintptr_t>(buffer.address_) % static_cast<std::uintptr_t>(alignment) != 0)
    return invalid_argument("the address of the buffer is not aligned to " + std::to_string(alignment) +
                            " bytes, as its elements must be");
  return {};
} catch (...) {
  return error_in_flight();
}

Result<StreamState*> Elements::find_stream(const Stream* stream) const {
  if (stream == nullptr) return nullptr;
  if (buffer.device_ != nullptr && buffer.device_ != &stream->state_->device) return other_device();
  return stream->state_.get();
}

Result<void> Elements::copy_from_host(const void* source, const Mapping& from, const Stream* stream) const try {
  RETURN_IF_FAILED(check_same_shape(mapping, from));
  RETURN_IF_FAILED(check_target(mapping));
  ASSIGN_OR_RETURN(StreamState* const on, find_stream(stream));
  if (buffer.device_ == nullptr) return {};
  return device().copy_from_host(
      StridedCopy::between(buffer.address_, mapping, source, from, element_bytes, StridedCopy::Side::Target), on);
} catch (...) {
  return error_in_flight();
}

Result<void> Elements::copy_to_host(void* target, const Mapping& to, const Stream* stream) const try {
  RETURN_IF_FAILED(check_same_shape(to, mapping));
  RETURN_IF_FAILED(check_target(to));
  ASSIGN_OR_RETURN(StreamState* const on, find_stream(stream));
  if (buffer.device_ == nullptr) return {};
  return device().copy_to_host(
      StridedCopy::between(target, to, buffer.address_, mapping, element_bytes, StridedCopy::Side::Source), on);
} catch (...) {
  return error_in_flight();
}

Result<void> Elements::copy_from(const Elements& source, const Stream* stream) const try {
  RETURN_IF_FAILED(check_same_shape(mapping, source.mapping));
  RETURN_IF_FAILED(check_target(mapping));
  if (buffer.device_ == nullptr || source.buffer.device_ == nullptr) return {};  // of no elements
  if (buffer.device_ != source.buffer.device_) return copy_from_other_device(source, stream);
  ASSIGN_OR_RETURN(StreamState* const on, find_stream(stream));
  if (overlaps(source)) return copy_by_way_of_another(source, on);
  return device().copy_within(copy_of(source), on);
} catch (...) {
  return error_in_flight();
}

StridedCopy Elements::copy_of(const Elements& source) const {
  return StridedCopy::between(buffer.address_, mapping, source.buffer.address_, source.mapping, element_bytes,
                              StridedCopy::Side::Target);
}

/// Whether the stretches of memory from the lowest to the highest element have bytes in common.
bool Elements::overlaps(const Elements& other) const {
  const auto place = [](const Elements& elements, std::int64_t at) {
    return reinterpret_cast<std::uintptr_t>(elements.buffer.address_) +
           static_cast<std::uintptr_t>(at * elements.element_bytes);
  };
  const Mapping::Range mine = mapping.range(), others = other.mapping.range();
  return place(*this, mine.begin) < place(other, others.end) && place(other, others.begin) < place(*this, mine.end);
}

/// Copies as if all elements were read before the first is written.
Result<void> Elements::copy_by_way_of_another(const Elements& source, StreamState* stream) const {
  if (stream != nullptr && stream->is_capturing())
    return Error{ErrorCode::Unsupported,
                 "a graph cannot hold a copy whose target overlaps its source; copy by way of another array"};
  const Result<Mapping> mapping_of_dense = Mapping::dense(mapping.shape());
  ASSIGN_OR_RETURN(const Buffer memory, buffer.allocate_beside(mapping.size() * element_bytes));
  const Elements dense{memory, *mapping_of_dense, element_bytes};
  RETURN_IF_FAILED(device().copy_within(dense.copy_of(source), stream));
  RETURN_IF_FAILED(device().copy_within(copy_of(dense), stream));
  return stream == nullptr ? Result<void>() : stream->synchronize();  // before the memory goes
}

Result<void> Elements::copy_from_other_device(const Elements& source, const Stream* stream) const {
  if (stream != nullptr) {
    const DeviceState* const of_stream = &stream->state_->device;
    if (of_stream != buffer.device_ && of_stream != source.buffer.device_) return other_device();
    RETURN_IF_FAILED(stream->synchronize());
  }
  for (DeviceState* device : {buffer.device_, source.buffer.device_}) RETURN_IF_FAILED(device->synchronize());
  if (source.device().is_cpu()) return copy_from_host(source.buffer.address_, source.mapping, nullptr);
  if (device().is_cpu()) return source.copy_to_host(buffer.address_, mapping, nullptr);
  if (const StridedCopy copy = copy_of(source); copy.rank == 0) return device().copy_from_peer(copy, source.device());
  const Result<Mapping> dense = Mapping::dense(mapping.shape());
  ASSIGN_OR_RETURN(const HostBytes staging, host_bytes(mapping.size() * element_bytes));
  RETURN_IF_FAILED(source.copy_to_host(staging.get(), *dense, nullptr));
  return copy_from_host(staging.get(), *dense, nullptr);
}

Result<void> Elements::fill_zero(const Stream* stream) const try {
  ASSIGN_OR_RETURN(StreamState* const on, find_stream(stream));
  if (buffer.device_ == nullptr) return {};
  return device().fill(copy_of(*this), {}, on);
} catch (...) {
  return error_in_flight();
}

Result<void> Elements::fill(const void* value, const Stream* stream) const try {
  ASSIGN_OR_RETURN(StreamState* const on, find_stream(stream));
  if (buffer.device_ == nullptr) return {};
  const std::span bytes(static_cast<const std::byte*>(value), static_cast<std::size_t>(element_bytes));
  if (const std::optional<FillPattern> pattern = FillPattern::of(bytes))
    return device().fill(copy_of(*this), *pattern, on);
  if (on != nullptr && on->is_capturing())
    return Error{ErrorCode::Unsupported,
                 "a graph fills elements of at most 4 bytes, or of 4 bytes over and over; copy from an array instead"};
  constexpr std::array<std::int64_t, kMaxRank> kNoStrides{};
  const Result<Mapping> same = Mapping::strided(mapping.shape(), std::span(kNoStrides).first(mapping.shape().size()));
  return copy_from_host(value, *same, stream);
} catch (...) {
  return error_in_flight();
}

}  // namespace detail

void* Buffer::address() const {
  if (device_ != nullptr) device_->note_shown(address_);
  return address_;
}

void* detail::address_of(const Buffer& buffer) { return buffer.address_; }

void detail::note_written(const Buffer& buffer, std::int64_t offset, std::int64_t bytes) {
  if (buffer.device_ != nullptr) buffer.device_->note_written(static_cast<std::byte*>(buffer.address_) + offset, bytes);
}

void detail::note_unwritten(const Buffer& buffer) {
  if (buffer.device_ != nullptr) buffer.device_->note_unwritten(buffer.address_, buffer.bytes_);
}

Result<void> Buffer::check(const Stream* stream, std::int64_t bytes, std::int64_t offset) const {
  if (stream != nullptr && device_ != nullptr && device_ != &stream->state_->device) return other_device();
  if (bytes >= 0 && offset >= 0 && offset <= bytes_ && bytes <= bytes_ - offset) return {};
  return invalid_argument("bytes " + std::to_string(offset) + " and the " + std::to_string(bytes) +
                          " from there do not lie in a buffer of " + std::to_string(bytes_) + " bytes");
}

Result<void> Buffer::copy_from_host(const Stream* stream, const void* source, std::int64_t bytes,
                                    std::int64_t offset) const try {
  if (Result<void> fits = check(stream, bytes, offset); !fits || device_ == nullptr) return fits;
  return device_->copy_from_host(bytes_between(static_cast<std::byte*>(address_) + offset, source, bytes),
                                 stream == nullptr ? nullptr : stream->state_.get());
} catch (...) {
  return error_in_flight();
}

Result<void> Buffer::copy_to_host(const Stream* stream, void* target, std::int64_t bytes, std::int64_t offset) const
    try {
  if (Result<void> fits = check(stream, bytes, offset); !fits || device_ == nullptr) return fits;
  return device_->copy_to_host(bytes_between(target, static_cast<std::byte*>(address_) + offset, bytes),
                               stream == nullptr ? nullptr : stream->state_.get());
} catch (...) {
  return error_in_flight();
}

Result<void> Buffer::fill_zero(const Stream* stream) const try {
  if (Result<void> fits = check(stream, bytes_, 0); !fits || device_ == nullptr) return fits;
  return device_->fill(bytes_between(address_, nullptr, bytes_), {},
                       stream == nullptr ? nullptr : stream->state_.get());
} catch (...) {
  return error_in_flight();
}

Result<Buffer> Buffer::allocate_beside(std::int64_t bytes) const try {
  if (device_ != nullptr) return device_->allocate_buffer(bytes);
  if (bytes == 0) return Buffer();
  return invalid_argument("a buffer without a device has no memory beside it");
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
