#include "tests/accuracy/functions.h"

#include <quadmath.h>

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

constexpr Function kFunctions[] = {
    {"sin", 2.5, 2, sinq, nullptr},
    {"cos", 2.5, 2, cosq, nullptr},
    {"tan", 4, 1.5, tanq, nullptr},
    {"asin", 1, 1, asinq, nullptr},
    {"acos", 1.5, 1, acosq, nullptr},
    {"atan", 1.5, 1, atanq, nullptr},
    {"atan2", 3, 1, nullptr, atan2q},
    {"sinh", 2.5, 1.5, sinhq, nullptr},
    {"cosh", 2.5, 1.5, coshq, nullptr},
    {"tanh", 2.5, 1.5, tanhq, nullptr},
    {"asinh", 2.5, 1.5, asinhq, nullptr},
    {"acosh", 2.5, 2, acoshq, nullptr},
    {"atanh", 1, 1, atanhq, nullptr},
    {"exp", 1.5, 1, expq, nullptr},
    {"exp2", 1, 1.5, exp2q, nullptr},
    {"exp10", 1.5, 1, ten_to, nullptr},
    {"expm1", 1.5, 1.5, expm1q, nullptr},
    {"log", 1.5, 2, logq, nullptr},
    {"log2", 1, 1, log2q, nullptr},
    {"log10", 1, 1, log10q, nullptr},
    {"log1p", 1, 1, log1pq, nullptr},
    {"pow", 2, 1, nullptr, powq},
    {"cbrt", 1, 1, cbrtq, nullptr},
    {"rsqrt", 2, 2, reciprocal_root, nullptr},
    {"hypot", 1, 1.5, nullptr, hypotq},
    {"erf", 1, 1, erfq, nullptr},
    {"erfc", 5, 3.5, erfcq, nullptr},
    {"gamma", 1, 4, tgammaq, nullptr},
    {"lgamma", 1, 5, lgammaq, nullptr},
    {"sinpi", 3, 3, sine_of_turns, nullptr},
    {"cospi", 3, 3, cosine_of_turns, nullptr},
    {"tanpi", 5, 6, tangent_of_turns, nullptr},
    {"rcbrt", 2, 2, reciprocal_cube_root, nullptr},
};

}  // namespace

std::span<const Function> functions() { return kFunctions; }

bool is_excepted(const Function& function, Wide x) { return function.name == "lgamma" && x < -2 && x > -60; }

}  // namespace pykc::accuracy
