#include "measure/units.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pykc::measure {

std::string with_prefix(double value, std::string_view unit) {
  constexpr std::string_view kPrefixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P"};
  int thousands = value > 0 && std::isfinite(value) ? static_cast<int>(std::floor(std::log10(value) / 3)) : 0;
  thousands = std::clamp(thousands, -3, 5);
  double scaled = value * std::pow(1000, -thousands);
  if (scaled >= 999.5 && thousands < 5) {  // would be written with four digits
    scaled /= 1000;
    ++thousands;
  }
  const int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
  char number[32];
  std::snprintf(number, sizeof number, "%.*f ", decimals, scaled);
  return number + std::string(kPrefixes[thousands + 3]) + std::string(unit);
}

}  // namespace pykc::measure
