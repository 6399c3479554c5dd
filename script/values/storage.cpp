#include "script/values/storage.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "script/values/device_operations.h"

namespace pykc::script {
namespace {

void fill_bytes(std::byte* target, std::int64_t bytes, const Scalar& value) {
  const std::int64_t size = size_in_bytes(value.type);
  if (value.bits == 0) {
    std::memset(target, 0, static_cast<std::size_t>(bytes));
  } else {
    for (std::int64_t at = 0; at < bytes; at += size) value.store(target + at);
  }
}

/// What no machine of this size can hold is refused here; the system would promise it, and end the program later.
std::int64_t physical_memory() { return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE); }

}  // namespace

bool Storage::is_shared() const { return buffer_ && device_->device().is_cpu(); }

Status Storage::allocate_host() {
  if (host_) return Done{};
  if (bytes_ > physical_memory()) return fail(DiagnosticId::HostOutOfMemory, bytes_);
  void* memory = std::malloc(static_cast<std::size_t>(std::max<std::int64_t>(bytes_, 1)));
  if (!memory) return fail(DiagnosticId::HostOutOfMemory, bytes_);
  host_ = std::shared_ptr<void>(memory, std::free);
  return Done{};
}

Status Storage::fill_host() {
  RETURN_IF_FAILED(allocate_host());
  if (fill_) fill_bytes(static_cast<std::byte*>(host_.get()), bytes_, *fill_);
  current_ = Current::Host;
  return Done{};
}

void Storage::leave_unset(DeviceOperations* device) {
  is_unset_ = true;
  if (device != nullptr && device->device().is_cpu()) first_device_ = device;
}

void Storage::note_written(std::int64_t offset, std::int64_t bytes) {
  pykc::detail::note_written(*buffer_, offset, bytes);
}

Outcome<std::byte*> Storage::read() {
  if (current_ == Current::Nowhere && first_device_ != nullptr && bytes_ > 0)
    RETURN_IF_FAILED(place_on(*first_device_));
  if (is_shared()) {
    RETURN_IF_FAILED(outcome_of(device_->device().synchronize()));
    return static_cast<std::byte*>(pykc::detail::address_of(*buffer_));
  }
  if (current_ == Current::Nowhere) RETURN_IF_FAILED(fill_host());
  if (current_ == Current::Device) {
    RETURN_IF_FAILED(allocate_host());
    RETURN_IF_FAILED(outcome_of(buffer_->copy_to_host(host_.get(), bytes_)));
    current_ = Current::Both;
  }
  return static_cast<std::byte*>(host_.get());
}

Outcome<std::byte*> Storage::write() {
  ASSIGN_OR_RETURN(std::byte * bytes, read());
  if (!is_shared()) current_ = Current::Host;
  return bytes;
}

Status Storage::allocate_device(DeviceOperations& device) {
  if (buffer_) return Done{};
  ASSIGN_OR_RETURN(buffer_, outcome_of(device.device().default_stream().allocate_bytes(bytes_)));
  device_ = &device;
  return Done{};
}

/// Zeros by the device itself, other values as copies of one piece.
Status Storage::fill_device() {
  if (!fill_) return Done{};
  if (fill_->bits == 0) {
    RETURN_IF_FAILED(outcome_of(buffer_->fill_zero()));
    return Done{};
  }
  constexpr std::int64_t kPiece = 1 << 22;
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(bytes_, kPiece)));
  fill_bytes(piece.data(), static_cast<std::int64_t>(piece.size()), *fill_);
  for (std::int64_t at = 0; at < bytes_; at += kPiece)
    RETURN_IF_FAILED(outcome_of(buffer_->copy_from_host(piece.data(), std::min(kPiece, bytes_ - at), at)));
  return Done{};
}

Status Storage::place_on(DeviceOperations& device) {
  if (buffer_) return Done{};
  RETURN_IF_FAILED(allocate_device(device));
  if (current_ == Current::Nowhere) {
    RETURN_IF_FAILED(fill_device());
    if (is_unset_) pykc::detail::note_unwritten(*buffer_);
    current_ = Current::Device;
  } else {
    RETURN_IF_FAILED(outcome_of(buffer_->copy_from_host(host_.get(), bytes_)));
    current_ = Current::Both;
  }
  if (device.device().is_cpu()) host_.reset();  // one copy is enough
  return Done{};
}

DeviceOperations* Storage::captured_on() const {
  return device_ != nullptr && device_->captures() != nullptr ? device_ : nullptr;
}

Status Storage::clear_in_graph(DeviceOperations& device) {
  RETURN_IF_FAILED(allocate_device(device));
  RETURN_IF_FAILED(outcome_of(buffer_->fill_zero(*device.captures())));
  current_ = Current::Device;
  return Done{};
}

Outcome<void*> Storage::read_on(DeviceOperations& device) {
  RETURN_IF_FAILED(place_on(device));
  if (current_ == Current::Host && !is_shared()) {
    RETURN_IF_FAILED(outcome_of(buffer_->copy_from_host(host_.get(), bytes_)));
    current_ = Current::Both;
  }
  return pykc::detail::address_of(*buffer_);
}

Outcome<void*> Storage::launch(DeviceOperations& device) {
  ASSIGN_OR_RETURN(void* const address, read_on(device));
  current_ = Current::Device;
  return address;
}

Status Storage::pin(const Device& device) {
  ASSIGN_OR_RETURN(host_, outcome_of(device.allocate_pinned_bytes(bytes_)));
  return Done{};
}

Status Storage::copy_to(std::byte* target) {
  if (current_ == Current::Device && !is_shared()) {
    RETURN_IF_FAILED(outcome_of(buffer_->copy_to_host(target, bytes_)));
    return Done{};
  }
  ASSIGN_OR_RETURN(const std::byte* source, read());
  std::copy_n(source, bytes_, target);
  return Done{};
}

Status Storage::copy_from(DeviceOperations& device, const std::byte* source) {
  RETURN_IF_FAILED(allocate_device(device));
  RETURN_IF_FAILED(outcome_of(buffer_->copy_from_host(source, bytes_)));
  current_ = Current::Device;
  return Done{};
}

}  // namespace pykc::script
