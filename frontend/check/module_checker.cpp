#include "frontend/check/module_checker.h"

#include <algorithm>
#include <unordered_map>

#include "frontend/check/arrays/array.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/calls/external.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/expressions/tree.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/class.h"
#include "frontend/check/names/declare.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/accesses.h"
#include "frontend/check/statements/function.h"
#include "frontend/check/types/annotation.h"
#include "frontend/check/types/closure.h"
#include "frontend/check/types/generic.h"
#include "frontend/check/types/infer.h"
#include "frontend/check/types/overload.h"

namespace pykc::checker {
namespace {

constexpr std::int64_t kMostSharedBytes = 227 * 1024;
constexpr std::int64_t kMostStaticSharedBytes = 48 * 1024;  // what a GPU gives without being asked
constexpr std::int64_t kMostLocalBytes = 512 * 1024;
constexpr std::int64_t kMostParameterBytes = 4096;

std::int64_t bytes_of(const ArrayType& type) { return type.count() * size_in_bytes(type.element); }

std::int64_t parameter_bytes(const checked::Type& type) {
  if (type.is_tuple() || type.is_static()) {
    std::int64_t sum = 0;
    for (const checked::Type& element : type.elements) sum += parameter_bytes(element);
    return sum;
  }
  if (type.is_record()) return type.record->bytes;
  const int extents = type.is_array() && !type.array.has_static_shape() ? type.array.rank() : 0;
  return 8 + 8 * extents * (type.array.layout == Layout::Strided ? 2 : 1);
}

/// A text that is the same for the same entity alone; none for what cannot be part of a type.
std::string key_of(const Entity& entity) {
  if (const auto* ref = std::get_if<FunctionRef>(&entity))
    return "function " + std::to_string(reinterpret_cast<std::uintptr_t>(ref->function));
  if (const auto* ref = std::get_if<BuiltinRef>(&entity)) return "builtin " + std::to_string(static_cast<int>(ref->id));
  if (const auto* ref = std::get_if<SpecialRef>(&entity))
    return "special " + std::to_string(static_cast<int>(ref->special));
  if (std::holds_alternative<NoneRef>(entity)) return "None";
  if (const auto* ref = std::get_if<UfuncRef>(&entity)) return "ufunc " + std::string(ref->row->path);
  if (const auto* ref = std::get_if<ReductionRef>(&entity)) return "reduction " + std::string(ref->row->name);
  if (const auto* ref = std::get_if<TypeRef>(&entity)) return "type " + std::string(to_string(ref->type));
  const auto* value = std::get_if<Value>(&entity);
  if (!value || !value->known()) return {};
  if (value->is_tuple()) {
    std::string key = "tuple(";
    for (const Value& element : value->elements) key += key_of(element) + ",";
    return key + ")";
  }
  return "constant " + std::to_string(static_cast<int>(value->weak)) + " " + checked::to_string(value->type()) + " " +
         std::to_string(value->expr->as<checked::Constant>()->bits);
}

/// The constant in a tree that stays.
Value kept_constant(const Value& value, TreeBuilder& tree) {
  if (!value.is_tuple())
    return {tree.bits(value.scalar(), value.expr->as<checked::Constant>()->bits, value.range()), value.weak, {}};
  std::vector<Value> elements;
  for (const Value& element : value.elements) elements.push_back(kept_constant(element, tree));
  return tree.tuple(std::move(elements), value.range());
}

/// Names that compiled code itself refers to: a kernel of that name gets another symbol.
constexpr std::string_view kReservedSymbols[] = {"fma",    "fmaf",       "memcpy",     "memset",          "memmove",
                                                 "memcmp", "pykc_print", "pykc_fault", "pykc_nanoseconds"};

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
  for (const checked::Type& type : types) result.push_back(InferredType::of(type));
  return result;
}

/// A name as a symbol of PTX and ELF: what is no letter, digit or underscore becomes its code.
std::string to_symbol(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string symbol;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_plain) symbol += c;
    if (!is_plain) symbol += {'_', 'u', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return symbol;
}

std::string symbol_part(const checked::Type& type) {
  if (type.is_tuple() || type.is_static()) {
    std::string text = type.is_static() ? "s" + std::to_string(type.entity) : "t";
    for (const checked::Type& element : type.elements) text += "_" + symbol_part(element);
    return text;
  }
  if (type.is_record()) return to_symbol(type.record->name);
  if (!type.is_array()) return std::string(to_string(type.scalar));
  return to_symbol(to_string(type.array.element)) + "x" + std::to_string(type.array.rank());
}

/// Every `const.array` of the main module is there for the host, whatever the kernels use; of imported modules, those
/// that they use.
void declare_host_constants(ModuleChecker& module) {
  for (std::size_t i = 0; i < module.constants.size(); ++i) {
    ConstantDecl& decl = module.constants[i];
    FunctionChecker checker(module, *decl.scope);
    if (decl.scope != &module.scopes.back() || !is_host_constant(checker, decl)) continue;
    const auto* ref = std::get_if<TableRef>(&constant(module, decl));
    if (ref && !decl.assigned_again) constant_array(module, ref->table);
  }
}

void check_untyped(ModuleChecker& module, FunctionDecl& function) {
  collect_locals(function);
  Specialization none;
  FunctionChecker checker(module, function, none, false);
  check_names(checker, function);
}

/// A number or a function that a request names: the text is read as an expression of the main file, which may have the
/// kernel from a file that knows nothing of the function.
std::optional<checked::Type> requested_constant(ModuleChecker& module, const FunctionDecl& kernel,
                                                const std::string& text) {
  Diagnostics unheard;
  unheard.set_muted(true);
  const auto file = std::make_shared<const SourceFile>("request", text + "\n");
  module.request_texts.push_back(parse(file, lex(*file, unheard), unheard));
  const ast::Suite& body = module.request_texts.back()->body;
  const auto* statement = body.size() == 1 ? body.front()->as<ast::ExprStmt>() : nullptr;
  if (statement) {
    FunctionChecker reader(module, module.scopes.back());
    // What is wrong in the text has no place in the file: it is reported as a whole.
    module.told.set_muted(true);
    const Entity entity = reader.entity(*statement->value);
    module.told.set_muted(false);
    const auto* value = std::get_if<Value>(&entity);
    const auto* function = std::get_if<FunctionRef>(&entity);
    const bool is_device_code =
        function && (function->function->kind <= FunctionDecl::Kind::Device || function->function->is_numba_kernel);
    const bool is_known = value ? value->known() && is_known_constant(*value)
                                : is_device_code || std::holds_alternative<BuiltinRef>(entity) ||
                                      std::holds_alternative<SpecialRef>(entity) ||
                                      std::holds_alternative<UfuncRef>(entity);
    if (is_known) return checked::Type::of_static(intern(module, entity));
  }
  module.told.report(kernel.scope->file(), kernel.def->name_range, DiagnosticId::RequestConstant, text);
  return std::nullopt;
}

/// The bytes of a kernel's arrays of static shape. More than static shared memory holds go to dynamic shared memory.
std::int64_t place_shared_arrays(const std::vector<const Specialization*>& functions) {
  std::vector<checked::SharedArray*> arrays;
  std::int64_t bytes = 0;
  for (const Specialization* function : functions)
    for (checked::SharedArray& array : function->function->shared_arrays) {
      if (!array.extents.empty() || array.takes_launch_bytes) continue;
      arrays.push_back(&array);
      bytes += round_up(bytes_of(array.type), 16);
    }
  for (checked::SharedArray* array : arrays) array->is_beyond_static |= bytes > kMostStaticSharedBytes;
  return bytes;
}

/// What a kernel takes of the machine, with the functions that it calls.
void check_limits(ModuleChecker& module, const FunctionDecl& decl, const Specialization& kernel) {
  std::vector<const Specialization*> reached{&kernel};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const Specialization* callee : reached[i]->callees)
      if (std::find(reached.begin(), reached.end(), callee) == reached.end()) reached.push_back(callee);
  const std::int64_t shared = place_shared_arrays(reached);
  std::int64_t local = 0, parameters = 0;
  for (const Specialization* function : reached)
    for (const checked::LocalArray& array : function->function->local_arrays) local += bytes_of(array.type);
  for (const checked::Variable* parameter : kernel.function->parameters) parameters += parameter_bytes(parameter->type);
  std::int64_t constant = 0;
  for (const checked::ConstantArray& array : module.output.constant_arrays)
    constant += static_cast<std::int64_t>(array.bytes.size());
  const struct {
    std::int64_t used, most;
    DiagnosticId id;
  } limits[] = {{shared, kMostSharedBytes, DiagnosticId::TooMuchShared},
                {local, kMostLocalBytes, DiagnosticId::TooMuchLocal},
                {constant, kMostConstantBytes, DiagnosticId::TooMuchConstant},
                {parameters, kMostParameterBytes, DiagnosticId::TooManyParameters}};
  for (const auto& limit : limits)
    if (limit.used > limit.most)
      module.told.report(decl.scope->file(), decl.def->name_range, limit.id, decl.def->name, std::to_string(limit.used),
                         std::to_string(limit.most));
}

