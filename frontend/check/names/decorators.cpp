#include "frontend/check/names/decorators.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/autotune.h"
#include "frontend/check/symbols.h"
#include "frontend/program/function_kind.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {

namespace {

constexpr std::int64_t kMostClusterBlocks = 8;
constexpr int kMostThreadsPerBlock = 1024;
constexpr int kMostBlocksPerMultiprocessor = 32;
constexpr int kMostRegisters = 255;
constexpr int kMostRanksOfCluster = 16;
constexpr std::string_view kCarveouts[] = {"default", "maxl1", "maxshared"};

/// What Numba's decorators take and pykc needs no telling.
constexpr std::string_view kIgnored[] = {"inline",   "forceinline", "opt",      "lineinfo",    "cache", "target",
                                         "nopython", "parallel",    "identity", "boundscheck", "lto"};
constexpr std::string_view kOptions[] = {"launch_bounds", "max_registers", "cluster", "fastmath",     "contract",
                                         "noalias",       "wraparound",    "device",  "weak_literals"};

class DecoratorReader {
 public:
  DecoratorReader(ModuleChecker& module, const Scope& scope, FunctionDecl& function)
      : module_(module), scope_(scope), function_(function), body_(module, scope) {}

  void read(const ast::Expr& decorator) {
    const auto* call = decorator.as<ast::Call>();
    const ast::Expr& name = call ? *call->function : decorator;
    if (is_of_host(name)) {
      function_.kind = FunctionDecl::Kind::Host;
      return;
    }
    const Entity found = body_.entity(name);
    if (std::holds_alternative<Unknown>(found)) return;
    if (std::holds_alternative<FunctionRef>(found)) {  // the host calls it with the function
      function_.kind = FunctionDecl::Kind::Host;
      return;
    }
    const auto* named = std::get_if<LanguageFunctionRef>(&found);
    if (named && named->id == LanguageFunction::Autotune) return read_configurations(body_, decorator, function_);
    if (!named || is_function(named->id) || info(named->id).kind == LanguageFunctionKind::Argument) {
      body_.report(name.range, DiagnosticId::UnknownDecorator, scope_.file().text(name.range))
          .note(
              "decorators are `@kernel`, `@device`, `@autotune`, `@extern`, `@test`, and Numba's `@cuda.jit` and "
              "`@vectorize`");
      return;
    }
    function_.kind = declared_kind(kind_made_by(named->id, false));
    function_.is_numba_kernel = named->id == LanguageFunction::CudaJit;
    const bool is_numba = info(named->id).kind == LanguageFunctionKind::NumbaDecorator;
    dialect_ = is_numba ? SignatureDialect::NumbaCodes : SignatureDialect::Numba;
    if (named->id == LanguageFunction::Extern) {
      function_.is_external = true;
      if (!may_leave_language(module_, scope_)) body_.report(name.range, DiagnosticId::Untrusted, "@extern");
      reserve_symbol(module_, function_.def->name);
    }
    const bool is_called_by_host =
        named->id == LanguageFunction::GuVectorize || named->id == LanguageFunction::CudaReduce;
    if (!call || is_called_by_host) return;  // what stands in brackets is for host code
    for (const ast::Keyword& keyword : call->keywords) option(named->id, keyword);
    if (has_weak_literals_) function_.dialect = Dialect::Native;
    for (const ast::ExprPtr& argument : call->arguments) positional(named->id, *argument);
  }

  /// Only now it is known whether the function is a kernel.
  void finish() {
    if (!function_.configurations.empty() && function_.kind != FunctionDecl::Kind::Kernel)
      body_
          .report(function_.def->name_range, DiagnosticId::AutotuneWithoutChoice, function_.def->name,
                  "belongs to no kernel")
          .note("it stands above `@kernel`");
  }

 private:
  /// `cp.fuse`, `functools.wraps`: out of a module that kernels have nothing of.
  bool is_of_host(const ast::Expr& name) const {
    const ast::Expr* root = &name;
    while (const auto* dotted = root->as<ast::Attribute>()) root = dotted->value.get();
    if (const auto* call = root->as<ast::Call>()) return is_of_host(*call->function);
    const auto* plain = root->as<ast::Name>();
    const Binding* binding = plain ? scope_.find(plain->id) : nullptr;
    const auto* unusable = binding ? std::get_if<UnusableDecl>(binding) : nullptr;
    return unusable != nullptr && unusable->is_of_host;
  }

