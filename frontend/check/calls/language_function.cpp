// Calls that are more than a row of the builtin table: grid, len, min of any number of arguments, round …
#include "frontend/check/calls/language_function.h"

#include <array>

#include "base/text.h"
#include "base/utf8.h"
#include "frontend/check/arrays/array.h"
#include "frontend/check/arrays/array_function.h"
#include "frontend/check/arrays/constant_array.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/reduction.h"
#include "frontend/check/calls/builtin.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/calls/kinds.h"
#include "frontend/check/calls/ptx.h"
#include "frontend/check/calls/ufunc.h"
#include "frontend/check/calls/ufuncs.h"
#include "frontend/check/expressions/complex.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/expressions/text.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/class.h"
#include "frontend/check/names/names.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {

using checked::BinaryOp;

namespace {

constexpr Int128 kMostDigits = 22;  // powers of ten up to it are exact in f64

/// `grid(1)` is one number, `grid(2)` and `grid(3)` are tuples.
Entity over_axes(FunctionChecker& checker, const ast::Call& call, SourceRange range, LanguageFunction id,
                 Value (*along_axis)(FunctionChecker&, int, SourceRange)) {
  constexpr std::string_view kParameters[] = {"ndim"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, info(id).name, kParameters, 1, info(id).signature);
  if (!arguments) return Unknown{};
  const std::optional<Int128> count = constant_integer(checker, *(*arguments)[0], "the number of dimensions");
  if (!count) return Unknown{};
  if (*count < 1 || *count > 3) {
    checker.report((*arguments)[0]->range, DiagnosticId::ArgumentValue, info(id).name, "1, 2 or 3");
    return Unknown{};
  }
  if (*count == 1) return along_axis(checker, 0, range);
  std::vector<Value> axes;
  for (int axis = 0; axis < static_cast<int>(*count); ++axis) axes.push_back(along_axis(checker, axis, range));
  return checker.tree.tuple(std::move(axes), range);
}

Value launch_value(FunctionChecker& checker, LaunchCoordinate::Of of, int axis, SourceRange range) {
  return property(checker, builtin_of({of, axis}), range);
}

Value thread_along(FunctionChecker& checker, int axis, SourceRange range) {
  using enum LaunchCoordinate::Of;
  const Value block = launch_value(checker, BlockIdx, axis, range), size = launch_value(checker, BlockDim, axis, range);
  const Value thread = launch_value(checker, ThreadIdx, axis, range);
  return arithmetic(checker, BinaryOp::Add, arithmetic(checker, BinaryOp::Mul, block, size, range), thread, range);
}

Value threads_along(FunctionChecker& checker, int axis, SourceRange range) {
  using enum LaunchCoordinate::Of;
  return arithmetic(checker, BinaryOp::Mul, launch_value(checker, GridDim, axis, range),
                    launch_value(checker, BlockDim, axis, range), range);
}

Entity call_len(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"a"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "len", kParameters, 1, info(LanguageFunction::Len).signature);
  if (!arguments) return Unknown{};
  const Value given = checker.value(*(*arguments)[0]);
  if (!given.known()) return Unknown{};
  if (given.is_tuple()) {
    const Value count = checker.tree.weak_integer(static_cast<Int128>(given.type()->elements.size()), range);
    if (!has_effects(*given.expr)) return count;
    return TreeBuilder::strong(with_parts(
        checker, given, [&](const std::vector<Value>&) { return checker.tree.convert(count, ScalarType::I64); }));
  }
  if (given.is_array() && given.type()->array.rank() > 0) return extent(checker, given, 0, range);
  if (given.is_text()) return text_length(checker, given, range);
  checker.report((*arguments)[0]->range, DiagnosticId::OperandType, "`len`", describe(given))
      .note("`len` is for arrays, tuples and text");
  return Unknown{};
}

Entity call_abs(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"x"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "abs", kParameters, 1, info(LanguageFunction::Abs).signature);
  if (!arguments) return Unknown{};
  const Entity given = checker.entity(*(*arguments)[0]);
  if (has_table(checker, std::span(&given, 1))) {
    const auto* ufunc = std::get_if<const Ufunc*>(name_table().find("numpy", "absolute"));
    return constant_ufunc(checker, **ufunc, std::span(&given, 1), range);
  }
  const Value result = absolute(checker, to_value(checker, given, (*arguments)[0]->range), range);
  return result.known() ? Entity(result) : Entity(Unknown{});
}

