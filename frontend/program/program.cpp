// Loads a module and what it imports, each file once, dependencies first.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/budget.h"
#include "base/text.h"
#include "frontend/check/names/advice.h"
#include "frontend/check/names/names.h"
#include "frontend/frontend.h"
#include "frontend/syntax/token.h"
#include "stdlib/library.h"
#include "stdlib/reductions.h"

namespace pykc {
namespace {

using checker::NameTable;

/// "a.b" of "a.b.c"; "" of a name without dots.
std::string parent_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string() : std::string(name.substr(0, dot));
}

std::string join_names(std::string_view package, std::string_view name) {
  if (package.empty() || name.empty()) return std::string(package) + std::string(name);
  return std::string(package) + "." + std::string(name);
}

/// The package whose import, or that of whose names, stands before anything that needs a module of the library; "" for
/// what is needed without one.
std::string_view package_of_module(std::string_view module) {
  constexpr std::pair<std::string_view, std::string_view> kPackages[] = {{checker::kUfuncsModule, "numpy"},
                                                                         {checker::kComplexUfuncsModule, "numpy"},
                                                                         {kReductionsModule, "from numpy"},
                                                                         {"pykc.fp16", "numba"},
                                                                         {"pykc.bf16", "numba"}};
  const auto* row = std::ranges::find(kPackages, module, [](const auto& row) { return row.first; });
  return row == std::end(kPackages) ? std::string_view() : row->second;
}

/// Whether what it has are methods, too, which need no import.
bool has_methods(std::string_view module) { return module == kReductionsModule; }

/// `.sum`, but not `atomic.max`.
bool may_be_method(const SourceFile& file, const std::vector<Token>& tokens, std::size_t at) {
  if (at < 2 || tokens[at - 1].kind != TokenKind::Dot) return false;
  return file.text(tokens[at - 2].range) != "atomic";
}

/// `min(a)`, of an array perhaps, but not `min(a, b)`.
bool may_be_extremum(const SourceFile& file, const std::vector<Token>& tokens, std::size_t at) {
  const std::string_view word = file.text(tokens[at].range);
  if ((word != "min" && word != "max") || tokens[at + 1].kind != TokenKind::LeftParen) return false;
  constexpr std::size_t kLongest = 64;  // tokens: what is longer is no name of an array
  int depth = 0;
  for (const Token& token : std::span(tokens).subspan(at + 1, std::min(kLongest, tokens.size() - at - 1))) {
    const bool opens = token.kind == TokenKind::LeftParen || token.kind == TokenKind::LeftBracket;
    const bool closes = token.kind == TokenKind::RightParen || token.kind == TokenKind::RightBracket;
    depth += opens ? 1 : closes ? -1 : 0;
    if (depth == 0 || (depth == 1 && token.kind == TokenKind::Comma)) return depth == 0;
  }
  return false;
}

/// Finds what imports name, and rewrites them: behind the loader every import names a module in full.
class Loader {
 public:
  Loader(Program& program, const ImportResolver& resolve, Diagnostics& diagnostics)
      : program_(program), resolve_(resolve), diagnostics_(diagnostics) {}

  /// `package` is the folder of the file, as a dotted name.
  std::unique_ptr<ast::Module> load(std::shared_ptr<const SourceFile> file, const std::string& package) {
    stand_at(*file, {});
    const std::vector<Token> tokens = lex(*file, diagnostics_);
    load_builtin_modules(*file, tokens);
    Directives directives = read_directives(*file, tokens, diagnostics_);
    apply(directives, *file, diagnostics_);
    std::unique_ptr<ast::Module> module = parse(file, tokens, diagnostics_);
    module->directives = std::move(directives);
    for (const ast::StmtPtr& stmt : module->body)
      if (auto* import = std::get_if<ast::Import>(&stmt->node)) load_imports({*file, package, stmt->range}, *import);
    return module;
  }

 private:
  /// The modules of the builtins that the file may call.
  void load_builtin_modules(const SourceFile& file, const std::vector<Token>& tokens) {
    std::set<std::string_view> packages;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      if (token.kind != TokenKind::Identifier) continue;
      const std::string_view word = file.text(token.range);
      if (word == "numpy" || word == "numba") packages.insert(word);
      if (word == "numpy" && i > 0 && tokens[i - 1].kind == TokenKind::KwFrom) packages.insert("from numpy");
      const auto [first, last] = library_words_.equal_range(word);
      for (auto entry = first; entry != last; ++entry)
        if (const std::string_view package = package_of_module(entry->second);
            package.empty() || packages.contains(package) ||
            (has_methods(entry->second) && (may_be_method(file, tokens, i) || may_be_extremum(file, tokens, i))))
          load_builtin_module(entry->second);
    }
  }

