// `@cuda.reduce` functions called on an array: all its elements, put together in two launches. The kernel is written
// behind the text of the file, and needs no value that changes nothing: each thread begins with an element of its own.
#include <algorithm>

#include "jit/kernel_text.h"
#include "script/arithmetic/array_from.h"
#include "script/arithmetic/promote.h"
#include "script/launch/arguments.h"
#include "script/launch/launcher.h"
#include "script/values/array.h"
#include "script/values/scope.h"

namespace pykc::script {
namespace {

constexpr std::int64_t kThreads = 256;  // as the text below says
constexpr std::int64_t kMostBlocks = 512;

constexpr std::string_view kKernel = R"(

import pykc as fold_pykc

$OPERATOR
@fold_pykc.kernel
def $NAME(fold_out, fold_x, fold_init, fold_has_init):
    fold_parts = fold_pykc.shared.array(256, fold_pykc.$TYPE)
    fold_count = fold_x.shape[0]
    fold_lane = fold_pykc.threadIdx.x
    fold_first = fold_pykc.grid(1)
    fold_step = fold_pykc.gridsize(1)
    if fold_first < fold_count:
        fold_value = fold_x[fold_first]
        for fold_i in fold_pykc.range(fold_first + fold_step, fold_count, fold_step):
            fold_value = fold_pykc.$TYPE($FUNCTION(fold_value, fold_x[fold_i]))
        fold_parts[fold_lane] = fold_value
    fold_pykc.syncthreads()
    fold_present = fold_count - fold_pykc.blockIdx.x * 256
    fold_half = 128
    while fold_half > 0:
        fold_other = fold_lane + fold_half
        if fold_lane < fold_half and fold_other < fold_present:
            fold_parts[fold_lane] = fold_pykc.$TYPE($FUNCTION(fold_parts[fold_lane], fold_parts[fold_other]))
        fold_pykc.syncthreads()
        fold_half = fold_half // 2
    if fold_lane == 0:
        fold_total = fold_parts[0]
        if fold_has_init:
            fold_total = fold_pykc.$TYPE($FUNCTION(fold_total, fold_init))
        fold_out[fold_pykc.blockIdx.x] = fold_total
)";

struct ReduceCall {
  ArrayRef array;
  std::optional<ArrayRef> result;
  Value init = Value(std::int64_t{0});
  std::shared_ptr<const Stream> stream;
};

/// `total(x, size=None, res=None, init=0, stream=0)`
Outcome<ReduceCall> reduce_call(const std::string& name, CallArguments arguments) {
  constexpr std::string_view kNames[] = {"arr", "size", "res", "init", "stream"};
  std::vector<Value> values(std::size(kNames));
  if (arguments.positional.size() > values.size())
    return fail(DiagnosticId::HostTooManyArguments, "`" + name + "`", values.size(), arguments.positional.size());
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) values[i] = arguments.positional[i];
  for (auto& [keyword, value] : arguments.named) {
    const auto* const known = std::ranges::find(kNames, keyword);
    if (known == std::end(kNames))
      return fail(DiagnosticId::HostUnknownKeyword, name, keyword)
          .suggest(nearest(keyword, {std::begin(kNames), std::end(kNames)}));
    values[static_cast<std::size_t>(known - std::begin(kNames))] = std::move(value);
  }
  ReduceCall call;
  if (items_of(values[0])) {
    ASSIGN_OR_RETURN(values[0], array_from(values[0], std::nullopt));
  }
  const ArrayRef* array = values[0].as<ArrayRef>();
  if (!array || (*array)->rank() != 1)
    return fail(DiagnosticId::HostWrongType, "arr` of `" + name, "an array of one dimension", describe(values[0]))
        .note("`x.ravel()` has one");
  call.array = *array;
  if (!values[1].is<None>()) {
    const std::optional<std::int64_t> size = as_integer(values[1]);
    if (!size || *size < 0 || *size > (*array)->size())
      return fail(DiagnosticId::HostWrongType, "size` of `" + name, "at most the array's", describe(values[1]));
    call.array = with_shape(**array, {*size}, (*array)->strides, (*array)->offset);
  }
  if (const ArrayRef* result = values[2].as<ArrayRef>())
    call.result = *result;
  else if (!values[2].is<None>())
    return fail(DiagnosticId::HostWrongType, "res` of `" + name, "an array", describe(values[2]));
  if (!values[3].is<None>()) call.init = values[3];
  if (const auto* stream = values[4].as<StreamValue>()) call.stream = stream->stream;
  return call;
}

