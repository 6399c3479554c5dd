#include "tests/accuracy/functions.h"

#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pykc::accuracy {
namespace {

constexpr Wide kHalf = 0.5;
const Wide kPi = acosq(-1);

Wide ten_to(Wide x) { return powq(10, x); }
Wide reciprocal_root(Wide x) { return 1 / sqrtq(x); }

/// `x` without whole turns; the remainder is exact.
Wide within_turn(Wide x) { return remainderq(x, 2); }

Wide sine_of_turns(Wide x) {
  const Wide turn = within_turn(x);
  const Wide folded = fabsq(turn) > kHalf ? copysignq(1, turn) - turn : turn;
  return folded == 0 ? copysignq(0, x) : sinq(kPi * folded);
}

Wide cosine_of_turns(Wide x) {
  const Wide quarter = kHalf - fabsq(within_turn(x));
  return quarter == 0 ? 0 : sinq(kPi * quarter);
}

Wide tangent_of_turns(Wide x) { return sine_of_turns(x) / cosine_of_turns(x); }

Wide reciprocal_cube_root(Wide x) { return 1 / cbrtq(x); }

Wide reciprocal_hypotenuse(Wide x, Wide y) { return 1 / hypotq(x, y); }
Wide norm_of_three(Wide x, Wide y) { return hypotq(x, hypotq(x, y)); }
Wide norm_of_four(Wide x, Wide y) { return hypotq(hypotq(x, y), hypotq(x, y)); }
Wide reciprocal_norm_of_three(Wide x, Wide y) { return 1 / norm_of_three(x, y); }
Wide reciprocal_norm_of_four(Wide x, Wide y) { return 1 / norm_of_four(x, y); }

Wide scaled_erfc(Wide x) {
  if (x < 100) return expq(x * x) * erfcq(x);
  const Wide ratio = kHalf / (x * x);
  return (1 - ratio * (1 - 3 * ratio * (1 - 5 * ratio * (1 - 7 * ratio)))) / (x * sqrtq(kPi));
}

/// Newton's method on the logarithm of erfc for a small `p`, and on erfc itself, which is flat, for others.
Wide inverse_erfc(Wide p) {
  if (!(p >= 0 && p <= 2)) return nanq("");
  if (p > 1) return -inverse_erfc(2 - p);
  if (p == 0) return HUGE_VALQ;
  Wide y = p < kHalf ? sqrtq(-logq(p)) : (1 - p) * sqrtq(kPi) / 2;
  for (int step = 0; step < 8; ++step) {
    const Wide scaled = scaled_erfc(y);
    y += p < kHalf ? (logq(scaled / p) - y * y) * scaled * sqrtq(kPi) / 2
                   : (erfcq(y) - p) * expq(y * y) * sqrtq(kPi) / 2;
  }
  return y;
}

Wide inverse_erf(Wide x) {
  if (!(fabsq(x) <= 1)) return nanq("");
  if (fabsq(x) > kHalf) return copysignq(inverse_erfc(1 - fabsq(x)), x);
  Wide y = x * sqrtq(kPi) / 2;
  for (int step = 0; step < 8; ++step) y -= (erfq(y) - x) * expq(y * y) * sqrtq(kPi) / 2;
  return y;
}

Wide normal(Wide x) { return kHalf * erfcq(-x / sqrtq(2)); }
Wide inverse_normal(Wide p) { return -sqrtq(2) * (p == kHalf ? 0 : inverse_erfc(2 * p)); }

Wide to_degrees(Wide x) { return x * 180 / kPi; }
Wide to_radians(Wide x) { return x * kPi / 180; }

constexpr Function kFunctions[] = {
    {"sin", 1, 1, sinq, nullptr},
    {"cos", 1, 1, cosq, nullptr},
    {"tan", 1, 1, tanq, nullptr},
    {"asin", 1, 1, asinq, nullptr},
    {"acos", 1, 1, acosq, nullptr},
    {"atan", 1, 1, atanq, nullptr},
    {"atan2", 1, 1, nullptr, atan2q},
    {"sinh", 1, 1, sinhq, nullptr},
    {"cosh", 1, 1, coshq, nullptr},
    {"tanh", 1.5, 1, tanhq, nullptr},
    {"asinh", 1.5, 1.5, asinhq, nullptr},
    {"acosh", 1.5, 1.5, acoshq, nullptr},
    {"atanh", 1, 1, atanhq, nullptr},
    {"exp", 1, 1, expq, nullptr},
    {"exp2", 1, 1, exp2q, nullptr},
    {"exp10", 1, 1, ten_to, nullptr},
    {"expm1", 1, 1.5, expm1q, nullptr},
    {"log", 1, 1, logq, nullptr},
    {"log2", 0.6, 0.6, log2q, nullptr},
    {"log10", 0.6, 0.6, log10q, nullptr},
    {"log1p", 1, 1, log1pq, nullptr},
    {"pow", 1.5, 1, nullptr, powq},
    {"cbrt", 1, 1, cbrtq, nullptr},
    {"rsqrt", 2, 2, reciprocal_root, nullptr},
    {"hypot", 1, 1, nullptr, hypotq},
    {"erf", 1, 1, erfq, nullptr},
    {"erfc", 4, 3.5, erfcq, nullptr},
    {"gamma", 1, 5, tgammaq, nullptr},
    {"lgamma", 1, 6, lgammaq, nullptr},
    {"sinpi", 1.5, 1.5, sine_of_turns, nullptr},
    {"cospi", 1.5, 1.5, cosine_of_turns, nullptr},
    {"tanpi", 3, 3, tangent_of_turns, nullptr},
    {"rcbrt", 1, 1, reciprocal_cube_root, nullptr},
    {"rhypot", 1, 1, nullptr, reciprocal_hypotenuse},
    {"norm3d", 1, 1, nullptr, norm_of_three, "x, y, x"},
    {"norm4d", 1, 1, nullptr, norm_of_four, "x, y, x, y"},
    {"rnorm3d", 1, 1, nullptr, reciprocal_norm_of_three, "x, y, x"},
    {"rnorm4d", 1, 1, nullptr, reciprocal_norm_of_four, "x, y, x, y"},
    {"erfinv", 3, 3, inverse_erf, nullptr},
    {"erfcinv", 3, 3, inverse_erfc, nullptr},
    {"erfcx", 3, 3, scaled_erfc, nullptr},
    {"normcdf", 4, 4, normal, nullptr},
    {"normcdfinv", 3, 3, inverse_normal, nullptr},
    {"degrees", 1, 1, to_degrees, nullptr},
    {"radians", 1, 1, to_radians, nullptr},
    {"j0", 1, 3, j0q, nullptr, "x", 1},
    {"j1", 1, 3, j1q, nullptr, "x", 1},
    {"y0", 1, 6, y0q, nullptr, "x", 1},
    {"y1", 1, 6, y1q, nullptr, "x", 1},
};

template <typename T>
T reciprocal_root_of(T x) {
  return 1 / std::sqrt(x);
}

template <typename T>
T reciprocal_cube_root_of(T x) {
  return 1 / std::cbrt(x);
}

constexpr Peers kPeers[] = {
    {"sin", {std::sin}, {std::sin}},
    {"cos", {std::cos}, {std::cos}},
    {"tan", {std::tan}, {std::tan}},
    {"asin", {std::asin}, {std::asin}},
    {"acos", {std::acos}, {std::acos}},
    {"atan", {std::atan}, {std::atan}},
    {"sinh", {std::sinh}, {std::sinh}},
    {"cosh", {std::cosh}, {std::cosh}},
    {"tanh", {std::tanh}, {std::tanh}},
    {"asinh", {std::asinh}, {std::asinh}},
    {"acosh", {std::acosh}, {std::acosh}},
    {"atanh", {std::atanh}, {std::atanh}},
    {"exp", {std::exp}, {std::exp}},
    {"exp2", {std::exp2}, {std::exp2}},
    {"expm1", {std::expm1}, {std::expm1}},
    {"log", {std::log}, {std::log}},
    {"log2", {std::log2}, {std::log2}},
    {"log10", {std::log10}, {std::log10}},
    {"log1p", {std::log1p}, {std::log1p}},
    {"cbrt", {std::cbrt}, {std::cbrt}},
    {"erf", {std::erf}, {std::erf}},
    {"erfc", {std::erfc}, {std::erfc}},
    {"gamma", {std::tgamma}, {std::tgamma}},
    {"lgamma", {std::lgamma}, {std::lgamma}},
    {"exp10", {::exp10}, {::exp10l}},
    {"rsqrt", {reciprocal_root_of<double>}, {reciprocal_root_of<long double>}},
    {"rcbrt", {reciprocal_cube_root_of<double>}, {reciprocal_cube_root_of<long double>}},
    {"pow", {nullptr, std::pow}, {nullptr, std::pow}},
    {"atan2", {nullptr, std::atan2}, {nullptr, std::atan2}},
    {"hypot", {nullptr, std::hypot}, {nullptr, std::hypot}},
};

}  // namespace

Peers peers_of(std::string_view name) {
  const auto found = std::ranges::find(kPeers, name, &Peers::name);
  return found == std::end(kPeers) ? Peers{.name = name} : *found;
}

std::span<const Function> functions() { return kFunctions; }

bool is_excepted(const Function& function, Wide x) { return function.name == "lgamma" && x < -2 && x > -60; }

}  // namespace pykc::accuracy