  /// It uses its own functions by their builtin names: the mark is set first.
  void load_builtin_module(std::string_view module) {
    std::string name(module);
    if (program_.find(name) || !builtin_modules_.insert(name).second) return;
    auto file = std::make_shared<const SourceFile>(name, std::string(library_source(name)), SourceFile::built_in());
    program_.imports.push_back({name, "", load(std::move(file), "")});
  }

  struct Place {
    const SourceFile& file;
    const std::string& package;
    SourceRange range;
    Place at(SourceRange other) const { return {file, package, other}; }
  };

  void load_imports(const Place& place, ast::Import& import) {
    if (!import.is_from) {
      for (ast::ImportAlias& alias : import.names) require(place.at(alias.range), alias);
    } else if (import.module.starts_with('.')) {
      load_relative(place, import);
    } else if (const std::optional<std::string> found = find_members(place, import, import.module)) {
      import.module = *found;
    } else {
      report_missing(place, import.module);
    }
  }

  /// `import a.b as c`; a module beside the importing file is bound by the name that is written.
  void require(const Place& place, ast::ImportAlias& alias) {
    if (NameTable::is_known_module(alias.name)) return;
    const bool binds_itself =
        alias.name.find('.') == std::string::npos || alias.as != alias.name.substr(0, alias.name.find('.'));
    if (binds_itself && !place.package.empty()) {
      const std::string beside = join_names(place.package, alias.name);
      if (find(place, beside)) {
        alias.name = beside;
        return;
      }
    }
    if (!find(place, alias.name) && !NameTable::is_host_module(alias.name)) report_missing(place, alias.name);
  }

  /// `from .a import f`: one dot is the folder of the file, each further one the folder around.
  void load_relative(const Place& place, ast::Import& import) {
    const std::size_t dots = std::min(import.module.find_first_not_of('.'), import.module.size());
    std::string package = place.package;
    for (std::size_t i = 1; i < dots; ++i) {
      if (package.empty()) {
        diagnostics_.report(place.file, place.range, DiagnosticId::RelativeImport, import.module);
        return;
      }
      package = parent_of(package);
    }
    const std::string name = join_names(package, import.module.substr(dots));
    if (name.empty()) return load_siblings(place, import);
    if (load_members(place, import, name)) {
      import.module = name;
      return;
    }
    report_missing(place, import.module);
    import.module = name;
  }

  /// `from . import a, b` in the folder of the program: modules alone can stand there.
  void load_siblings(const Place& place, ast::Import& import) {
    import.is_from = false;
    import.module.clear();
    for (const ast::ImportAlias& alias : import.names)
      if (alias.name == "*" || !find(place.at(alias.range), alias.name))
        report_missing(place.at(alias.range), alias.name);
  }

  /// The module that `from name import …` means: beside the importing file, or from where the program starts.
  std::optional<std::string> find_members(const Place& place, const ast::Import& import, const std::string& name) {
    if (NameTable::is_known_module(name)) {
      load_members(place, import, name);
      return name;
    }
    if (const std::string beside = join_names(place.package, name);
        beside != name && load_members(place, import, beside))
      return beside;
    const bool is_found = load_members(place, import, name) || NameTable::is_host_module(name);
    return is_found ? std::optional(name) : std::nullopt;
  }

  /// `from package import module` names modules, `from module import name` names in one.
  bool load_members(const Place& place, const ast::Import& import, const std::string& name) {
    bool is_found = find(place, name);
    for (const ast::ImportAlias& alias : import.names)
      if (alias.name != "*" && !is_module_with(name, alias.name))
        is_found |= find(place.at(alias.range), name + "." + alias.name);
    return is_found;
  }

  /// What a module defines hides a module of that name below it.
  bool is_module_with(const std::string& module, const std::string& name) const {
    const ast::Module* found = program_.find(module);
    if (found == nullptr) return false;
    return std::ranges::any_of(found->body, [&](const ast::StmtPtr& stmt) {
      const auto* function = stmt->as<ast::FunctionDef>();
      const auto* type = stmt->as<ast::ClassDef>();
      return (function != nullptr && function->name == name) || (type != nullptr && type->name == name);
    });
  }