/// A lambda's text as a function; "" for a function of the file, which is called by its name.
Outcome<std::string> operator_text(const FunctionValue& function) {
  const ast::FunctionDef& definition = *function.definition;
  if (definition.name != "lambda") return std::string();
  if (definition.parameters.size() != 2)
    return fail(DiagnosticId::HostWrongType, "argument of `cuda.Reduce", "a function of two values", "another lambda");
  const auto* body = definition.body.front()->as<ast::Return>();
  const std::string_view text = function.module->file().text(body->value->range);
  return "def fold_operator(" + definition.parameters[0].name + ", " + definition.parameters[1].name +
         "):\n    return (" + std::string(text) + ")\n";
}

}  // namespace

Outcome<Value> Launcher::reduce(const FunctionValue& function, const CallArguments& arguments) {
  const std::string& name = function.definition->name;
  ASSIGN_OR_RETURN(ReduceCall call, reduce_call(name, arguments));
  if (function.context && function.context->outer)
    return fail(DiagnosticId::HostLaunchArgument, "a function that is not one of the file's")
        .note("write it at the top level of the file");
  const ElementType type = call.array->element();
  if (type.is_record())
    return fail(DiagnosticId::HostWrongType, "arr` of `" + name, "an array of numbers", describe(Value(call.array)));
  ASSIGN_OR_RETURN(const Scalar init, to_scalar(call.init, type.scalar));
  ASSIGN_OR_RETURN(const std::string lambda, operator_text(function));
  const std::string kernel = "fold_of_" + name;
  const std::string text = jit::fill(kKernel, {{"OPERATOR", lambda},
                                               {"NAME", kernel},
                                               {"TYPE", to_string(type)},
                                               {"FUNCTION", lambda.empty() ? name : "fold_operator"}});

  const std::int64_t blocks = std::min((call.array->size() + kThreads - 1) / kThreads, kMostBlocks);
  const bool is_direct = call.result && (*call.result)->element() == type && blocks > 0;
  ArrayRef total;
  if (is_direct) {
    total = with_shape(**call.result, {1}, {(*call.result)->units()}, (*call.result)->offset);
  } else {
    ASSIGN_OR_RETURN(total, make_array(type, {1}, Order::RowMajor, init));
  }
  const auto launch = [&](const ArrayRef& out, const ArrayRef& in, std::int64_t grid, bool has_init) -> Status {
    const std::vector<Value> values = {Value(out), Value(in), Value(init), Value(has_init)};
    ASSIGN_OR_RETURN(const KernelRequest request, request_for(kernel, values, program_, *function.module));
    ASSIGN_OR_RETURN(const Loaded* const loaded, kernel_for(*function.module, kernel, request, text));
    return run(*loaded, {.grid = {grid, 1, 1}, .block = {kThreads, 1, 1}, .stream = call.stream}, values);
  };
  if (blocks == 1) RETURN_IF_FAILED(launch(total, call.array, 1, true));
  if (blocks > 1) {
    ASSIGN_OR_RETURN(const ArrayRef parts, make_array(type, {blocks}));
    RETURN_IF_FAILED(launch(parts, call.array, blocks, false));
    RETURN_IF_FAILED(launch(total, parts, 1, true));
  }
  if (call.result) {
    const ArrayRef first = with_shape(**call.result, {1}, {(*call.result)->units()}, (*call.result)->offset);
    if (!is_direct) RETURN_IF_FAILED(assign_array(*first, total));
    return Value();
  }
  ASSIGN_OR_RETURN(const Scalar value, first_element(*total));
  return Value(value);
}

}  // namespace pykc::script
