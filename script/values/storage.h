// The bytes that arrays share: on the host, on the device, or on both; copied when the other side needs them.
//
// A Storage starts as a promise (`zeros`, `full`, `empty` allocate nothing) and gets memory where it is first used, so
// an array that only kernels touch never exists on the host. On the CPU device host and device memory are one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "pykc/runtime.h"
#include "script/values/outcome.h"
#include "script/values/scalar.h"

namespace pykc::script {

class Storage {
 public:
  /// `bytes` of elements that all are `fill`, or anything. `bytes` is a whole number of elements.
  Storage(std::int64_t bytes, std::optional<Scalar> fill) : bytes_(bytes), fill_(fill) {}

  std::int64_t bytes() const { return bytes_; }

  /// The bytes on the host, after all kernels before; `write` makes the device's copy stale.
  Outcome<std::byte*> read();
  Outcome<std::byte*> write();
  /// The address on the device, for a kernel, which may change the bytes.
  Outcome<void*> launch(const Device& device);

  /// Allocates on the device now, not at the first launch.
  Status place_on(const Device& device);
  /// Uses host memory that the device reaches directly.
  Status pin(const Device& device);
  /// Copies all bytes from wherever they are to host memory.
  Status copy_to(std::byte* target);
  /// Copies all bytes from host memory to the device.
  Status copy_from(const Device& device, const std::byte* source);

 private:
  enum class Current : std::uint8_t { Nowhere, Host, Device, Both };
  Status allocate_host();
  Status allocate_device(const Device& device);
  Status fill_host();
  Status fill_device();
  bool is_shared() const { return device_ && device_->is_cpu() && buffer_; }

  std::int64_t bytes_;
  std::optional<Scalar> fill_;
  Current current_ = Current::Nowhere;
  std::shared_ptr<void> host_;
  std::optional<Device> device_;
  std::optional<Buffer> buffer_;
};

}  // namespace pykc::script
