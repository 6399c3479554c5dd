// Types of the IR: scalars and pointers. Arrays, tuples and structs of the language are taken apart before this
// point (an array is a pointer and its extents), so that every back end and the interpreter see only these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pykc/types.h"

namespace pykc::ir {

/// Where a pointer points. Code generation turns these into the target's address spaces.
/// `Parameter` is a kernel's parameter that is a record: its bytes, which nobody writes. `Cluster` is the shared memory
/// of any block of the cluster.
enum class AddressSpace : std::uint8_t { Global, Shared, Local, Constant, Parameter, Cluster };
inline constexpr std::string_view kAddressSpaceNames[] = {"global",   "shared",    "local",
                                                          "constant", "parameter", "cluster"};
constexpr bool is_read_only(AddressSpace space) {
  return space == AddressSpace::Constant || space == AddressSpace::Parameter;
}

/// A small value: compare with ==, pass by value.
struct Type {
  enum class Kind : std::uint8_t { None, Scalar, Pointer };
  Kind kind = Kind::None;
  ScalarType scalar = ScalarType::Bool;       // the scalar, or what a pointer points to
  AddressSpace space = AddressSpace::Global;  // of a pointer

  static constexpr Type none() { return {}; }
  static constexpr Type of(ScalarType scalar) { return {Kind::Scalar, scalar, AddressSpace::Global}; }
  static constexpr Type pointer(ScalarType element, AddressSpace space) { return {Kind::Pointer, element, space}; }
  constexpr bool is_none() const { return kind == Kind::None; }
  constexpr bool is_scalar() const { return kind == Kind::Scalar; }
  constexpr bool is_pointer() const { return kind == Kind::Pointer; }
  constexpr bool is(ScalarType s) const { return kind == Kind::Scalar && scalar == s; }
  friend constexpr bool operator==(const Type&, const Type&) = default;
};

/// "f32", "ptr<f32, shared>", "none".
std::string to_string(Type type);

}  // namespace pykc::ir
