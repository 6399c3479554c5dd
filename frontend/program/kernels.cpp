// What the decorators and annotations of a module's functions say of its kernels, before anything is checked.
#include <algorithm>

#include "base/text.h"
#include "frontend/check/names/names.h"
#include "frontend/frontend.h"
#include "frontend/program/function_kind.h"

namespace pykc {
namespace {

using checker::name_table;
using checker::NameEntry;
using checker::NameTable;

/// What stands in front of a decorator's arguments.
const ast::Expr& callee_of(const ast::Expr& decorator) {
  const auto* call = decorator.as<ast::Call>();
  return call ? *call->function : decorator;
}

/// "jit" of `cuda.jit`.
std::string_view last_name(const ast::Expr& name) {
  const auto* plain = name.as<ast::Name>();
  const auto* dotted = name.as<ast::Attribute>();
  return plain ? plain->id : dotted ? dotted->name : std::string_view();
}

bool says_device(const ast::Call& call) {
  return std::ranges::any_of(call.keywords, [](const ast::Keyword& keyword) {
    const auto* flag = keyword.value->as<ast::BoolLiteral>();
    return keyword.name == "device" && flag && flag->value;
  });
}

/// The whole path of an imported name: "numba.cuda" of `cuda` behind `from numba import cuda`. Other names as they are.
std::string imported_path(const ast::Module& module, const std::string& name) {
  std::string path = name;
  for (const ast::StmtPtr& stmt : module.body) {
    const auto* import = stmt->as<ast::Import>();
    if (!import) continue;
    for (const ast::ImportAlias& alias : import->names) {
      if ((alias.as.empty() ? alias.name : alias.as) != name) continue;
      const bool binds_first = !import->is_from && alias.name.starts_with(name + ".");  // `import numba.cuda`
      path = import->is_from ? import->module + "." + alias.name : binds_first ? name : alias.name;
    }
  }
  return path;
}

/// "numba.cuda.jit" of `cuda.jit`; "" for what is no dotted name.
std::string path_of(const ast::Module& module, const ast::Expr& expr) {
  if (const auto* name = expr.as<ast::Name>()) return imported_path(module, name->id);
  const auto* dotted = expr.as<ast::Attribute>();
  const std::string owner = dotted ? path_of(module, *dotted->value) : std::string();
  return owner.empty() ? owner : owner + "." + dotted->name;
}

/// What a decorator's name stands for.
std::optional<LanguageFunction> language_function_of(const ast::Module& module, const ast::Expr& decorator) {
  const std::string path = path_of(module, callee_of(decorator));
  const std::size_t dot = path.rfind('.');
  const bool is_plain = dot == std::string::npos;
  const std::string owner = is_plain ? std::string() : path.substr(0, dot);
  const std::string prefix = NameTable::is_known_module(owner) ? NameTable::prefix_of_module(owner) : owner;
  const NameEntry* entry = name_table().find(prefix, is_plain ? path : path.substr(dot + 1));
  const auto* named = entry ? std::get_if<LanguageFunction>(entry) : nullptr;
  return named ? std::optional(*named) : std::nullopt;
}

}  // namespace

bool is_known_decorator(const ast::Module& module, const ast::Expr& decorator) {
  return language_function_of(module, decorator).has_value();
}

bool is_kernel_name(std::string_view name) {
  const NameEntry* entry = name_table().find("", name);
  const auto* special = entry ? std::get_if<LanguageFunction>(entry) : nullptr;
  return entry && (!special || is_function(*special));
}

bool is_exception_name(std::string_view name) {
  const NameEntry* entry = name_table().find("", name);
  const auto* special = entry ? std::get_if<LanguageFunction>(entry) : nullptr;
  return special && *special == LanguageFunction::Exception;
}

std::optional<double> number_named(std::string_view module, std::string_view name) {
  const NameEntry* entry = name_table().find(module, name);
  const auto* number = entry ? std::get_if<double>(entry) : nullptr;
  return number ? std::optional(*number) : std::nullopt;
}

FunctionKind kind_made_by(LanguageFunction decorator, bool is_device) {
  switch (decorator) {
    case LanguageFunction::Kernel:
    case LanguageFunction::CudaJit:
      return is_device ? FunctionKind::Device : FunctionKind::Kernel;
    case LanguageFunction::Device:
    case LanguageFunction::Extern:
      return FunctionKind::Device;
    case LanguageFunction::Vectorize:
      return FunctionKind::Vectorized;
    case LanguageFunction::GuVectorize:
      return FunctionKind::Generalized;
    case LanguageFunction::CudaReduce:
      return FunctionKind::Reduction;
    case LanguageFunction::HostJit:
      return FunctionKind::Compiled;
    case LanguageFunction::Test:
      return FunctionKind::Test;
    default:
      return FunctionKind::Plain;
  }
}

FunctionKind kind_of(const ast::Module& module, const ast::FunctionDef& function) {
  FunctionKind kind = FunctionKind::Plain;
  for (const ast::ExprPtr& decorator : function.decorators) {
    const std::optional<LanguageFunction> special = language_function_of(module, *decorator);
    if (!special) continue;
    const auto* call = decorator->as<ast::Call>();
    const FunctionKind made = kind_made_by(*special, call && says_device(*call));
    if (made != FunctionKind::Plain) kind = made;
  }
  return kind;
}

bool is_numba_kernel(const ast::Module& module, std::string_view name) {
  for (const ast::FunctionDef* kernel : kernels_of(module))
    if (kernel->name == name)
      return std::ranges::any_of(kernel->decorators, [&](const ast::ExprPtr& decorator) {
        return language_function_of(module, *decorator) == LanguageFunction::CudaJit;
      });
  return false;
}

bool is_raw_kernel(const ast::Module& module, const ast::FunctionDef& function) {
  return std::ranges::any_of(function.decorators, [&](const ast::ExprPtr& decorator) {
    return path_of(module, callee_of(*decorator)) == "cupyx.jit.rawkernel";
  });
}

std::vector<const ast::FunctionDef*> kernels_of(const ast::Module& module) {
  std::vector<const ast::FunctionDef*> kernels;
  for (const ast::StmtPtr& stmt : module.body) {
    const auto* function = stmt->as<ast::FunctionDef>();
    if (!function) continue;
    std::erase_if(kernels, [&](const ast::FunctionDef* earlier) { return earlier->name == function->name; });
    if (kind_of(module, *function) == FunctionKind::Kernel) kernels.push_back(function);
  }
  return kernels;
}

namespace {

/// Its own come first, and hide imported ones of the same name.
std::vector<NamedKernel> kernels_known_in(const ast::Module& module, const Program& program) {
  std::vector<NamedKernel> kernels;
  for (const ast::FunctionDef* kernel : kernels_of(module)) kernels.push_back({kernel->name, kernel, &module});
  for (const ast::StmtPtr& stmt : module.body) {
    const auto* import = stmt->as<ast::Import>();
    const ast::Module* const from = import && import->is_from ? program.find(import->module) : nullptr;
    if (from == nullptr) continue;
    for (const NamedKernel& kernel : kernels_known_in(*from, program))
      for (const ast::ImportAlias& alias : import->names)
        if (alias.name == kernel.name && std::ranges::find(kernels, alias.as, &NamedKernel::name) == kernels.end())
          kernels.push_back({alias.as, kernel.definition, kernel.module});
  }
  return kernels;
}

}  // namespace

std::vector<NamedKernel> kernels_of(const Program& program) { return kernels_known_in(*program.main, program); }

std::vector<std::string> kernel_names(const ast::Module& module) {
  std::vector<std::string> names;
  for (const ast::FunctionDef* kernel : kernels_of(module)) names.push_back(kernel->name);
  return names;
}

bool declares_host_constant(const ast::Expr& value) {
  const auto* call = value.as<ast::Call>();
  const auto* callee = call ? call->function->as<ast::Attribute>() : nullptr;
  if (!callee || callee->name != "array") return false;
  const auto* name = callee->value->as<ast::Name>();
  const auto* dotted = callee->value->as<ast::Attribute>();
  return name ? name->id == "const" : dotted && dotted->name == "const";
}

std::vector<std::string> host_constant_names(const ast::Module& module) {
  std::vector<std::string> names;
  for (const ast::StmtPtr& stmt : module.body) {
    const auto* assign = stmt->as<ast::Assign>();
    if (!assign || !declares_host_constant(*assign->value)) continue;
    for (const ast::ExprPtr& target : assign->targets)
      if (const auto* name = target->as<ast::Name>()) names.push_back(name->id);
  }
  return names;
}

namespace {

/// What the decorators of a function state as its signatures: one, or a list of them. Null without.
const ast::Expr* stated_signatures(const ast::FunctionDef& function) {
  const ast::Expr* stated = nullptr;
  for (const ast::ExprPtr& decorator : function.decorators)
    if (const auto* call = decorator->as<ast::Call>(); call && !call->arguments.empty())
      stated = call->arguments.front().get();
  return stated;
}

/// Whether the kernel says it, so that the request does not.
bool is_stated(const KernelRequest& request, const ast::Parameter& parameter) {
  return request.use_annotations && !is_constexpr(parameter);
}

}  // namespace

std::string signature_of(const ast::FunctionDef& function) {
  const ast::Expr* first = stated_signatures(function);
  const auto* list = first ? first->as<ast::List>() : nullptr;
  if (list && !list->elements.empty()) first = list->elements[0].get();
  const auto* text = first ? first->as<ast::StringLiteral>() : nullptr;
  return text ? text->value : std::string();
}

bool is_autotuned(const ast::FunctionDef& function) {
  return std::any_of(function.decorators.begin(), function.decorators.end(),
                     [](const ast::ExprPtr& decorator) { return last_name(callee_of(*decorator)) == "autotune"; });
}

bool leaves_out(const KernelRequest& request, const ast::FunctionDef& kernel, const Configuration& configuration) {
  std::size_t open = 0, set = 0;
  for (const ast::Parameter& parameter : kernel.parameters) {
    if (is_stated(request, parameter)) continue;
    ++open;
    if (configuration.find(parameter.name) != nullptr) ++set;
  }
  return request.arguments.size() + set == open;
}

ConstantArgument constant_argument(const Constant& constant) {
  return std::visit([](auto value) -> ConstantArgument { return value; }, constant.value);
}

std::string constant_text(const ConstantArgument& constant) {
  const auto text = [](const auto& value) -> std::string {
    using T = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<T, std::monostate>)
      return {};
    else if constexpr (std::is_same_v<T, FunctionName>)
      return value.module.empty() ? value.name : value.module + "." + value.name;
    else if constexpr (std::is_same_v<T, std::string>)
      return value;
    else
      return Constant("", value).text();
  };
  return std::visit(text, constant);
}

