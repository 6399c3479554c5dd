// Loads a module and what it imports, each file once, dependencies first.
#include <algorithm>
#include <set>
#include <utility>

#include "frontend/check_names.h"
#include "frontend/frontend.h"
#include "stdlib/library.h"

namespace pykc {
namespace {

using checker::NameTable;

/// The last words of the builtins that are written in the language: `norm3d` of `math.norm3d`.
std::set<std::string_view> library_words() {
  std::set<std::string_view> words;
  for (const Builtin& row : all_builtins())
    if (row.cpu.kind == Lowering::Kind::Library) words.insert(row.name.substr(row.name.rfind('.') + 1));
  return words;
}

class Loader {
 public:
  Loader(Program& program, const ImportResolver& resolve, Diagnostics& diagnostics)
      : program_(program), resolve_(resolve), diagnostics_(diagnostics) {}

  std::unique_ptr<ast::Module> load(std::shared_ptr<const SourceFile> file) {
    const std::vector<Token> tokens = lex(*file, diagnostics_);
    if (may_call_library(*file, tokens)) load_intrinsics();
    std::unique_ptr<ast::Module> module = parse(file, tokens, diagnostics_);
    for (const ast::StmtPtr& stmt : module->body)
      if (const auto* import = stmt->as<ast::Import>()) load_imports(*file, *import, stmt->range);
    return module;
  }

 private:
  bool may_call_library(const SourceFile& file, const std::vector<Token>& tokens) const {
    return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
      return token.kind == TokenKind::Identifier && library_words_.contains(file.text(token.range));
    });
  }

  /// It uses its own functions by their builtin names: the mark is set first.
  void load_intrinsics() {
    if (std::exchange(has_intrinsics_, true)) return;
    const std::string name(checker::kIntrinsicsModule);
    auto file = std::make_shared<const SourceFile>(name, std::string(library_source(name)));
    program_.imports.push_back({name, load(std::move(file))});
  }

  void load_imports(const SourceFile& file, const ast::Import& import, SourceRange range) {
    if (!import.is_from) {
      for (const ast::ImportAlias& alias : import.names) require(file, alias.name, alias.range);
      return;
    }
    // `from package import module` names a module, `from module import name` a name in one.
    bool names_modules = false;
    for (const ast::ImportAlias& alias : import.names)
      names_modules |= alias.name != "*" && find(file, import.module + "." + alias.name, alias.range);
    if (!names_modules) require(file, import.module, range);
  }

  void require(const SourceFile& file, const std::string& name, SourceRange range) {
    if (NameTable::is_known_module(name) || find(file, name, range)) return;
    diagnostics_.report(file, range, DiagnosticId::ModuleNotFound, name)
        .note("modules are looked for in the folder of the file, then in the library (`pykc.…`)");
  }

  /// Whether there is a module of that name; it is loaded then.
  bool find(const SourceFile& importer, const std::string& name, SourceRange range) {
    if (program_.find(name)) return true;
    if (std::find(loading_.begin(), loading_.end(), name) != loading_.end()) {
      diagnostics_.report(importer, range, DiagnosticId::ImportCycle, name)
          .note("move what both need to a third module");
      return true;
    }
    if (missing_.contains(name) || NameTable::is_known_module(name) || !resolve_) return false;
    std::shared_ptr<const SourceFile> file = resolve_(name);
    if (!file) {
      missing_.insert(name);
      return false;
    }
    if (loading_.size() >= kDeepest) {
      diagnostics_.report(importer, range, DiagnosticId::NestedTooDeeply);
      return true;
    }
    loading_.push_back(name);
    std::unique_ptr<ast::Module> module = load(std::move(file));
    loading_.pop_back();
    program_.imports.push_back({name, std::move(module)});
    return true;
  }

  static constexpr std::size_t kDeepest = 100;
  const std::set<std::string_view> library_words_ = library_words();
  bool has_intrinsics_ = false;
  Program& program_;
  const ImportResolver& resolve_;
  Diagnostics& diagnostics_;
  std::vector<std::string> loading_;
  std::set<std::string> missing_;
};

/// Whether a decorator makes a kernel: `@kernel`, `@cuda.jit`, called or not, but for device=True.
bool makes_kernel(const ast::Expr& decorator) {
  const auto* call = decorator.as<ast::Call>();
  const ast::Expr& name = call ? *call->function : decorator;
  const auto* plain = name.as<ast::Name>();
  const auto* dotted = name.as<ast::Attribute>();
  const auto* owner = dotted ? dotted->value->as<ast::Name>() : nullptr;
  const bool is_numba_jit = owner && owner->id == "numba" && dotted->name == "jit";
  const std::string_view last = plain ? plain->id : dotted ? dotted->name : std::string_view();
  if ((last != "kernel" && last != "jit") || is_numba_jit) return false;
  if (!call) return true;
  return std::none_of(call->keywords.begin(), call->keywords.end(), [](const ast::Keyword& keyword) {
    const auto* flag = keyword.value->as<ast::BoolLiteral>();
    return keyword.name == "device" && flag && flag->value;
  });
}

}  // namespace

const ast::Module* Program::find(std::string_view name) const {
  for (const Imported& imported : imports)
    if (imported.name == name) return imported.module.get();
  return nullptr;
}

Program load_program(std::shared_ptr<const SourceFile> file, const ImportResolver& resolve, Diagnostics& diagnostics) {
  Program program;
  program.main = Loader(program, resolve, diagnostics).load(std::move(file));
  return program;
}

std::vector<std::string> kernel_names(const ast::Module& module) {
  std::vector<std::string> names;
  for (const ast::StmtPtr& stmt : module.body) {
    const auto* function = stmt->as<ast::FunctionDef>();
    if (!function) continue;
    std::erase(names, function->name);  // a later function of the same name takes its place
    const bool is_kernel = std::any_of(function->decorators.begin(), function->decorators.end(),
                                       [](const ast::ExprPtr& decorator) { return makes_kernel(*decorator); });
    if (is_kernel) names.push_back(function->name);
  }
  return names;
}

}  // namespace pykc
