// `@vectorize` functions called on arrays. The function is a device function; what runs is a kernel of a few lines that
// applies it to every element, written here as source text behind the text of the file, so that the compiler needs to
// know nothing of it. Arguments are broadcast to one shape and read where they are; numbers are passed as they are.
#include <algorithm>

#include "base/text.h"
#include "jit/kernel_text.h"
#include "script/arithmetic/array_from.h"
#include "script/arithmetic/elementwise.h"
#include "script/functions/prototypes.h"
#include "script/functions/records.h"
#include "script/launch/arguments.h"
#include "script/launch/launcher.h"
#include "script/values/array.h"
#include "script/values/device_operations.h"
#include "script/values/scope.h"

namespace pykc::script {
namespace {

struct Mapped {
  std::vector<Value> values;       // arrays of one shape, and numbers
  std::vector<std::string> casts;  // of each; empty where it has the type that the function takes
  Shape shape;
};

std::string loop_name(const ast::FunctionDef& function) { return "vectorized_" + function.name; }

/// The call of the function for the element at `indices`.
std::string call_text(const ast::FunctionDef& function, const Mapped& mapped, const std::vector<std::string>& indices) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < mapped.values.size(); ++i) {
    const std::string name = "vectorized_in" + std::to_string(i);
    const std::string value = jit::element(name, is_elements(mapped.values[i]), indices);
    arguments.push_back(mapped.casts[i].empty() ? value : mapped.casts[i] + "(" + value + ")");
  }
  return function.name + "(" + list_text(arguments) + ")";
}

std::string parameters_text(const Mapped& mapped) {
  return list_text(jit::numbered("vectorized_in", static_cast<int>(mapped.values.size())));
}

// The file may have a `grid` and a `kernel` of its own.
constexpr std::string_view kLoop = R"(

import pykc as vectorized_pykc

@vectorized_pykc.kernel
def $NAME(vectorized_out, $INPUTS):
    vectorized_i = vectorized_pykc.grid(1)
    if vectorized_i < vectorized_out.size:
        $INDICES
        $ELEMENT = $VALUE
)";

/// Compiled for nothing but the type of the call.
constexpr std::string_view kQuestion = R"(

import pykc as vectorized_pykc

@vectorized_pykc.kernel
def $NAME($INPUTS):
    $VALUE
)";

/// The kernel: one thread an element. `cast` is the type of the results, where that is not the function's.
std::string loop_source(const ast::FunctionDef& function, const Mapped& mapped, const std::string& cast) {
  const int rank = static_cast<int>(mapped.shape.size());
  const std::vector<std::string> indices = jit::numbered("vectorized_i", rank);
  const std::string call = call_text(function, mapped, indices);
  return jit::fill(kLoop,
                   {{"NAME", loop_name(function)},
                    {"INPUTS", parameters_text(mapped)},
                    {"INDICES", jit::decomposition("vectorized_i", "vectorized_i", rank, "vectorized_out", 0, true)},
                    {"ELEMENT", jit::element("vectorized_out", true, indices)},
                    {"VALUE", cast.empty() ? call : cast + "(" + call + ")"}});
}

std::string question_source(const ast::FunctionDef& function, const Mapped& mapped) {
  const std::vector<std::string> zeros(mapped.shape.size(), "0");
  return jit::fill(kQuestion, {{"NAME", loop_name(function)},
                               {"INPUTS", parameters_text(mapped)},
                               {"VALUE", call_text(function, mapped, zeros)}});
}

/// Weak numbers take the type of what stands beside them.
ElementType type_beside(const std::vector<Operand>& operands, std::size_t i) {
  const Operand& own = operands[i];
  if (own.weakness == OperandType::Weakness::Strong || own.type.is_record()) return own.type;
  OperandType joined{own.weakness, own.type.scalar};
  for (const Operand& other : operands)
    if (!other.type.is_record()) joined = join(joined, {other.weakness, other.type.scalar});
  return joined.type;
}

/// The arguments as the kernel takes them: numbers converted here, elements where they are read.
Outcome<Mapped> prepare(const std::vector<Value>& arguments, const std::vector<Operand>& operands,
                        const Prototype* prototype, const Value& out) {
  Mapped mapped;
  for (const Value& argument : arguments)
    if (is_elements(argument)) {
      ASSIGN_OR_RETURN(mapped.shape, broadcast_shapes(mapped.shape, (*argument.as<ArrayRef>())->shape));
    }
  if (const ArrayRef* target = out.as<ArrayRef>()) mapped.shape = (*target)->shape;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ElementType wanted = prototype ? prototype->parameters[i] : type_beside(operands, i);
    mapped.casts.emplace_back();
    if (is_elements(arguments[i])) {
      ASSIGN_OR_RETURN(const ArrayRef repeated, broadcast_array(**arguments[i].as<ArrayRef>(), mapped.shape));
      mapped.values.emplace_back(repeated);
      if (!(operands[i].type == wanted)) mapped.casts.back() = to_string(wanted);
    } else if (wanted.is_record()) {
      ASSIGN_OR_RETURN(const ArrayRef record, to_records(arguments[i], wanted.record));
      mapped.values.emplace_back(record);
    } else {
      ASSIGN_OR_RETURN(const Scalar scalar, to_scalar(arguments[i], wanted.scalar));
      mapped.values.emplace_back(scalar);
    }
  }
  return mapped;
}

