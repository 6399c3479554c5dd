// What a module declares, as far as it is known: constants, functions with variables and specialisations, classes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/source.h"
#include "frontend/check/types/value.h"
#include "frontend/program/signature.h"
#include "frontend/syntax/ast.h"
#include "pykc/configuration.h"

namespace pykc::checker {

/// A module-level `NAME = …`, worked out when it is first used.
struct ConstantDecl {
  enum class State : std::uint8_t { Untouched, InProgress, Done };
  std::string name;
  const Scope* scope = nullptr;
  SourceRange range;
  const ast::Expr* value = nullptr;
  const ast::Expr* annotation = nullptr;
  std::vector<int> path;  // which element of the value, for `A, B = 16, 32`
  struct Place {
    const Scope* scope;
    SourceRange range;
  };
  std::optional<Place> assigned_again;
  State state = State::Untouched;
  Entity entity = Unknown{};
};

/// A variable of a function, as far as the syntax tells.
struct LocalDecl {
  std::string_view name;
  SourceRange range;  // where it is first assigned
  bool is_parameter = false;
  bool is_plain = false;  // assigned by `x = …`, not only by loops and unpacking
  int assignments = 0;
  int reads = 0;
  const ast::Expr* annotation = nullptr;
  const ast::FunctionDef* closure = nullptr;  // all that is ever assigned: a function inside this one
};

/// An `if` or `for` around statements: which of them count may depend on a constant, and how often on a tuple.
struct Guard {
  const ast::Stmt* stmt;
  bool is_otherwise;       // they stand in its `else`
  int outer;               // the guard around it; -1 for none
  bool is_behind = false;  // they stand behind it: its other side leaves
};

/// A statement that gives variables or the result their types.
struct Site {
  const ast::Stmt* stmt;
  int guard;  // -1 for none
};

struct LocalTable {
  std::vector<LocalDecl> list;
  std::unordered_map<std::string_view, int> index;  // the first variable of each name
  std::unordered_map<std::uint32_t, int> versions;  // other variables of their names, by where the name is used
  std::vector<Site> sites;
  std::vector<Guard> guards;
  bool collected = false;

  /// The variable that the name stands for at a place.
  std::optional<int> find(std::string_view name, SourceRange at) const;
};

/// A function for certain argument types.
struct Specialization {
  std::vector<InferredType> arguments;
  std::vector<InferredType> locals;
  InferredType result;
  bool is_inferred = false;
  bool is_inferring = false;
  bool is_emitting = false;
  bool is_only_checked = false;  // a kernel that nobody compiles
  bool is_needed = false;        // reached from a kernel that is wanted
  bool mentions_double = false;  // says f64 by name: then it means it
  checked::Function* function = nullptr;
  std::set<int> result_readers;      // the sites where it calls itself, while it is inferred
  std::set<int> record_references;   // variables that are the elements that they were given
  std::set<int> copied_records;      // variables that hold a copy of what in Python they would share
  bool gives_shared_record = false;  // a result is, in Python, one of an array or of another variable
  std::set<int> given_parameters;    // the parameters whose records are results
  std::vector<Specialization*> callees;
};

struct FunctionDecl {
  enum class Kind : std::uint8_t { Plain, Device, Kernel, Host };
  const ast::FunctionDef* def = nullptr;
  const Scope* scope = nullptr;
  Kind kind = Kind::Plain;
  bool is_device_code() const { return kind == Kind::Plain || kind == Kind::Device; }
  Dialect dialect = Dialect::Native;
  bool is_external = false;        // only declared: a library that is linked defines it
  bool is_declared_right = false;  // of an external one: it has been looked at, and nothing was reported
  checked::KernelOptions options;
  std::vector<Configuration> configurations;                  // from `@autotune`
  std::optional<SignatureText> signature;                     // from the decorator, if it has one
  std::vector<SignatureText> overloads;                       // if it has several: a kernel is compiled for each
  bool raises_errors = false;                                 // `debug=True`: Python's errors, which are undefined else
  bool is_numba_kernel = false;                               // made by `@cuda.jit`: device code may call it, too
  std::vector<std::optional<checked::Type>> parameter_types;  // none where a parameter's type is left open
  /// The names of what it assigns fields or elements of, or passes on to what does, once somebody has asked.
  std::optional<std::set<std::string_view>> changed_owners;
  std::set<std::string_view> assigned_names;  // then, too
  std::optional<checked::Type> result_type;
  bool has_types = false;  // the two above are filled
  LocalTable locals;
  /// The parameters that shapes of its arrays are made of, once somebody has asked.
  std::optional<std::set<std::string_view>> shape_parameters;
  std::unordered_map<std::vector<InferredType>, Specialization, HashOfTypes> specializations;  // by their arguments
  // Inside another function: that one, and those of its variables that are used here, passed behind the arguments.
  const FunctionDecl* enclosing = nullptr;
  std::vector<std::string_view> captures;
};

/// A class of the program, worked out when it is first used: `@struct class`, an enum, a named tuple.
struct ClassDecl {
  enum class Kind : std::uint8_t { Unusable, Struct, Enum, IntEnum, NamedTuple, Exception };
  enum class State : std::uint8_t { Untouched, InProgress, Done };
  std::string name;
  const ast::ClassDef* def = nullptr;  // null for a call of `namedtuple`
  const Scope* scope = nullptr;
  SourceRange range;
  Kind kind = Kind::Unusable;
  State state = State::Untouched;
  bool is_right = true;                                   // nothing has been reported
  RecordRef record;                                       // Struct, Enum
  std::vector<std::string> names;                         // of the fields or members
  std::vector<std::optional<checked::Type>> field_types;  // NamedTuple; none where it is not annotated
  std::vector<const ast::Expr*> defaults;                 // null where there is none
  std::vector<Int128> members;                            // Enum, IntEnum
};

/// Fills FunctionDecl::locals from the function's syntax.
void collect_locals(FunctionDecl& function);
/// The names that the function uses and neither takes nor assigns.
std::vector<std::string_view> free_names(const ast::FunctionDef& function);

}  // namespace pykc::checker
