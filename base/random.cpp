#include "base/random.h"

#include <cmath>
#include <numbers>

namespace pykc {

double RandomGenerator::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - u is never 0
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::int64_t RandomGenerator::integer(std::int64_t low, std::int64_t high) {
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  // Numbers above the largest multiple of the span would favour small results.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % span;
  std::uint64_t number = next();
  while (number >= limit) number = next();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + number % span);
}

}  // namespace pykc
