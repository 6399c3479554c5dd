#include "frontend/check/requests.h"

#include "base/text.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/calls/external.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/limits.h"
#include "frontend/check/names/class.h"
#include "frontend/check/specialize.h"
#include "frontend/check/statements/accesses.h"
#include "frontend/check/types/annotation.h"
#include "frontend/check/types/closure.h"
#include "frontend/check/types/generic.h"
#include "frontend/check/types/overload.h"
#include "frontend/syntax/token.h"

namespace pykc::checker {
namespace {

bool is_typed(const FunctionDecl& function) {
  return std::all_of(function.parameter_types.begin(), function.parameter_types.end(),
                     [](const auto& type) { return type.has_value() && !type->is_static(); });
}

/// Whether its configurations set all that its annotations leave open.
bool is_typed_by_configurations(const FunctionDecl& function) {
  if (is_typed(function) || function.configurations.empty()) return false;
  for (std::size_t i = 0; i < function.parameter_types.size(); ++i) {
    const std::optional<checked::Type>& type = function.parameter_types[i];
    const bool is_stated = type && !type->is_static();
    if (!is_stated && !function.configurations.front().find(function.def->parameters[i].name)) return false;
  }
  return true;
}

/// A request may leave out what configurations set. Grid and block of a launch follow from these values, so what is
/// compiled ahead of time has the same ones for every target: those of the first configuration.
KernelRequest completed(const KernelRequest& request, const FunctionDecl& kernel) {
  if (kernel.configurations.empty()) return request;
  const Configuration& first = kernel.configurations.front();
  return leaves_out(request, *kernel.def, first) ? with_constants(request, *kernel.def, first) : request;
}

std::vector<InferredType> stated_types(const FunctionDecl& function) {
  std::vector<InferredType> types;
  for (const std::optional<checked::Type>& type : function.parameter_types) types.push_back(InferredType::of(*type));
  return types;
}

std::vector<InferredType> inferred(const std::vector<checked::Type>& types) {
  std::vector<InferredType> result;
  for (const checked::Type type : types) result.push_back(InferredType::of(type));
  return result;
}

void check_untyped(ModuleChecker& module, FunctionDecl& function) {
  collect_locals(function);
  Specialization none;
  FunctionChecker checker(module, function, none, false);
  check_names(checker, function);
}

/// The scope of a module as requests name it.
const Scope* scope_named(ModuleChecker& module, const std::string& name) {
  return name.empty() ? &module.scopes.back() : module.scope_of(name);
}

/// What the text means as an expression of the main file.
Entity read_text(FunctionChecker& reader, const std::string& text) {
  ModuleChecker& module = reader.module;
  Diagnostics unheard;
  unheard.set_muted(true);
  const auto file = std::make_shared<const SourceFile>("request", text + "\n");
  module.request_texts.push_back(parse(file, lex(*file, unheard), unheard));
  const ast::Suite& body = module.request_texts.back()->body;
  const auto* statement = body.size() == 1 ? body.front()->as<ast::ExprStmt>() : nullptr;
  if (!statement) return Unknown{};
  // What is wrong in the text has no place in the file: it is reported as a whole.
  module.told.set_muted(true);
  Entity entity = reader.entity(*statement->value);
  module.told.set_muted(false);
  return entity;
}

struct GivenEntity {
  FunctionChecker& reader;  // of the main file

