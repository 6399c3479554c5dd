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

class DeviceOperations;

class Storage {
 public:
  /// `bytes` of elements that all are `fill`, or anything. `bytes` is a whole number of elements.
  Storage(std::int64_t bytes, std::optional<Scalar> fill) : bytes_(bytes), fill_(fill) {}

  std::int64_t bytes() const { return bytes_; }

  /// The bytes on the host, after all kernels before; `write` makes the device's copy stale.
  Outcome<std::byte*> read();
  Outcome<std::byte*> write();
  /// Where the device looks which of its bytes have been written, the host tells of those that it writes.
  bool tells_of_writes() const { return is_shared() && is_unset_; }
  void note_written(std::int64_t offset, std::int64_t bytes);
  /// The address on the device, for a kernel that only reads; `launch` is for one that may change the bytes.
  Outcome<void*> read_on(DeviceOperations& device);
  Outcome<void*> launch(DeviceOperations& device);

  /// Allocates on the device now, not at the first launch.
  Status place_on(DeviceOperations& device);
  /// The elements hold anything, whatever the bytes are filled with. Where `device` is not null and its memory is the
  /// host's, they are there from the first.
  void leave_unset(DeviceOperations* device);
  /// Uses host memory that the device reaches directly.
  Status pin(const Device& device);
  /// For new elements, within a capture: they become 0 by each launch of the graph. Who captures keeps them.
  Status clear_in_graph(DeviceOperations& device);
  /// The device that has the bytes, while its current stream captures; else null.
  DeviceOperations* captured_on() const;
  /// Copies all bytes from wherever they are to host memory.
  Status copy_to(std::byte* target);
  /// Copies all bytes from host memory to the device.
  Status copy_from(DeviceOperations& device, const std::byte* source);

  /// The device whose array it is (CuPy's are, and those of `to_device`), wherever the bytes are; null: the host's.
  DeviceOperations* home() const { return home_; }
  void set_home(DeviceOperations* device) { home_ = device; }
  /// The device that alone has the bytes; null: the host has them, or nobody yet.
  DeviceOperations* only_on() const { return current_ == Current::Device && !is_shared() ? device_ : nullptr; }

 private:
  enum class Current : std::uint8_t { Nowhere, Host, Device, Both };
  Status allocate_host();
  Status allocate_device(DeviceOperations& device);
  Status fill_host();
  Status fill_device();
  bool is_shared() const;

  std::int64_t bytes_;
  std::optional<Scalar> fill_;
  Current current_ = Current::Nowhere;
  bool is_unset_ = false;
  DeviceOperations* first_device_ = nullptr;
  std::shared_ptr<void> host_;
  DeviceOperations* home_ = nullptr;
  DeviceOperations* device_ = nullptr;  // where the buffer is
  std::optional<Buffer> buffer_;
};

}  // namespace pykc::script
