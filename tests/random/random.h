// The only source of chance of the generator: the same seed draws the same numbers on every machine and with every
// standard library, for std::mt19937_64 is specified to the bit and bounds are drawn here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace pykc::random_test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// From 0 to `below` - 1.
  int number(int below) { return static_cast<int>(engine_() % static_cast<unsigned>(below)); }
  bool chance(int percent) { return number(100) < percent; }

  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(number(static_cast<int>(from.size())))];
  }
  template <typename T, std::size_t size>
  const T& pick(const T (&from)[size]) {
    return from[static_cast<std::size_t>(number(static_cast<int>(size)))];
  }
  /// A row of a table by its `weight`, among those that `is_allowed`; null where there is none.
  template <typename Row, typename Allowed>
  const Row* pick_weighted(std::span<const Row> rows, Allowed is_allowed) {
    int total = 0;
    for (const Row& row : rows) total += is_allowed(row) ? row.weight : 0;
    if (total == 0) return nullptr;
    int choice = number(total);
    for (const Row& row : rows) {
      if (!is_allowed(row)) continue;
      choice -= row.weight;
      if (choice < 0) return &row;
    }
    return nullptr;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace pykc::random_test
