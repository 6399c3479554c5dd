// A GPU's pool: one of the driver's, made when it is first used and not shared with other code in the process.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "runtime/cuda/driver.h"
#include "runtime/device.h"

namespace pykc::cuda {

class Device;

class Pool final : public detail::PoolState {
 public:
  explicit Pool(Device& device) : device_(device) {}
  ~Pool() override;
  Result<std::shared_ptr<void>> allocate(std::int64_t bytes, detail::StreamState& stream) override;
  Result<PoolStatistics> statistics() override;
  Result<void> reset_peaks() override;
  Result<void> set_limit(std::int64_t bytes) override;
  Result<void> set_release_threshold(std::int64_t bytes) override;
  Result<void> trim(std::int64_t keep) override;
  /// Whether there was anything to give back.
  bool release_unused();

 private:
  Result<std::shared_ptr<void>> allocate_beside(std::int64_t bytes);
  /// Made here if need be; the context must be current.
  Result<CUmemoryPool> handle();
  Result<std::int64_t> attribute(CUmemPool_attribute attribute);
  Result<void> set_attribute(CUmemPool_attribute attribute, std::uint64_t value);

  Device& device_;
  std::mutex mutex_;
  CUmemoryPool handle_ = nullptr;
  std::int64_t limit_ = INT64_MAX;
  std::atomic<std::int64_t> beside_ = 0;  // bytes in use that were had within captures
};

}  // namespace pykc::cuda