/// Arrays that lie densely are walked by one index.
Status flatten(Mapped& mapped, ArrayRef& result) {
  const auto is_dense = [](const Value& value) {
    return !is_elements(value) || (*value.as<ArrayRef>())->is_row_major();
  };
  if (result->rank() > 0 && (!result->is_row_major() || !std::ranges::all_of(mapped.values, is_dense))) return Done{};
  ASSIGN_OR_RETURN(result, reshape_array(result, {-1}));
  for (Value& value : mapped.values)
    if (is_elements(value)) {
      ASSIGN_OR_RETURN(const ArrayRef flat, reshape_array(*value.as<ArrayRef>(), {-1}));
      value = Value(flat);
    }
  mapped.shape = result->shape;
  return Done{};
}

/// `out=array`, or None.
Outcome<Value> out_argument(const ast::FunctionDef& function, const CallArguments& arguments) {
  if (arguments.named.empty()) return Value();
  const auto& [name, value] = arguments.named.front();
  if (name != "out" || arguments.named.size() > 1)
    return fail(DiagnosticId::HostUnknownKeyword, function.name, arguments.named.back().first);
  if (!value.is<ArrayRef>()) return fail(DiagnosticId::HostWrongType, "out", "an array", describe(value));
  return value;
}

bool is_same_view(const Array& a, const Array& b) {
  return a.offset == b.offset && a.shape == b.shape && a.strides == b.strides && a.element() == b.element();
}

/// Whether an element could be written before another thread has read it.
bool overlaps(const Array& out, const std::vector<Value>& values) {
  return std::ranges::any_of(values, [&](const Value& value) {
    const ArrayRef* array = value.as<ArrayRef>();
    return array && (*array)->storage == out.storage && !is_same_view(**array, out);
  });
}

}  // namespace

Outcome<ElementType> Launcher::result_of(const FunctionValue& function, const std::vector<Value>& values,
                                         const std::string& question) {
  const ast::FunctionDef& definition = *function.definition;
  ASSIGN_OR_RETURN(const KernelRequest request, request_for(loop_name(definition), values, program_, *function.module));
  ASSIGN_OR_RETURN(const checked::Type type, type_of_call(*function.module, definition.name, request, question));
  if (type.is_scalar()) return ElementType(type->scalar);
  if (type.is_record()) return ElementType(type->record);
  return fail(DiagnosticId::HostWrongType, "result` of `" + definition.name, "a number", to_string(type));
}

Outcome<Value> Launcher::map(const FunctionValue& function, const CallArguments& arguments) {
  const ast::FunctionDef& definition = *function.definition;
  const std::size_t count = definition.parameters.size();
  if (arguments.positional.size() != count || count == 0)
    return fail(DiagnosticId::HostKernelArgumentCount, definition.name, count, arguments.positional.size());
  ASSIGN_OR_RETURN(const Value out, out_argument(definition, arguments));
  std::vector<Value> given = arguments.positional;
  std::vector<Operand> operands;
  for (Value& argument : given) {
    if (items_of(argument)) {
      ASSIGN_OR_RETURN(argument, array_from(argument, std::nullopt));
    }
    const std::optional<Operand> operand = operand_of(argument);
    if (!operand) return fail(DiagnosticId::HostLaunchArgument, describe(argument));
    operands.push_back(*operand);
  }
  const std::vector<Prototype> prototypes = function.context ? function.context->prototypes : std::vector<Prototype>();
  ASSIGN_OR_RETURN(const Prototype* const prototype, choose_prototype(prototypes, operands, definition.name));
  ASSIGN_OR_RETURN(Mapped mapped, prepare(given, operands, prototype, out));

  std::optional<ElementType> type = prototype ? prototype->result : std::nullopt;
  const std::string cast = type ? to_string(*type) : "";
  if (!type) {
    ASSIGN_OR_RETURN(type, result_of(function, mapped.values, question_source(definition, mapped)));
  }
  const ArrayRef* const target = out.as<ArrayRef>();
  if (target && !is_same_kind(*type, (*target)->element()))
    return fail(DiagnosticId::HostWrongType, "out", "an array that holds " + to_string(*type), describe(out));
  const bool is_direct = target && !overlaps(**target, mapped.values);
  ASSIGN_OR_RETURN(const ArrayRef made, is_direct ? Outcome<ArrayRef>(*target) : make_array(*type, mapped.shape));
  if (!is_direct) share_home(Value(made), given);
  ArrayRef result = made;
  RETURN_IF_FAILED(flatten(mapped, result));

  std::vector<Value> values = mapped.values;
  values.insert(values.begin(), Value(result));
  const std::string loop = loop_name(definition);
  ASSIGN_OR_RETURN(const KernelRequest request, request_for(loop, values, program_, *function.module));
  ASSIGN_OR_RETURN(const Loaded* const loaded,
                   kernel_for(*function.module, loop, request, loop_source(definition, mapped, cast)));
  const LaunchShape shape{.grid = {}, .block = {0, 1, 1}, .tasks = result->size()};
  RETURN_IF_FAILED(run(*loaded, shape, values));
  if (!target) return number_or_array(made);
  if (!is_direct) RETURN_IF_FAILED(assign_array(**target, made));
  return out;
}

}  // namespace pykc::script
