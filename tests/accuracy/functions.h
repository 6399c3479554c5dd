// The functions of docs/math.md: what they are exactly, in 113 bits, and the bounds that the page states.
#pragma once

#include <span>
#include <string_view>

namespace pykc::accuracy {

__extension__ using Wide = __float128;

struct Function {
  std::string_view name;        // in `math`
  double f32_bound, f64_bound;  // in units in the last place
  Wide (*of_one)(Wide);
  Wide (*of_two)(Wide, Wide);       // null for functions of one argument
  std::string_view arguments = "";  // in place of `x` or `x, y`
  double floor = 0;                 // below it, errors are counted in its units
};

std::span<const Function> functions();

/// The C library's functions of a wider type, which are exact enough to judge any f32 or f64 by; null where it has
/// none.
template <typename T>
struct Peer {
  T (*of_one)(T) = nullptr;
  T (*of_two)(T, T) = nullptr;
};

struct Peers {
  std::string_view name;
  Peer<double> for_f32;
  Peer<long double> for_f64;
};

Peers peers_of(std::string_view name);

/// Whether the page excepts an argument: the logarithm of gamma has zeros there, near which its relative error is
/// large.
bool is_excepted(const Function& function, Wide x);

}  // namespace pykc::accuracy
