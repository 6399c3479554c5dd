// The CPU device's pool: blocks that were given back wait for an allocation that they fit. Streams do their work at
// once, so their order needs no care.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "runtime/device.h"

namespace pykc::cpu {

struct ArrayWatch;

class Pool final : public detail::PoolState {
 public:
  explicit Pool(ArrayWatch& watch) : watch_(watch) {}
  ~Pool() override;
  Result<std::shared_ptr<void>> allocate(std::int64_t bytes, detail::StreamState& stream) override;
  Result<PoolStatistics> statistics() override;
  Result<void> reset_peaks() override;
  Result<void> set_limit(std::int64_t bytes) override;
  Result<void> set_release_threshold(std::int64_t bytes) override;
  Result<void> trim(std::int64_t keep) override;

 private:
  Result<void*> take(std::int64_t bytes);
  void give_back(void* block, std::int64_t bytes);
  void release_until(std::int64_t reserved);

  ArrayWatch& watch_;
  std::mutex mutex_;
  std::multimap<std::int64_t, void*> unused_;  // by size
  PoolStatistics bytes_;
  std::int64_t limit_ = INT64_MAX;
  std::int64_t release_threshold_ = INT64_MAX;
};

}  // namespace pykc::cpu