  void report_missing(const Place& place, const std::string& name) {
    auto diagnostic = diagnostics_.report(place.file, place.range, DiagnosticId::ModuleNotFound, name);
    if (const std::string_view note = checker::foreign_module(name); !note.empty())
      diagnostic.note(std::string(note));
    else
      diagnostic.note(
          "modules are looked for in the folder of the file, in the folder where the program starts, then in the "
          "library (`pykc.…`)");
  }

  /// Whether there is a module of that full name; it is loaded then.
  bool find(const Place& place, const std::string& name) {
    if (program_.find(name)) return true;
    if (const auto start = std::ranges::find(loading_, name); start != loading_.end()) {
      report_cycle(place, {start, loading_.end()}, name);
      return true;
    }
    if (missing_.contains(name) || NameTable::is_known_module(name) || !resolve_) return false;
    Result<std::shared_ptr<const SourceFile>> found = resolve_(name);
    if (!found) {
      diagnostics_.report(place.file, place.range, DiagnosticId::ImportFailed, name, found.error().message);
      missing_.insert(name);
      return true;
    }
    std::shared_ptr<const SourceFile> file = std::move(*found);
    if (!file) {
      missing_.insert(name);
      return false;
    }
    if (loading_.size() >= kDeepest) {
      diagnostics_.report(place.file, place.range, DiagnosticId::NestedTooDeeply);
      return true;
    }
    loading_.push_back(name);
    const bool is_package = file->name().ends_with("__init__.pyk");
    std::string package = is_package ? name : parent_of(name);
    std::unique_ptr<ast::Module> module = load(std::move(file), package);
    loading_.pop_back();
    program_.imports.push_back({name, std::move(package), std::move(module)});
    return true;
  }

  void report_cycle(const Place& place, const std::vector<std::string>& cycle, const std::string& name) {
    std::string path;
    for (const std::string& module : cycle) path += as_code(module) + " imports ";
    diagnostics_.report(place.file, place.range, DiagnosticId::ImportCycle, name)
        .note(path + as_code(name))
        .note("move what both need to a third module");
  }

  static constexpr std::size_t kDeepest = 100;
  const std::multimap<std::string, std::string_view, std::less<>> library_words_ =
      checker::name_table().library_words();
  std::set<std::string> builtin_modules_;  // that have been loaded
  Program& program_;
  const ImportResolver& resolve_;
  Diagnostics& diagnostics_;
  std::vector<std::string> loading_;
  std::set<std::string> missing_;
};

}  // namespace

const ast::Module* Program::find(std::string_view name) const {
  for (const Imported& imported : imports)
    if (imported.name == name) return imported.module.get();
  return nullptr;
}

std::string Program::package_of(const ast::Module& module) const {
  for (const Imported& imported : imports)
    if (imported.module.get() == &module) return imported.package;
  return package;
}

bool is_importable(std::string_view module) {
  return NameTable::is_known_module(module) || NameTable::is_host_module(module);
}

Program load_program(std::shared_ptr<const SourceFile> file, const ImportResolver& resolve, Diagnostics& diagnostics,
                     const std::string& package, const std::string& constants) {
  Program program;
  program.package = package;
  if (!constants.empty()) {
    const std::string name(kConstantsModule);
    auto text = std::make_shared<const SourceFile>(name, constants);
    program.imports.push_back({name, "", Loader(program, resolve, diagnostics).load(std::move(text), "")});
  }
  program.main = Loader(program, resolve, diagnostics).load(std::move(file), package);
  return program;
}

Program program_from(const Program& program, const ast::Module& module, const std::string& further) {
  const auto place = std::ranges::find(program.imports, &module, [](const auto& known) { return known.module.get(); });
  const bool is_main = place == program.imports.end();
  // What a module needs stands before it.
  Program result{.main = is_main ? program.main : place->module,
                 .imports = {program.imports.begin(), place},
                 .package = is_main ? program.package : place->package};
  if (further.empty()) return result;
  Diagnostics diagnostics;
  const ImportResolver resolve;
  auto file = std::make_shared<const SourceFile>(module.file->name(), std::string(module.file->text()) + further);
  result.main = Loader(result, resolve, diagnostics).load(std::move(file), result.package);
  return result;
}

}  // namespace pykc