Value extremum(FunctionChecker& checker, BuiltinId id, std::string_view name, const ast::Call& call,
               SourceRange range) {
  if (!has_no_keywords(checker, call, name)) return {};
  std::vector<Value> numbers;
  bool is_of_tuple = false;
  for (const ast::ExprPtr& argument : call.arguments) {
    const Value given = checker.value(*argument);
    if (call.arguments.size() == 1 && given.is_array() && given.type()->array.rank() == 1 && has_reductions(checker))
      return extremum_of_array(checker, name, given, range);
    const bool is_only_tuple = given.is_tuple() && call.arguments.size() == 1;
    if (!given.known() || (!is_only_tuple && !require_scalar(checker, given, name))) return {};
    if (!is_only_tuple) {
      numbers.push_back(given);
      continue;
    }
    is_of_tuple = true;
    for (Value& element : all_elements(checker, given))
      if (require_scalar(checker, element, name)) numbers.push_back(std::move(element));
  }
  if (is_of_tuple && numbers.size() == 1) return numbers.front();
  if (numbers.size() < 2 || numbers.size() > 256) {
    checker.report(range, DiagnosticId::ArgumentCount, as_code(name), "2 to 256 values", std::to_string(numbers.size()))
        .note("one value may be an array or a tuple, of which it gives the extremum");
    return {};
  }
  for (const Value& number : numbers)
    if (!require_arithmetic(checker, number, as_code(name))) return {};
  const std::optional<Unified> unified = unify_all(checker, numbers, checker.rules->join, range);
  if (!unified) return {};
  const ScalarType type = unified->type == ScalarType::Bool ? ScalarType::I32 : unified->type;
  const Expr* result = checker.tree.convert(numbers[0], type);
  for (std::size_t i = 1; i < numbers.size(); ++i)
    result = builtin_result(checker, id, {result, checker.tree.convert(numbers[i], type)}, type, range).expr;
  if (type != unified->type && !checker.rules->has_weak_literals) result = checker.tree.cast(result, unified->type);
  const bool stays_weak = unified->weak == Weak::Float && result->as<checked::Constant>();
  return {result, stays_weak ? Weak::Float : Weak::No, {}};
}

Value round_to_digits(FunctionChecker& checker, const Value& number, const Value& digits, SourceRange range) {
  if (!digits.known()) return {};
  if (!is_integer(digits.scalar())) {
    checker.report(digits.range(), DiagnosticId::OperandType, "the number of digits of `round`", describe(digits));
    return {};
  }
  const Int128 count = digits.is_constant() ? integer_of(*digits.expr) : kMostDigits + 1;
  if (count > kMostDigits || count < -kMostDigits) {  // or not known
    const Binding* function = checker.module.scope_of(kIntrinsicsModule)->find("round_to_digits");
    const Value wide = TreeBuilder::strong(checker.tree.convert(number, ScalarType::F64));
    const Value given = TreeBuilder::strong(checker.tree.convert(digits, ScalarType::I64));
    const Value rounded = call_specialized(checker, *std::get<FunctionDecl*>(*function), {wide, given}, range);
    return rounded.known() && is_float(number.scalar()) ? cast_value(checker, rounded, number.scalar(), range)
                                                        : rounded;
  }
  if (is_integer_or_bool(number.scalar()) && count >= 0) return number;
  const ScalarType type = is_float(number.scalar()) ? number.scalar() : ScalarType::F64;
  double power = 1;
  for (Int128 i = 0; i < (count < 0 ? -count : count); ++i) power *= 10;
  const Expr* scale = checker.tree.real(power, type, range);
  const BinaryOp up = count < 0 ? BinaryOp::Div : BinaryOp::Mul, down = count < 0 ? BinaryOp::Mul : BinaryOp::Div;
  const Expr* result = with_temporary(checker, checker.tree.convert(number, type), [&](const Expr* x) {
    return with_temporary(checker, checker.tree.binary(up, x, scale, range), [&](const Expr* scaled) {
      const Expr* rounded = builtin_result(checker, BuiltinId::Round, {scaled}, type, range).expr;
      // What has no digits to lose, or would overflow, stays as it is.
      const Expr* is_finite = builtin_result(checker, BuiltinId::Isfinite, {scaled}, type, range).expr;
      return checker.tree.conditional(is_finite, checker.tree.binary(down, rounded, scale, range), x);
    });
  });
  return TreeBuilder::strong(result);
}