  /// What the checker sees of it: kernels call all that is neither a kernel nor a test.
  static FunctionDecl::Kind declared_kind(FunctionKind kind) {
    if (kind == FunctionKind::Kernel) return FunctionDecl::Kind::Kernel;
    return kind == FunctionKind::Test ? FunctionDecl::Kind::Host : FunctionDecl::Kind::Device;
  }

  /// A signature: 'void(float32[:])', or void(float32[:]) without quotes. @vectorize takes a list of them.
  void positional(LanguageFunction id, const ast::Expr& argument) {
    if (id == LanguageFunction::Test || id == LanguageFunction::Device || id == LanguageFunction::Extern) {
      body_.report(argument.range, DiagnosticId::DecoratorArgument, "a signature")
          .note("annotate the parameters instead: `x: f32[:]`");
      return;
    }
    const std::vector<const ast::Expr*> listed = signatures_of(argument);
    if (listed.size() == 1) function_.signature = signature(*listed.front());
    if (listed.size() < 2 || function_.kind != FunctionDecl::Kind::Kernel) return;  // others stay generic
    for (const ast::Expr* each : listed)
      if (std::optional<SignatureText> overload = signature(*each)) function_.overloads.push_back(std::move(*overload));
  }

  /// One signature, or the elements of a list of them. A name stands for what the module assigns to it.
  std::vector<const ast::Expr*> signatures_of(const ast::Expr& argument) {
    const ast::Expr& given = assigned_value(argument);
    const auto* list = given.as<ast::List>();
    if (!list) return {&given};
    std::vector<const ast::Expr*> result;
    for (const ast::ExprPtr& element : list->elements) result.push_back(&assigned_value(*element));
    return result;
  }

  const ast::Expr& assigned_value(const ast::Expr& expr) const {
    const auto* name = expr.as<ast::Name>();
    const Binding* binding = name ? scope_.find(name->id) : nullptr;
    const auto* constant = binding ? std::get_if<ConstantDecl*>(binding) : nullptr;
    const bool is_plain = constant && (*constant)->path.empty() && !(*constant)->assigned_again;
    return is_plain && (*constant)->scope == &scope_ ? *(*constant)->value : expr;
  }

  /// None, and a report, where it is no signature or does not fit the function.
  std::optional<SignatureText> signature(const ast::Expr& argument) {
    const auto* quoted = argument.as<ast::StringLiteral>();
    const std::string text = quoted ? quoted->value : std::string(scope_.file().text(argument.range));
    std::string error;
    std::optional<SignatureText> result = parse_signature_text(text, dialect_, error);
    if (!result) {
      body_.report(argument.range, DiagnosticId::BadSignature, error);
      return std::nullopt;
    }
    const std::size_t stated = result->parameters.size(), declared = function_.def->parameters.size();
    if (stated == declared) return result;
    body_.report(argument.range, DiagnosticId::SignatureCount, stated, function_.def->name, declared)
        .label(scope_.file(), function_.def->name_range, "declared here");
    return std::nullopt;
  }

  void option(LanguageFunction decorator, const ast::Keyword& keyword) {
    checked::KernelOptions& options = function_.options;
    const std::string_view name = keyword.name;
    if (name == "launch_bounds") return launch_bounds(*keyword.value);
    if (name == "max_registers") {
      const int count = in_range(*keyword.value, name, 1, kMostRegisters, DiagnosticId::RegisterCount);
      if (count > 0) options.max_registers = count;
      return;
    }
    if (name == "cluster") return cluster(*keyword.value);
    if (name == "shared_memory_carveout") return carveout(*keyword.value);
    const struct {
      std::string_view name;
      bool* flag;
    } flags[] = {{"fastmath", &options.fast_math},
                 {"contract", &options.contract},
                 {"noalias", &options.no_alias},
                 {"wraparound", &options.wraparound},
                 {"weak_literals", &has_weak_literals_}};
    for (const auto& row : flags) {
      if (row.name != name) continue;
      if (const std::optional<bool> value = constant_bool(body_, *keyword.value, "an option")) *row.flag = *value;
      return;
    }
    if (name == "device") {
      const std::optional<bool> value = constant_bool(body_, *keyword.value, "an option");
      if (value) function_.kind = declared_kind(kind_made_by(decorator, *value));
      return;
    }
    if (name == "debug") {
      const std::optional<bool> value = constant_bool(body_, *keyword.value, "an option");
      if (value) function_.raises_errors = *value;
      return;
    }
    if (name == "link") return link(*keyword.value);
    if (std::find(std::begin(kIgnored), std::end(kIgnored), name) != std::end(kIgnored)) return;
    auto diagnostic = body_.report(keyword.name_range, DiagnosticId::DecoratorArgument, name);
    const std::string_view near = nearest(name, {std::begin(kOptions), std::end(kOptions)});
    diagnostic.did_you_mean(near);
    if (near.empty())
      diagnostic.note(
          "options are launch_bounds, max_registers, cluster, fastmath, contract, noalias, wraparound and "
          "weak_literals");
  }

