// A module as the checker sees it: which name stands for which function, constant or import.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/check/names/declarations.h"
#include "frontend/check/names/names.h"

namespace pykc::checker {

/// Something that a module imports and kernels cannot use.
struct UnusableDecl {
  std::string what;
  std::string near = {};    // the name that may be meant; "" for none
  bool is_of_host = false;  // out of a module that kernels have nothing of
};

using Binding = std::variant<FunctionDecl*, ConstantDecl*, NamespaceRef, NameEntry, ClassDecl*, UnusableDecl>;

class Scope {
 public:
  Scope(std::string name, const ast::Module* module);

  const std::string& name() const { return name_; }
  const SourceFile& file() const { return *module_->file; }
  const ast::Module& module() const { return *module_; }
  Dialect dialect() const { return dialect_; }

  void bind(std::string name, Binding binding) { bindings_.insert_or_assign(std::move(name), std::move(binding)); }
  const Binding* find(std::string_view name) const;
  void add_star_import(std::string prefix) { star_imports_.push_back(std::move(prefix)); }
  const std::vector<std::string>& star_imports() const { return star_imports_; }
  const std::unordered_map<std::string, Binding>& bindings() const { return bindings_; }
  std::vector<std::string_view> names() const;

 private:
  std::string name_;
  const ast::Module* module_;
  Dialect dialect_ = Dialect::Native;  // Numba's, where it imports `numba`
  std::unordered_map<std::string, Binding> bindings_;
  std::vector<std::string> star_imports_;
};

}  // namespace pykc::checker