/// `round(x)` is an integer, halves to even; `round(x, n)` a float with n digits.
Entity call_round(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"number", "ndigits"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "round", kParameters, 1, info(LanguageFunction::Round).signature);
  if (!arguments) return Unknown{};
  const Value number = scalar(checker, *(*arguments)[0], "`round`");
  if (!require_arithmetic(checker, number, "`round`")) return {};
  if (!number.known()) return Unknown{};
  if ((*arguments)[1]) return round_to_digits(checker, number, scalar(checker, *(*arguments)[1], "`round`"), range);
  if (is_integer_or_bool(number.scalar()))
    return checker.rules->has_weak_literals ? number : cast_value(checker, number, ScalarType::I64, range);
  const Value rounded = builtin_result(checker, BuiltinId::Round, {number.expr}, number.scalar(), range);
  return cast_value(checker, rounded, ScalarType::I64, range);
}

/// `np.round(x)` has the type of `x`.
Entity call_numpy_round(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"a", "decimals"};
  const LanguageFunctionRow& row = info(LanguageFunction::NumpyRound);
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "np.round", kParameters, 1, row.signature);
  if (!arguments) return Unknown{};
  const Value number = scalar(checker, *(*arguments)[0], "`np.round`");
  if (!require_arithmetic(checker, number, "`np.round`") || !number.known()) return Unknown{};
  if ((*arguments)[1]) return round_to_digits(checker, number, scalar(checker, *(*arguments)[1], "`np.round`"), range);
  if (is_integer_or_bool(number.scalar())) return number;
  return builtin_result(checker, BuiltinId::Round, {number.expr}, number.scalar(), range);
}

/// `np.clip(x, low, high)`, by `np.maximum` and `np.minimum`.
Entity call_clip(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"a", "a_min", "a_max"};
  const LanguageFunctionRow& row = info(LanguageFunction::NumpyClip);
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "np.clip", kParameters, 3, row.signature);
  if (!arguments) return Unknown{};
  Value number = scalar(checker, *(*arguments)[0], "`np.clip`");
  for (const auto& [bound, limit] : {std::pair{(*arguments)[1], "maximum"}, std::pair{(*arguments)[2], "minimum"}}) {
    if (bound->as<ast::NoneLiteral>()) continue;
    const Value given = scalar(checker, *bound, "`np.clip`");
    if (!number.known() || !given.known()) return Unknown{};
    number = apply(checker, *std::get<const Ufunc*>(*name_table().find("numpy", limit)), {number, given}, range);
  }
  return number;
}

/// `sum((a, b, c), start)`: of a tuple.
Entity call_sum(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"iterable", "start"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "sum", kParameters, 1, info(LanguageFunction::Sum).signature);
  if (!arguments) return Unknown{};
  const Value given = checker.value(*(*arguments)[0]);
  const Value start =
      (*arguments)[1] ? scalar(checker, *(*arguments)[1], "`sum`") : checker.tree.weak_integer(0, range);
  if (!given.known() || !start.known()) return Unknown{};
  if (!given.is_tuple()) {
    checker.report((*arguments)[0]->range, DiagnosticId::OperandType, "`sum`", describe(given))
        .note("`sum` adds up a tuple; add up an array in a loop");
    return Unknown{};
  }
  if (is_simple(*given.expr) || !given.elements.empty()) {
    Value total = start;
    for (const Value& element : take_apart(checker, given))
      total = binary(checker, ast::BinaryOp::Add, total, element, range);
    return total;
  }
  return TreeBuilder::strong(with_parts(checker, given, [&](const std::vector<Value>& parts) {
    Value total = start;
    for (const Value& element : parts) total = binary(checker, ast::BinaryOp::Add, total, element, range);
    return total.expr;
  }));
}

/// `tuple(t)`: of a tuple, itself; of an array of a known number of elements, these.
Entity call_tuple(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"iterable"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "tuple", kParameters, 1, info(LanguageFunction::PythonTuple).signature);
  if (!arguments) return Unknown{};
  const Value given = checker.value(*(*arguments)[0]);
  if (!given.known()) return Unknown{};
  if (given.is_tuple()) return given;
  const std::int64_t count = given.is_array() && given.type()->array.rank() == 1 ? given.type()->array.extents[0] : -1;
  if (count < 0 || count > static_cast<std::int64_t>(kMostNumbers)) {
    checker.report((*arguments)[0]->range, DiagnosticId::OperandType, "`tuple`", describe(given))
        .note("how many elements a tuple has must be known while compiling: write them out, `(a[0], a[1])`");
    return Unknown{};
  }
  const Expr* made = with_temporary(checker, given.expr, [&](const Expr* kept) {
    std::vector<Value> elements;
    for (std::int64_t i = 0; i < count; ++i)
      elements.push_back(index(checker, TreeBuilder::strong(kept), {checker.tree.weak_integer(i, range)}, range));
    return checker.tree.tuple(std::move(elements), range).expr;
  });
  return TreeBuilder::strong(made);
}