std::string to_string(const ArgumentType& type) {
  if (type.is_constant()) return constant_text(type.constant);
  const ParameterInfo& parameter = type.parameter;
  if (!type.is_tuple) return parameter.is_array ? to_string(parameter.array) : to_string(parameter.value);
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < type.elements.size(); ++i)
    elements.push_back((type.names.empty() ? "" : type.names[i] + ": ") + to_string(type.elements[i]));
  return "tuple[" + list_text(elements) + "]";
}

KernelRequest with_constants(KernelRequest request, const ast::FunctionDef& kernel, const Configuration& constants) {
  std::size_t place = 0;
  for (const ast::Parameter& parameter : kernel.parameters) {
    if (is_stated(request, parameter)) continue;
    const Constant* constant = constants.find(parameter.name);
    if (constant != nullptr) {
      ArgumentType argument;
      argument.constant = constant_argument(*constant);
      request.arguments.insert(request.arguments.begin() + static_cast<std::ptrdiff_t>(place), std::move(argument));
    }
    ++place;
  }
  return request;
}

bool is_constexpr(const ast::Parameter& parameter) {
  return parameter.annotation && last_name(*parameter.annotation) == "constexpr";
}

bool is_typed_with(const Configuration& configuration, const ast::FunctionDef& kernel) {
  return std::ranges::all_of(kernel.parameters, [&](const ast::Parameter& parameter) {
    return is_constexpr(parameter) ? configuration.find(parameter.name) != nullptr : parameter.annotation != nullptr;
  });
}

bool has_signatures(const ast::FunctionDef& function) { return stated_signatures(function) != nullptr; }

bool is_typed_kernel(const ast::FunctionDef& function) {
  if (const ast::Expr* stated = stated_signatures(function)) {
    const auto* list = stated->as<ast::List>();
    if (!stated->as<ast::Name>()) return !list || list->elements.size() == 1;
  }
  return std::all_of(function.parameters.begin(), function.parameters.end(), [](const ast::Parameter& parameter) {
    return parameter.annotation != nullptr && !is_constexpr(parameter);
  });
}

}  // namespace pykc
