// What a piece of syntax denotes while it is checked: a value, or something that is only a step towards one (a type, a
// function, a namespace).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontend/check/types/types.h"
#include "frontend/checked/tree.h"
#include "stdlib/builtins.h"
#include "stdlib/language_names.h"
#include "stdlib/reductions.h"

namespace pykc::checker {

class Scope;
struct ClassDecl;
struct FunctionDecl;
struct Ufunc;

/// Literals, and what is made of literals alone, are weak: they take the type of what they meet.
enum class Weak : std::uint8_t { No, Int, Float, Complex };

/// A checked expression. A weak one has its type of last resort (i64, u64 or f64) until it meets another.
struct Value {
  const checked::Expr* expr = nullptr;  // null: not known, because of an error that is reported
  Weak weak = Weak::No;
  std::vector<Value> elements;  // of a tuple or a record that is spelled out: each may be weak

  bool known() const { return expr != nullptr; }
  checked::Type type() const { return expr->type; }
  ScalarType scalar() const { return expr->type->scalar; }
  bool is_scalar() const { return expr && expr->type.is_scalar(); }
  bool is_array() const { return expr && expr->type.is_array(); }
  bool is_tuple() const { return expr && expr->type.is_tuple(); }
  bool is_record() const { return expr && expr->type.is_record(); }
  bool is_complex() const { return is_record() && expr->type->record->kind == RecordType::Kind::Complex; }
  bool is_text() const { return is_record() && pykc::is_text(expr->type->record); }
  bool is_vector() const { return is_record() && expr->type->record->kind == RecordType::Kind::Vector; }
  bool is_weak() const { return weak != Weak::No; }
  bool is_constant() const { return expr && expr->as<checked::Constant>(); }
  bool is_weak_integer() const { return weak == Weak::Int && is_constant(); }
  SourceRange range() const { return expr->range; }
};

/// A list or NumPy array of a module: constant data for `const.array_like`. Or a `const.array`, which the host fills.
struct Table {
  std::string name;
  ArrayType type;
  std::string bytes;
  std::optional<ConstantInfo> host = {};
};

struct Unknown {};  // an error has been reported
struct NoneRef {};
struct NamespaceRef {
  std::string prefix;             // of the name table
  const Scope* module = nullptr;  // or a .pyk module
  std::string path = {};          // as imported: submodules stand below it
};
struct TypeRef {
  ElementType type;
};
struct BuiltinRef {
  BuiltinId id;
  std::optional<ScalarType> type = {};  // of its class letter, where the name says so
};
struct LanguageFunctionRef {
  LanguageFunction id;
};
struct UfuncRef {
  const Ufunc* row;
};
struct ReductionRef {
  const Reduction* row;
  Value self = {};  // of a method: the array
};
struct FunctionRef {
  FunctionDecl* function;
};
/// A class of the program: a struct, an enum or a named tuple.
struct ClassRef {
  const ClassDecl* decl;
};
/// A member of an enum. As a value, one of an IntEnum is its integer.
struct MemberRef {
  const ClassDecl* decl;
  std::size_t index;
};
struct TableRef {
  Table* table;
};
struct TextRef {
  std::string text;
};
enum class Method : std::uint8_t { Reshape, Ravel, Transpose, View, Item, Conjugate, Copy };
struct MethodRef {  // of an array or a complex number, waiting for its call
  Value self;
  Method method;
};

using Entity = std::variant<Unknown, Value, NoneRef, NamespaceRef, TypeRef, BuiltinRef, LanguageFunctionRef, UfuncRef,
                            ReductionRef, FunctionRef, TableRef, TextRef, ClassRef, MemberRef, MethodRef>;

/// "a type", "a function": how a message speaks of it.
std::string describe(const Entity& entity);
/// "f32", "a tuple of 2", "f32[:]".
std::string describe(const Value& value);

/// What a variable that is assigned this value must be able to hold.
InferredType inferred_type(const Value& value);
/// How weak a value of that type is: nothing but literals have made it.
inline Weak weakness(const InferredType& type) {
  return !type.weak ? Weak::No : type.type.is_record() ? Weak::Complex : Weak::Float;
}

}  // namespace pykc::checker
