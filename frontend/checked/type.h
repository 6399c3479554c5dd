// The types of values in a kernel. Each is kept once, in the pool of its module, and is known by where it lies there:
// a type is a pointer, cheap to copy and to compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/type.h"
#include "pykc/types.h"

namespace pykc::checked {

struct TypeData;

/// The type of a value in a kernel; compare with ==. None and the scalars are the same everywhere, others in one pool.
class Type {
 public:
  // Static: a function or a constant, which the type names. What a value of it holds are the variables that a function
  // inside another one uses of that.
  enum class Kind : std::uint8_t { None, Scalar, Array, Tuple, Record, Static };
  Type();  // None
  static Type none() { return {}; }
  static Type of(ScalarType scalar);
  const TypeData* operator->() const { return data_; }
  bool is_none() const { return is(Kind::None); }
  bool is_scalar() const { return is(Kind::Scalar); }
  bool is_array() const { return is(Kind::Array); }
  bool is_tuple() const { return is(Kind::Tuple); }
  bool is_record() const { return is(Kind::Record); }
  bool is_static() const { return is(Kind::Static); }
  friend bool operator==(Type, Type) = default;

 private:
  friend class TypePool;
  explicit Type(const TypeData* data) : data_(data) {}
  bool is(Kind kind) const;
  const TypeData* data_;
};
std::string to_string(Type type);

/// What a type says. Recursive in tuples and functions only.
struct TypeData {
  Type::Kind kind = Type::Kind::None;
  ScalarType scalar = ScalarType::I64;                // Scalar
  ir::AddressSpace space = ir::AddressSpace::Global;  // Array: where its elements live
  int entity = -1;                                    // Static: a number of the checker's
  ArrayType array;                                    // Array
  bool is_pointer = false;                            // Array: nobody knows how long it is, as of Numba's `CPointer`
  std::vector<Type> elements;                         // Tuple; Static: of those variables
  std::vector<std::string> names;                     // of the elements of a named tuple; "None" of that Static
  RecordRef record;                                   // Record
  friend bool operator==(const TypeData&, const TypeData&) = default;
};

inline bool Type::is(Kind kind) const { return data_->kind == kind; }

/// Owns types. They stay where they are when the pool moves.
class TypePool {
 public:
  TypePool() = default;
  TypePool(TypePool&&) = default;
  TypePool& operator=(TypePool&&) = default;

  Type of(const ElementType& type);
  Type of(ArrayType array, ir::AddressSpace space = ir::AddressSpace::Global);
  /// That array as one of a length that nobody knows.
  Type pointer(ArrayType array, ir::AddressSpace space = ir::AddressSpace::Global);
  Type tuple(std::vector<Type> elements, std::vector<std::string> names = {});
  /// Without a number: of any function or constant, which an annotation says.
  Type of_static(int entity = -1, std::vector<Type> variables = {}, std::vector<std::string> names = {});
  /// The tuple or function with these types in it.
  Type with_elements(Type type, std::vector<Type> elements);
  /// What a tuple or a record is made of, in order; a record's field that is an array is a tuple of its elements.
  std::vector<Type> components(Type type);

 private:
  struct Hash {
    std::size_t operator()(const TypeData& data) const;
  };
  Type intern(TypeData data) { return Type(&*types_.insert(std::move(data)).first); }
  std::unordered_set<TypeData, Hash> types_;
};

}  // namespace pykc::checked

template <>
struct std::hash<pykc::checked::Type> {
  std::size_t operator()(pykc::checked::Type type) const { return std::hash<const void*>()(type.operator->()); }
};
