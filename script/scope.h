// The names of one file while its host code runs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "frontend/ast.h"
#include "script/value.h"

namespace pykc::script {

using Names = std::map<std::string, Value, std::less<>>;

struct Scope {
  const ast::Module* module = nullptr;
  std::optional<std::map<std::string, RecordRef>> records;  // its `@struct` classes, once one of its classes is run
  Names names;
  std::map<std::string, std::string, std::less<>> absent;  // imported, but no values of host code: the module of each
  std::vector<Library> star_imports;                       // `from numba.cuda import *`
  const SourceFile& file() const { return *module->file; }
};

}  // namespace pykc::script