/// Whether any, or all, of a tuple hold.
Entity call_any_all(FunctionChecker& checker, bool is_all, const ast::Call& call, SourceRange range) {
  const std::string_view name = is_all ? "all" : "any";
  constexpr std::string_view kParameters[] = {"iterable"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, name, kParameters, 1,
                     info(is_all ? LanguageFunction::All : LanguageFunction::Any).signature);
  if (!arguments) return Unknown{};
  const Value given = checker.value(*(*arguments)[0]);
  if (!given.known()) return Unknown{};
  if (!given.is_tuple()) {
    checker.report((*arguments)[0]->range, DiagnosticId::OperandType, as_code(name), describe(given))
        .note("it looks at the elements of a tuple; test those of an array in a loop");
    return Unknown{};
  }
  const Expr* result = with_parts(checker, given, [&](const std::vector<Value>& parts) -> const Expr* {
    const Expr* so_far = checker.tree.boolean(is_all, range);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!require_scalar(checker, parts[i], name)) return nullptr;
      so_far =
          i == 0 ? truth(checker, parts[i]) : checker.tree.logical(is_all, so_far, truth(checker, parts[i]), range);
    }
    return so_far;
  });
  return result ? Entity(TreeBuilder::strong(result)) : Entity(Unknown{});
}

Entity call_ord(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"c"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "ord", kParameters, 1, info(LanguageFunction::PythonOrd).signature);
  if (!arguments) return Unknown{};
  const Entity given = checker.entity(*(*arguments)[0]);
  const auto* literal = std::get_if<TextRef>(&given);
  const std::u32string spelled = literal ? code_points(literal->text) : std::u32string();
  if (spelled.size() == 1) return checker.tree.weak_integer(spelled[0], range);
  const Value text = to_value(checker, given, (*arguments)[0]->range);
  if (!literal && text.known() && text.is_text() && width_of(text.type()->record) == 1)
    return number_of_character(checker, text);
  if (text.known())
    checker.report((*arguments)[0]->range, DiagnosticId::OperandType, "`ord`", describe(text))
        .note("it is for a text of one character; `a.view(np.uint8)` shows the bytes of an array of text");
  return Unknown{};
}

Entity call_pow(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"base", "exp"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "pow", kParameters, 2, info(LanguageFunction::Pow).signature);
  if (!arguments) return Unknown{};
  return binary(checker, ast::BinaryOp::Pow, checker.value(*(*arguments)[0]), checker.value(*(*arguments)[1]), range);
}

Entity call_divmod(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"a", "b"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "divmod", kParameters, 2, info(LanguageFunction::Divmod).signature);
  if (!arguments) return Unknown{};
  const Value a = scalar(checker, *(*arguments)[0], "`divmod`"), b = scalar(checker, *(*arguments)[1], "`divmod`");
  if (!a.known() || !b.known()) return Unknown{};
  return TreeBuilder::strong(with_temporary(checker, a.expr, [&](const Expr* left) {
    return with_temporary(checker, b.expr, [&](const Expr* right) {
      const Value x{left, a.weak, {}}, y{right, b.weak, {}};
      return checker.tree
          .tuple(
              {binary(checker, ast::BinaryOp::FloorDiv, x, y, range), binary(checker, ast::BinaryOp::Mod, x, y, range)},
              range)
          .expr;
    });
  }));
}

}  // namespace

