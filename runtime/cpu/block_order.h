#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <random>

namespace pykc::cpu {

/// All blocks of a launch: by their numbers or, with a seed, in steps of a length that has no divisor in common with
/// how many they are, so that each comes once.
class BlockOrder {
 public:
  BlockOrder(std::int64_t blocks, std::optional<std::uint64_t> seed) : blocks_(blocks) {
    if (!seed) return;
    std::mt19937_64 random(*seed);
    const auto number = [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(blocks)); };
    next_ = number();
    for (step_ = number(); std::gcd(step_, blocks) != 1;) ++step_;
  }
  std::int64_t next() {
    const std::int64_t block = next_;
    next_ = (next_ + step_) % blocks_;
    return block;
  }

 private:
  const std::int64_t blocks_;
  std::int64_t next_ = 0, step_ = 1;
};

}  // namespace pykc::cpu
