// The names of one file while its host code runs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"
#include "frontend/syntax/ast.h"
#include "script/values/prototype.h"
#include "script/values/value.h"

namespace pykc::script {

using Names = std::map<std::string, Value, std::less<>>;
/// Those of a call, which are few: they are found by comparing them all.
using Variables = std::vector<std::pair<std::string, Value>>;
Value* find(Variables& variables, std::string_view name);
void assign(Variables& variables, std::string_view name, Value value);

/// The variables of a call of a function, of a lambda or of a comprehension; functions that are defined there keep
/// them.
struct Environment {
  const std::vector<std::string>* assigned;  // the names of all that it assigns
  std::shared_ptr<Environment> outer;        // null: the file
  Variables variables = {};
  ~Environment() { clear(); }
  void clear();
};

struct CompiledKernel;

/// What a function has beside its text.
struct FunctionContext {
  std::shared_ptr<Environment> outer = {};              // where it is defined; null: in the file
  Names defaults = {};                                  // of its parameters, worked out where it is defined
  Value self = {};                                      // what a method was found in; None: it is none
  std::vector<Prototype> prototypes = {};               // of `@vectorize` and `@guvectorize`
  std::string axes = {};                                // of `@guvectorize`: "(n),()->(n)"
  std::shared_ptr<const CompiledKernel> compiled = {};  // of a kernel by `specialize`
};

/// A class: what is defined in its body.
struct HostClass {
  std::string name;
  Names members = {};
};
struct Instance {
  std::shared_ptr<const HostClass> type;
  Names fields = {};
  std::string text = {};  // as it is printed; empty: by its class
  ~Instance() { clear(); }
  void clear();
};

struct Scope {
  const ast::Module* module = nullptr;
  std::optional<std::map<std::string, RecordRef>> records;  // its `@struct` classes, once one of its classes is run
  Names names;
  std::map<std::string, std::string, std::less<>> absent;  // imported, but no values of host code: the module of each
  std::map<std::string, const ast::ClassDef*, std::less<>> unusable;  // classes that are none of host code
  std::vector<Library> star_imports;                                  // `from numba.cuda import *`
  Names built_in;                                                     // names of the prelude that were looked up
  const SourceFile& file() const { return *module->file; }
};

}  // namespace pykc::script