Entity call_language_function(FunctionChecker& checker, LanguageFunction id, const ast::Call& call, SourceRange range) {
  switch (id) {
    case LanguageFunction::Grid:
      return over_axes(checker, call, range, id, &thread_along);
    case LanguageFunction::GridSize:
      return over_axes(checker, call, range, id, &threads_along);
    case LanguageFunction::Len:
      return call_len(checker, call, range);
    case LanguageFunction::Abs:
      return call_abs(checker, call, range);
    case LanguageFunction::Min:
      return extremum(checker, BuiltinId::Min, "min", call, range);
    case LanguageFunction::Max:
      return extremum(checker, BuiltinId::Max, "max", call, range);
    case LanguageFunction::Round:
      return call_round(checker, call, range);
    case LanguageFunction::NumpyRound:
      return call_numpy_round(checker, call, range);
    case LanguageFunction::NumpyClip:
      return call_clip(checker, call, range);
    case LanguageFunction::Pow:
      return call_pow(checker, call, range);
    case LanguageFunction::Divmod:
      return call_divmod(checker, call, range);
    case LanguageFunction::SharedArray:
      return call_shared_array(checker, call, range);
    case LanguageFunction::MapSharedRank:
      return call_map_shared_rank(checker, call, range);
    case LanguageFunction::LocalArray:
      return call_local_array(checker, call, range);
    case LanguageFunction::ConstArray:
      return misplaced_const_array(checker, range);
    case LanguageFunction::ConstArrayLike:
      return call_const_array_like(checker, call, range);
    case LanguageFunction::NumpyArray:
    case LanguageFunction::NumpyZeros:
    case LanguageFunction::NumpyOnes:
    case LanguageFunction::NumpyFull:
    case LanguageFunction::NumpyZerosLike:
    case LanguageFunction::NumpyOnesLike:
    case LanguageFunction::NumpyFullLike:
    case LanguageFunction::NumpyArange:
    case LanguageFunction::NumpyLinspace:
    case LanguageFunction::NumpyEye:
    case LanguageFunction::NumpyDtype:
      return call_array_function(checker, id, call, range);
    case LanguageFunction::Sum:
      return call_sum(checker, call, range);
    case LanguageFunction::Any:
    case LanguageFunction::All:
      return call_any_all(checker, id == LanguageFunction::All, call, range);
    case LanguageFunction::IsInstance:
      return call_isinstance(checker, call, range);
    case LanguageFunction::PythonType:
      return call_type(checker, call, range);
    case LanguageFunction::NumpyFinfo:
      return call_finfo(checker, call, range);
    case LanguageFunction::NumpyIinfo:
      return call_iinfo(checker, call, range);
    case LanguageFunction::PythonOrd:
      return call_ord(checker, call, range);
    case LanguageFunction::PythonComplex:
      return call_python_complex(checker, call, range);
    case LanguageFunction::PythonTuple:
      return call_tuple(checker, call, range);
    case LanguageFunction::NamedTuple:
      return make_named_tuple(checker, call, range);
    case LanguageFunction::ThisGrid:
      if (!bind_arguments(checker, call, range, "this_grid", {}, 0, info(LanguageFunction::ThisGrid).signature))
        return Unknown{};
      return checker.tree.tuple({}, range);
    case LanguageFunction::Ptx:
      return call_ptx(checker, call, range);
    case LanguageFunction::TensorMap:
      return call_tensor_map(checker, call, range);
    case LanguageFunction::Range:
    case LanguageFunction::Enumerate:
    case LanguageFunction::Zip:
    case LanguageFunction::Reversed:
    case LanguageFunction::NumpyNdIndex:
    case LanguageFunction::NumpyNdEnumerate:
    case LanguageFunction::Unroll:
      checker
          .report(range, DiagnosticId::UnsupportedInKernel,
                  as_code(checker.scope.file().text(call.function->range)) + " outside a `for` loop")
          .note("write it where the loop goes through it: `for i in range(n):`");
      return Unknown{};
    case LanguageFunction::Print:
    case LanguageFunction::StaticAssert:
    case LanguageFunction::Constexpr:
      checker.report(range, DiagnosticId::NotAValue,
                     std::string(checker.scope.file().text(call.function->range)) + "(…)", "None");
      return Unknown{};
    case LanguageFunction::Exception:
      return unsupported(checker, range, "an exception outside of `raise`", "write `raise` before it");
    case LanguageFunction::Config:
      checker.report(range, DiagnosticId::NotCallable, checker.scope.file().text(call.function->range))
          .note("it makes a configuration of a kernel, in `@autotune(configs=[config(…), …])`");
      return Unknown{};
    case LanguageFunction::NewAxis:
    case LanguageFunction::Kernel:
    case LanguageFunction::Device:
    case LanguageFunction::Extern:
    case LanguageFunction::CudaJit:
    case LanguageFunction::HostJit:
    case LanguageFunction::Vectorize:
    case LanguageFunction::GuVectorize:
    case LanguageFunction::CudaReduce:
    case LanguageFunction::Test:
    case LanguageFunction::Autotune:
    case LanguageFunction::Struct:
    case LanguageFunction::Enum:
    case LanguageFunction::IntEnum:
    case LanguageFunction::NamedTupleClass:
      break;
  }
  checker.report(range, DiagnosticId::NotCallable, checker.scope.file().text(call.function->range))
      .note("it is a decorator: `@…` before a `def`");
  return Unknown{};
}