void check_kernel(ModuleChecker& module, FunctionDecl& kernel, std::vector<InferredType> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (is_struct(arguments[i].type) && changes_parameter(module, kernel, i))
      arguments[i] = InferredType::of(reference_type(arguments[i].type.record));
  Specialization& specialization = infer(module, kernel, arguments);
  if (specialization.function) return;  // asked for twice
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
          constant ? requested_constant(module, kernel, constant->text()) : kernel.parameter_types[i];
      arguments.push_back(InferredType::of(*type));
    }
    check_kernel(module, kernel, arguments);
    if (!module.options.all_configurations) return;
  }
}

/// Every kernel of the main module that states its types; of the others, what can be said without.
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

FunctionDecl* find_kernel(ModuleChecker& module, const KernelRequest& request) {
  const Scope& main = module.scopes.back();
  const SourceFile& file = main.file();
  std::vector<std::string_view> kernels;
  for (const FunctionDecl& function : module.functions)
    if (function.kind == FunctionDecl::Kind::Kernel && function.scope == &main) kernels.push_back(function.def->name);
  const Binding* binding = main.find(request.kernel);
  const auto* function = binding ? std::get_if<FunctionDecl*>(binding) : nullptr;
  if (function && (*function)->kind == FunctionDecl::Kind::Kernel) return *function;
  auto diagnostic = module.told.report(file, {}, DiagnosticId::UnknownKernel, request.kernel);
  if (const std::string_view near = nearest(request.kernel, kernels); !near.empty())
    diagnostic.note("did you mean `" + std::string(near) + "`?");
  return nullptr;
}

