// `@vectorize` functions called on arrays. The function is a device function; what runs is a kernel of a few lines that
// applies it to every element, written here as source text behind the text of the file, so that the compiler needs to
// know nothing of it. Arguments are broadcast to one shape; numbers are passed as they are.
#include <algorithm>

#include "script/array.h"
#include "script/declarations.h"
#include "script/elementwise.h"
#include "script/launcher.h"
#include "script/promote.h"
#include "script/scope.h"

namespace pykc::script {
namespace {

std::string loop_name(const ast::FunctionDef& function) { return "vectorized_" + function.name; }

/// The kernel: one thread an element, arrays and numbers told apart by `is_array`.
std::string loop_source(const ast::FunctionDef& function, const std::vector<bool>& is_array) {
  std::string parameters = "result", call;
  for (std::size_t i = 0; i < is_array.size(); ++i) {
    const std::string name = "argument" + std::to_string(i);
    parameters += ", " + name;
    call += (i > 0 ? ", " : "") + name + (is_array[i] ? "[i]" : "");
  }
  return "\n\n\n@kernel\ndef " + loop_name(function) + "(" + parameters +
         "):\n    i = grid(1)\n    if i < result.shape[0]:\n        result[i] = " + function.name + "(" + call + ")\n";
}

/// "float32(float32, i64)" as types: the result's first.
std::optional<std::vector<ScalarType>> signature_types(std::string_view text) {
  std::vector<ScalarType> types;
  std::string word;
  for (const char c : text) {
    if (c != '(' && c != ')' && c != ',') {
      if (c != ' ') word += c;
      continue;
    }
    if (word.empty()) continue;
    const std::optional<ScalarType> type = scalar_type_named(word);
    if (!type) return std::nullopt;
    types.push_back(*type);
    word.clear();
  }
  return types;
}

struct Operands {
  std::vector<Value> values;  // dense 1-D arrays, and numbers
  std::vector<bool> is_array;
  Shape shape;
  ScalarType result_type = ScalarType::F64;
};

/// Arguments converted to the signature's types, where there is one, and broadcast.
Outcome<Operands> prepare(const std::vector<Value>& arguments, const std::optional<std::vector<ScalarType>>& types) {
  Operands operands;
  std::optional<OperandType> joined;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<OperandType> type = operand_type(arguments[i]);
    if (!type) return fail(DiagnosticId::HostLaunchArgument, describe(arguments[i]));
    joined = joined ? join(*joined, *type) : *type;
    if (const ArrayRef* array = arguments[i].as<ArrayRef>()) {
      ASSIGN_OR_RETURN(operands.shape, broadcast_shapes(operands.shape, (*array)->shape));
    }
  }
  operands.result_type = types ? types->front() : joined->type;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ArrayRef* array = arguments[i].as<ArrayRef>();
    operands.is_array.push_back(array != nullptr);
    const OperandType own = *operand_type(arguments[i]);
    const bool is_weak = own.weakness != OperandType::Weakness::Strong;
    const ScalarType type = types ? (*types)[i + 1] : is_weak ? joined->type : own.type;
    if (array) {
      ASSIGN_OR_RETURN(const ArrayRef converted, convert_array(*array, type));
      ASSIGN_OR_RETURN(const ArrayRef repeated, broadcast_array(*converted, operands.shape));
      ASSIGN_OR_RETURN(const ArrayRef flat, reshape_array(repeated, {-1}));
      operands.values.emplace_back(flat);
    } else {
      ASSIGN_OR_RETURN(const Scalar scalar, to_scalar(arguments[i], type));
      operands.values.emplace_back(scalar);
    }
  }
  return operands;
}

/// `out=array`, or None.
Outcome<Value> out_argument(const ast::FunctionDef& function, const CallArguments& arguments) {
  if (arguments.named.empty()) return Value();
  const auto& [name, value] = arguments.named.front();
  if (name != "out" || arguments.named.size() > 1) return fail(DiagnosticId::HostUnknownKeyword, function.name, name);
  if (!value.is<ArrayRef>()) return fail(DiagnosticId::HostWrongType, "out", "an array", describe(value));
  return value;
}

}  // namespace

Outcome<Value> Launcher::map(const FunctionValue& function, const CallArguments& arguments) {
  const ast::FunctionDef& definition = *function.definition;
  const std::size_t count = definition.parameters.size();
  if (arguments.positional.size() != count || count == 0)
    return fail(DiagnosticId::HostKernelArgumentCount, definition.name, count, arguments.positional.size());
  ASSIGN_OR_RETURN(const Value out, out_argument(definition, arguments));
  std::optional<std::vector<ScalarType>> types = signature_types(signature_of(definition));
  if (types && types->size() != count + 1) types.reset();
  ASSIGN_OR_RETURN(Operands operands, prepare(arguments.positional, types));
  ASSIGN_OR_RETURN(const ArrayRef result, make_array(operands.result_type, operands.shape));
  ASSIGN_OR_RETURN(const ArrayRef flat, reshape_array(result, {-1}));
  operands.values.insert(operands.values.begin(), Value(flat));

  const std::string loop = loop_name(definition);
  LaunchNames names(program_, *function.module, function, operands.values);
  ASSIGN_OR_RETURN(const KernelRequest request, request_for(loop, operands.values, names));
  ASSIGN_OR_RETURN(const Loaded loaded,
                   kernel_for(*function.module, loop, request, loop_source(definition, operands.is_array)));
  const LaunchShape shape{.grid = {}, .block = {0, 1, 1}, .tasks = flat->size()};
  RETURN_IF_FAILED(run(loaded, shape, operands.values));

  if (const ArrayRef* target = out.as<ArrayRef>()) {
    RETURN_IF_FAILED(assign_array(**target, result));
    return out;
  }
  return number_or_array(result);
}

}  // namespace pykc::script