/// `cg.this_grid()` is a group that says nothing: an empty tuple, on which `sync` can be called.
std::optional<Entity> call_group_sync(FunctionChecker& checker, const ast::Call& call, const ast::Expr& group,
                                      SourceRange range) {
  const Entity owner = checker.entity(group);
  const auto* given = std::get_if<Value>(&owner);
  if (!given || !given->is_tuple() || !given->type()->elements.empty()) return std::nullopt;
  if (!bind_arguments(checker, call, range, "sync", {}, 0, "()")) return Unknown{};
  return builtin_result(checker, BuiltinId::GridSync, {}, ScalarType::I64, range);
}

/// `n.bit_count()`: of the size of `n`, as Python's.
Entity call_bit_count(FunctionChecker& checker, const ast::Call& call, const ast::Expr& number, SourceRange range) {
  if (!bind_arguments(checker, call, range, "bit_count", {}, 0, "()")) return Unknown{};
  const Value given = scalar(checker, number, "`bit_count`");
  if (!given.known()) return Unknown{};
  if (is_float(given.scalar())) {
    checker.report(number.range, DiagnosticId::OperandType, "`bit_count`", describe(given));
    return Unknown{};
  }
  const ScalarType type = machine_type(given.scalar());
  const Expr* size = builtin_result(checker, BuiltinId::Abs, {checker.tree.convert(given, type)}, type, range).expr;
  return builtin_result(checker, BuiltinId::Popc, {size}, type, range);
}

Value absolute(FunctionChecker& checker, const Value& given, SourceRange range) {
  if (given.is_complex()) return complex_magnitude(checker, given, range);
  if (!require_scalar(checker, given, "`abs`") || !require_arithmetic(checker, given, "`abs`")) return {};
  if (given.is_weak_integer()) {
    const Int128 number = integer_of(*given.expr);
    return whole_number(checker, number < 0 ? -number : number, range);
  }
  const ScalarType result_type = checker.rules->magnitude(given.scalar()), type = machine_type(result_type);
  Value result = builtin_result(checker, BuiltinId::Abs, {checker.tree.convert(given, type)}, type, range);
  result.expr = checker.tree.cast(result.expr, result_type);
  if (given.weak == Weak::Float && given.is_constant()) result.weak = Weak::Float;
  return result;
}

/// What does not hold in a function of the library is told where it was called.
void report_failed_assert(FunctionChecker& checker, std::string_view text, const std::string& why, SourceRange range) {
  const auto is_own = [](const ModuleChecker::CallSite& call) { return !call.file->origin().is_built_in; };
  const std::vector<ModuleChecker::CallSite>& calls = checker.module.calls;
  const auto call = std::find_if(calls.rbegin(), calls.rend(), is_own);
  if (!checker.scope.file().origin().is_built_in || call == calls.rend()) {
    checker.report(range, DiagnosticId::StaticAssertFailed, text, why);
    return;
  }
  checker.module.diagnostics(checker.is_trial)
      .report(*call->file, call->range, DiagnosticId::StaticAssertFailed, text, why)
      .label(checker.scope.file(), range, "it is tested here");
}

/// `static_assert(TILE % 32 == 0, "why")`: tested while compiling.
void static_assert_(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"condition", "message"};
  const std::optional<Arguments> arguments = bind_arguments(checker, call, range, "static_assert", kParameters, 1,
                                                            info(LanguageFunction::StaticAssert).signature);
  if (!arguments) return;
  const Expr* test = condition(checker, *(*arguments)[0]);
  std::string why;
  if (const ast::Expr* message = (*arguments)[1]) {
    if (const auto* text = message->as<ast::StringLiteral>())
      why = ": " + text->value;
    else
      unsupported(checker, message->range, "a message of `static_assert` that is not spelled out",
                  "write the text in quotes");
  }
  if (!test) return;
  const auto* constant = test->as<checked::Constant>();
  if (!constant)
    checker.report((*arguments)[0]->range, DiagnosticId::NotConstant, "the condition of `static_assert`")
        .note("`assert` tests it when the kernel runs");
  else if (constant->bits == 0)
    report_failed_assert(checker, checker.scope.file().text((*arguments)[0]->range), why, range);
}

}  // namespace pykc::checker