std::optional<checked::Type> requested_type(ModuleChecker& module, const FunctionDecl& kernel,
                                            const ArgumentType& argument) {
  if (!argument.constant.empty()) return requested_constant(module, kernel, argument.constant);
  if (!argument.is_tuple) return type_of_argument(argument);
  std::vector<checked::Type> elements;
  for (const ArgumentType& element : argument.elements) {
    const std::optional<checked::Type> type = requested_type(module, kernel, element);
    if (!type) return std::nullopt;
    elements.push_back(*type);
  }
  return checked::Type::tuple(std::move(elements), argument.names);
}

void check_request(ModuleChecker& module, const KernelRequest& asked) {
  FunctionDecl* kernel = find_kernel(module, asked);
  if (!kernel) return;
  read_types(module, *kernel);
  const KernelRequest request = completed(asked, *kernel);
  if (request.use_annotations) {
    if (is_typed(*kernel) && kernel->overloads.empty()) return check_kernel(module, *kernel, stated_types(*kernel));
    module.told.report(kernel->scope->file(), kernel->def->name_range, DiagnosticId::UntypedKernel, kernel->def->name)
        .note("annotate its parameters, or compile it for given types: --sig \"" + kernel->def->name + "(f32[:], …)\"");
    return;
  }
  const std::vector<ast::Parameter>& parameters = kernel->def->parameters;
  const SourceFile& file = kernel->scope->file();
  if (parameters.size() != request.arguments.size()) {
    module.told.report(file, kernel->def->name_range, DiagnosticId::RequestCount, kernel->def->name,
                       std::to_string(parameters.size()), std::to_string(request.arguments.size()));
    return;
  }
  std::vector<checked::Type> given;
  for (const ArgumentType& argument : request.arguments) {
    const std::optional<checked::Type> type = requested_type(module, *kernel, argument);
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

/// Keeps what the kernels reach, callees before callers.
void finish_module(ModuleChecker& module) {
  std::vector<Specialization*> reached;
  const auto reach = [&](Specialization* specialization) {
    if (!specialization->is_needed) reached.push_back(specialization);
    specialization->is_needed = true;
  };
  for (Specialization* specialization : module.finished)
    if (specialization->function->is_kernel) reach(specialization);
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (Specialization* callee : reached[i]->callees) reach(callee);
  if (module.options.checked)
    module.output.stop_fault =
        add_fault(module, {"stopped, since another thread has faulted", module.output.name, 0, 0});
  std::unordered_map<const checked::Function*, const checked::Function*> moved;
  for (Specialization* specialization : module.finished) {
    if (!specialization->is_needed) continue;
    module.output.functions.push_back(std::move(*specialization->function));
    moved[specialization->function] = &module.output.functions.back();
  }
  for (checked::Expr& expr : module.output.exprs)
    if (auto* call = std::get_if<checked::CallFunction>(&expr.node)) call->callee = moved[call->callee];
}

checked::Module run(ModuleChecker& module, const std::vector<KernelRequest>& requests) {
  module.output.source = module.program.main->file;
  module.output.name = module.program.main->file->name();
  for (const Program::Imported& imported : module.program.imports)
    apply(imported.module->directives, *imported.module->file, module.told);
  apply(module.program.main->directives, *module.program.main->file, module.told);
  declare_modules(module, module.program);
  declare_host_constants(module);
  if (requests.empty())
    check_all_kernels(module);
  else
    for (const KernelRequest& request : requests) check_request(module, request);
  finish_module(module);
  return std::move(module.output);
}

std::string unique_symbol_of(ModuleChecker& module, std::string symbol) {
  const int taken = module.symbols[symbol]++;
  if (taken == 0) return symbol;
  std::string numbered = symbol + "_" + std::to_string(taken);
  while (module.symbols.contains(numbered)) numbered += "_";
  module.symbols[numbered] = 1;
  return numbered;
}

/// A kernel keeps its name; a further specialisation, and every device function, adds its argument types.
std::string unique_symbol(ModuleChecker& module, const FunctionDecl& function, const Specialization& specialization) {
  std::string symbol = to_symbol(function.def->name);
  if (function.kind != FunctionDecl::Kind::Kernel || module.symbols.contains(symbol)) {
    symbol += "_";
    for (const InferredType& argument : specialization.arguments) symbol += "_" + symbol_part(settled_type(argument));
  }
  return unique_symbol_of(module, std::move(symbol));
}

}  // namespace

ModuleChecker::ModuleChecker(const Program& program, const CheckOptions& options, Diagnostics& diagnostics)
    : program(program), options(options), told(diagnostics) {
  trial_diagnostics.set_muted(true);
  for (const std::string_view name : kReservedSymbols) symbols.emplace(name, 1);
}

void reserve_symbol(ModuleChecker& module, const std::string& name) { module.symbols.emplace(name, 1); }

bool is_reserved_symbol(std::string_view name) {
  return name.starts_with("pykc_") || name.starts_with("__pykc_") ||
         std::ranges::find(kReservedSymbols, name) != std::end(kReservedSymbols);
}

const Entity& constant(ModuleChecker& module, ConstantDecl& constant) {
  using State = ConstantDecl::State;
  if (constant.state == State::InProgress) {
    module.told.report(constant.scope->file(), constant.range, DiagnosticId::ConstantCycle, constant.name);
    return constant.entity;
  }
  if (constant.state == State::Done) return constant.entity;
  constant.state = State::InProgress;
  FunctionChecker checker(module, *constant.scope);
  Entity entity = module_constant(checker, constant);
  constant.entity = std::move(entity);
  if (const auto* ref = std::get_if<TableRef>(&constant.entity); ref && ref->table->name.empty())
    ref->table->name = constant.name;
  constant.state = State::Done;
  return constant.entity;
}

Specialization& infer(ModuleChecker& module, FunctionDecl& function, const std::vector<InferredType>& arguments) {
  std::string key;
  for (const InferredType& argument : arguments) key += to_key(argument) + ";";
  Specialization& specialization = function.specializations[key];
  if (specialization.is_inferred || specialization.is_inferring) return specialization;
  collect_locals(function);
  specialization.arguments = arguments;
  specialization.is_inferring = true;
  ++module.specialization_depth;
  FunctionChecker checker(module, function, specialization, true);
  checker::infer(checker);
  --module.specialization_depth;
  specialization.is_inferring = false;
  specialization.is_inferred = true;
  return specialization;
}

checked::Function* emit(ModuleChecker& module, FunctionDecl& function, Specialization& specialization) {
  if (specialization.function) return specialization.function;
  checked::Function& output = module.emitted.emplace_back();
  specialization.function = &output;
  output.name = function.def->name;
  output.is_kernel = function.kind == FunctionDecl::Kind::Kernel;
  output.symbol = unique_symbol(module, function, specialization);
  output.range = function.def->name_range;
  output.source = function.scope->module().file;
  output.options = function.options;
  output.options.fast_math |= module.options.fast_math;
  output.options.contract &= module.options.contract;
  specialization.is_emitting = true;
  ++module.specialization_depth;
  FunctionChecker checker(module, function, specialization, false);
  checker::emit(checker, output);
  --module.specialization_depth;
  specialization.is_emitting = false;
  module.finished.push_back(&specialization);
  return &output;
}

std::string unique_symbol(ModuleChecker& module, std::string_view name) {
  return unique_symbol_of(module, to_symbol(name));
}

int intern(ModuleChecker& module, const Entity& entity) {
  const auto [entry, is_new] =
      module.static_numbers.try_emplace(key_of(entity), static_cast<int>(module.statics.size()));
  if (!is_new) return entry->second;
  TreeBuilder tree(module.output.exprs);
  const auto* value = std::get_if<Value>(&entity);
  module.statics.push_back(value ? Entity(kept_constant(*value, tree)) : entity);
  return entry->second;
}

FunctionDecl& nested_function(ModuleChecker& module, const ast::FunctionDef& def, const FunctionDecl& enclosing) {
  const auto [entry, is_new] = module.nested_functions.try_emplace({&def, &enclosing});
  FunctionDecl& function = entry->second;
  if (!is_new) return function;
  function.def = &def;
  function.scope = enclosing.scope;
  function.enclosing = &enclosing;
  function.kind = FunctionDecl::Kind::Device;
  function.dialect = enclosing.dialect;
  function.raises_errors = enclosing.raises_errors;
  function.options.wraparound = enclosing.options.wraparound;
  for (const std::string_view name : free_names(def))
    if (enclosing.locals.index.contains(name)) function.captures.push_back(name);
  return function;
}

Table* add_table(ModuleChecker& module, Table table) {
  for (Table& known : module.tables)
    if (!known.host && !table.host && known.type == table.type && known.bytes == table.bytes) return &known;
  module.tables.push_back(std::move(table));
  return &module.tables.back();
}

int constant_array(ModuleChecker& module, const Table* table) {
  const auto [entry, is_new] =
      module.constant_arrays.try_emplace(table, static_cast<int>(module.output.constant_arrays.size()));
  if (!is_new) return entry->second;
  const std::string name = table->name.empty() ? std::string(kUnnamedTable) : table->name;
  const std::string no_elements(static_cast<std::size_t>(size_in_bytes(table->type.element)), '\0');
  module.output.constant_arrays.push_back(
      {name, table->type, table->bytes.empty() ? no_elements : table->bytes, table->host});
  return entry->second;
}

int add_fault(ModuleChecker& module, FaultSite site) {
  module.output.faults.push_back(std::move(site));
  return static_cast<int>(module.output.faults.size()) - 1;
}

void ModuleChecker::release_scratch(std::size_t mark) {
  while (scratch.size() > mark) scratch.pop_back();
}

}  // namespace pykc::checker

namespace pykc {

checked::Module check(const Program& program, const std::vector<KernelRequest>& requests, const CheckOptions& options,
                      Diagnostics& diagnostics) {
  checker::ModuleChecker module(program, options, diagnostics);
  return checker::run(module, requests);
}

}  // namespace pykc