  Entity operator()(std::monostate) { return Unknown{}; }
  Entity operator()(bool value) { return TreeBuilder::strong(reader.tree.boolean(value, {})); }
  Entity operator()(std::int64_t value) { return reader.tree.weak_integer(value, {}); }
  Entity operator()(std::uint64_t value) { return reader.tree.weak_integer(value, {}); }
  Entity operator()(double value) { return reader.tree.weak_real(value, {}); }
  Entity operator()(ScalarType type) { return TypeRef{type}; }
  Entity operator()(const std::string& text) { return read_text(reader, text); }
  Entity operator()(const FunctionName& function) {
    const Scope* scope = scope_named(reader.module, function.module);
    const Binding* binding = scope ? scope->find(function.name) : nullptr;
    const auto* found = binding ? std::get_if<FunctionDecl*>(binding) : nullptr;
    return found ? Entity(FunctionRef{*found}) : Entity(Unknown{});
  }
};

/// What a request gives a parameter.
Entity given_entity(FunctionChecker& reader, const ArgumentType& argument) {
  if (!argument.is_tuple) return std::visit(GivenEntity{reader}, argument.constant);
  std::vector<Value> elements;
  for (const ArgumentType& element : argument.elements) {
    const Entity entity = given_entity(reader, element);
    const auto* value = std::get_if<Value>(&entity);
    if (!value) return Unknown{};
    elements.push_back(*value);
  }
  return reader.tree.tuple(std::move(elements), {}, argument.names);
}

std::optional<checked::Type> requested_constant(ModuleChecker& module, const FunctionDecl& kernel,
                                                const ArgumentType& argument) {
  FunctionChecker reader(module, module.scopes.back());
  const Entity entity = given_entity(reader, argument);
  const auto* value = std::get_if<Value>(&entity);
  const auto* function = std::get_if<FunctionRef>(&entity);
  const bool is_device_code = function && (function->function->is_device_code() || function->function->is_numba_kernel);
  const bool is_known =
      value ? value->known() && is_known_constant(*value)
            : is_device_code || std::holds_alternative<TypeRef>(entity) || std::holds_alternative<BuiltinRef>(entity) ||
                  std::holds_alternative<LanguageFunctionRef>(entity) || std::holds_alternative<UfuncRef>(entity);
  if (is_known) return module.output.types.of_static(intern(module, entity));
  module.told.report(kernel.scope->file(), kernel.def->name_range, DiagnosticId::RequestConstant, to_string(argument));
  return std::nullopt;
}

void check_kernel(ModuleChecker& module, FunctionDecl& kernel, std::vector<InferredType> arguments,
                  bool is_compiled = true) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (is_struct(arguments[i].type) && changes_parameter(module, kernel, i))
      arguments[i] = InferredType::of(reference_type(module.output.types, arguments[i].type->record));
  Specialization& specialization = infer(module, kernel, arguments);
  if (specialization.function) return;  // asked for twice
  specialization.is_only_checked = !is_compiled;
  const int errors = module.told.error_count();
  emit(module, kernel, specialization);
  check_limits(module, kernel, specialization);
  if (module.options.warnings && module.told.error_count() == errors)
    warn_of_accesses(*specialization.function, kernel.scope->file(), module.told);
}

void check_configurations(ModuleChecker& module, FunctionDecl& kernel) {
  for (const Configuration& configuration : kernel.configurations) {
    std::vector<InferredType> arguments;
    for (std::size_t i = 0; i < kernel.parameter_types.size(); ++i) {
      const Constant* constant = configuration.find(kernel.def->parameters[i].name);
      const std::optional<checked::Type> type =
          constant ? requested_constant(module, kernel, {.constant = constant_argument(*constant)})
                   : kernel.parameter_types[i];
      arguments.push_back(InferredType::of(*type));
    }
    check_kernel(module, kernel, arguments, &configuration == &kernel.configurations.front());
    if (!module.options.all_configurations) return;
  }
}

FunctionDecl* find_kernel(ModuleChecker& module, const KernelRequest& request) {
  const Scope& main = module.scopes.back();
  const SourceFile& file = main.file();
  std::vector<std::string_view> kernels;
  for (const FunctionDecl& function : module.functions)
    if (function.kind == FunctionDecl::Kind::Kernel && function.scope == &main) kernels.push_back(function.def->name);
  const Scope* home = scope_named(module, request.module);
  const Binding* binding = home ? home->find(request.kernel) : nullptr;
  const auto* function = binding ? std::get_if<FunctionDecl*>(binding) : nullptr;
  if (function && (*function)->kind == FunctionDecl::Kind::Kernel) return *function;
  auto diagnostic = module.told.report(file, {}, DiagnosticId::UnknownKernel, request.kernel);
  if (const std::string_view near = nearest(request.kernel, kernels); !near.empty())
    diagnostic.note("did you mean " + as_code(near) + "?");
  return nullptr;
}

/// `stated` is what the kernel says of the parameter.
std::optional<checked::Type> requested_type(ModuleChecker& module, const FunctionDecl& kernel,
                                            const std::optional<checked::Type>& stated, const ArgumentType& argument) {
  const bool is_constexpr = stated && stated->is_static();
  if (argument.is_constant() || (is_constexpr && argument.is_tuple))
    return requested_constant(module, kernel, argument);
  if (!argument.is_tuple) return type_of_argument(module.output.types, argument);
  std::vector<checked::Type> elements;
  for (const ArgumentType& element : argument.elements) {
    const std::optional<checked::Type> type = requested_type(module, kernel, std::nullopt, element);
    if (!type) return std::nullopt;
    elements.push_back(*type);
  }
  return module.output.types.tuple(std::move(elements), argument.names);
}

/// The types that a kernel states, and what the request says of the parameters that they leave open; none where it
/// leaves some open, too.
std::optional<std::vector<InferredType>> annotated_types(ModuleChecker& module, const FunctionDecl& kernel,
                                                         const std::vector<ArgumentType>& open) {
  std::vector<InferredType> types;
  std::size_t next = 0;
  for (const std::optional<checked::Type>& stated : kernel.parameter_types) {
    const bool is_open = !stated || stated->is_static();
    if (is_open && next == open.size()) return std::nullopt;
    const std::optional<checked::Type> type = is_open ? requested_type(module, kernel, stated, open[next++]) : stated;
    if (!type) return std::nullopt;
    types.push_back(InferredType::of(*type));
  }
  return types;
}

/// A launch may bring records as a dtype describes them, by their layout, without the name of the class.
checked::Type with_stated_record(checked::TypePool& types, checked::Type given, checked::Type stated) {
  if (given.is_record() && stated.is_record()) return have_same_layout(given->record, stated->record) ? stated : given;
  if (!given.is_array() || !stated.is_array()) return given;
  ArrayType array = given->array;
  const RecordRef& wanted = stated->array.element.record;
  if (!array.element.record || !wanted || !have_same_layout(array.element.record, wanted)) return given;
  array.element = stated->array.element;
  return types.of(std::move(array));
}

}  // namespace

