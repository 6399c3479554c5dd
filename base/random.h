// Random numbers of host code and of benchmarks: the same sequence everywhere for the same seed.
//
// SplitMix64: number k of a seed is a bijective scrambling of seed + k * 0x9e3779b97f4a7c15. Uniform floats in [0, 1)
// take its highest bits, 53 for f64 and 24 for f32; normal ones are made of two uniform ones by Box and Muller.
#pragma once

#include <cstdint>

namespace pykc {

class RandomGenerator {
 public:
  explicit RandomGenerator(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  float uniform_float() { return static_cast<float>(next() >> 40) * 0x1p-24f; }
  double normal();
  /// From `low` to `high - 1`; `low < high`.
  std::int64_t integer(std::int64_t low, std::int64_t high);

 private:
  std::uint64_t state_;
};

}  // namespace pykc