  /// Libraries are given to the whole compilation; a list without any asks for nothing.
  void link(const ast::Expr& value) {
    const auto* list = value.as<ast::List>();
    if (list && list->elements.empty()) return;
    body_.report(value.range, DiagnosticId::DecoratorArgument, "link")
        .note("declare its functions with `@extern`, and link the library from C++: `CompileOptions::libraries`");
  }

  /// `launch_bounds=256`, `(256,)`, or with the least number of blocks a multiprocessor: `(256, 2)`. A third number,
  /// the most blocks of a cluster, changes nothing: launches of a kernel with `cluster=` have those.
  void launch_bounds(const ast::Expr& value) {
    const std::vector<const ast::Expr*> bounds = ast::parts_of(value);
    if (bounds.empty() || bounds.size() > 3) {
      body_.report(value.range, DiagnosticId::LaunchBounds, "a number of threads, or two or three numbers");
      return;
    }
    const auto bound = [&](std::size_t i, int most) {
      return i < bounds.size() ? in_range(*bounds[i], "launch_bounds", 1, most, DiagnosticId::LaunchBounds) : 0;
    };
    function_.options.max_threads_per_block = bound(0, kMostThreadsPerBlock);
    function_.options.min_blocks_per_multiprocessor = bound(1, kMostBlocksPerMultiprocessor);
    bound(2, kMostRanksOfCluster);
  }

  /// Advice for the driver alone; it is only looked at whether it is one.
  void carveout(const ast::Expr& value) {
    if (const auto* name = value.as<ast::StringLiteral>()) {
      std::string lower = name->value;
      std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
      if (std::ranges::find(kCarveouts, lower) != std::end(kCarveouts)) return;
      body_.report(value.range, DiagnosticId::ArgumentValue, "shared_memory_carveout",
                   "-1 to 100, \"default\", \"MaxL1\" or \"MaxShared\"");
      return;
    }
    const std::optional<Int128> percent = constant_integer(body_, value, "`shared_memory_carveout`");
    if (percent && (*percent < -1 || *percent > 100))
      body_.report(value.range, DiagnosticId::ArgumentValue, "shared_memory_carveout",
                   "-1 to 100, \"default\", \"MaxL1\" or \"MaxShared\"");
  }

  /// `cluster=2` or `cluster=(2, 2, 1)`: at most 8 blocks in all, which every GPU with clusters has.
  void cluster(const ast::Expr& value) {
    const std::vector<const ast::Expr*> extents = ast::parts_of(value);
    Dim3 size;
    std::int64_t* const axes[] = {&size.x, &size.y, &size.z};
    for (std::size_t i = 0; i < extents.size() && i < 3; ++i) {
      const std::optional<Int128> extent = constant_integer(body_, *extents[i], "`cluster`");
      if (!extent) return;
      *axes[i] = *extent >= 1 && *extent <= kMostClusterBlocks ? static_cast<std::int64_t>(*extent) : 0;
    }
    const std::int64_t blocks = size.x * size.y * size.z;
    if (extents.empty() || extents.size() > 3 || blocks < 1 || blocks > kMostClusterBlocks) {
      body_.report(value.range, DiagnosticId::ArgumentValue, "cluster",
                   "one to three extents, of 8 blocks in all at most");
      return;
    }
    function_.options.cluster = size;
  }

  /// 0, and a report, where the value is out of range.
  int in_range(const ast::Expr& expr, std::string_view what, int least, int most, DiagnosticFor<std::string> id) {
    const std::optional<Int128> value = constant_integer(body_, expr, what);
    if (!value) return 0;
    if (*value >= least && *value <= most) return static_cast<int>(*value);
    body_.report(expr.range, id, std::to_string(least) + " to " + std::to_string(most));
    return 0;
  }

  ModuleChecker& module_;
  const Scope& scope_;
  FunctionDecl& function_;
  FunctionChecker body_;
  bool has_weak_literals_ = false;
  SignatureDialect dialect_ = SignatureDialect::Numba;  // of the decorator that is read
};

}  // namespace

void read_decorators(ModuleChecker& module, const Scope& scope, FunctionDecl& function) {
  DecoratorReader reader(module, scope, function);
  for (const ast::ExprPtr& decorator : function.def->decorators) reader.read(*decorator);
  reader.finish();
}

}  // namespace pykc::checker