void check_all_kernels(ModuleChecker& module) {
  const Scope& main = module.scopes.back();
  for (std::size_t i = 0; i < module.classes.size(); ++i)  // reading one may add others
    if (module.classes[i].scope == &main) read_class(module, module.classes[i]);
  for (FunctionDecl& function : module.functions) {
    const Binding* bound = main.find(function.def->name);
    const auto* current = bound ? std::get_if<FunctionDecl*>(bound) : nullptr;
    const bool is_device_code =
        function.kind == FunctionDecl::Kind::Kernel || function.kind == FunctionDecl::Kind::Device;
    if (function.scope != &main || !current || *current != &function || !is_device_code) continue;
    read_types(module, function);
    if (function.is_external)
      check_external(module, function);
    else if (!function.overloads.empty())
      for (const std::vector<checked::Type>& types : overloads_of(module, function))
        check_kernel(module, function, inferred(types));
    else if (is_typed_by_configurations(function))
      check_configurations(module, function);
    else if (!is_typed(function))
      check_untyped(module, function);
    else if (function.kind == FunctionDecl::Kind::Kernel)
      check_kernel(module, function, stated_types(function));
    else if (!function.def->parameters.empty())
      emit(module, function,
           infer(module, function, stated_types(function)));  // for its errors; kept only if a kernel calls it
  }
}

void check_request(ModuleChecker& module, const KernelRequest& asked) {
  FunctionDecl* kernel = find_kernel(module, asked);
  if (!kernel) return;
  read_types(module, *kernel);
  const KernelRequest request = completed(asked, *kernel);
  if (request.use_annotations) {
    const auto types = annotated_types(module, *kernel, request.arguments);
    if (types && kernel->overloads.empty()) return check_kernel(module, *kernel, *types);
    module.told.report(kernel->scope->file(), kernel->def->name_range, DiagnosticId::UntypedKernel, kernel->def->name)
        .note("annotate its parameters, or compile it for given types: --sig \"" + kernel->def->name + "(f32[:], …)\"");
    return;
  }
  const std::vector<ast::Parameter>& parameters = kernel->def->parameters;
  const SourceFile& file = kernel->scope->file();
  if (parameters.size() != request.arguments.size()) {
    module.told.report(file, kernel->def->name_range, DiagnosticId::RequestCount, kernel->def->name, parameters.size(),
                       request.arguments.size());
    return;
  }
  std::vector<checked::Type> given;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::optional<checked::Type> type =
        requested_type(module, *kernel, kernel->parameter_types[i], request.arguments[i]);
    if (!type) return;
    given.push_back(*type);
  }
  if (!kernel->overloads.empty()) {
    if (const auto types = best_overload(module, *kernel, given)) check_kernel(module, *kernel, inferred(*types));
    return;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::optional<checked::Type>& stated = kernel->parameter_types[i];
    const bool is_open = !stated || stated->is_static();
    if (!is_open) given[i] = with_stated_record(module.output.types, given[i], *stated);
    const bool fits = is_open || fits_parameter(*stated, given[i]) || launch_converts(given[i], *stated);
    if (!fits || (stated && stated->is_static() != given[i].is_static())) {
      module.told.report(file, parameters[i].range, DiagnosticId::ArgumentType, parameters[i].name,
                         stated->is_static() ? "a constant" : checked::to_string(*stated),
                         given[i].is_static() ? "a constant" : checked::to_string(given[i]));
      return;
    }
    if (!is_open) given[i] = *stated;
  }
  check_kernel(module, *kernel, inferred(given));
}

}  // namespace pykc::checker
