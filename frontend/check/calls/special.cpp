// Calls that are more than a row of the builtin table: grid, len, min of any number of arguments, round …
#include <array>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

using checked::BinaryOp;

namespace {

constexpr Int128 kMostDigits = 22;  // powers of ten up to it are exact in f64

BuiltinId along(BuiltinId x, int axis) { return static_cast<BuiltinId>(static_cast<int>(x) + axis); }

}  // namespace

Entity Body::call_special(Special special, const ast::Call& call, SourceRange range) {
  switch (special) {
    case Special::Grid:
      return over_axes(call, range, "grid", &Body::thread_along);
    case Special::GridSize:
      return over_axes(call, range, "gridsize", &Body::threads_along);
    case Special::Len:
      return call_len(call, range);
    case Special::Abs:
      return call_abs(call, range);
    case Special::Min:
      return extremum(BuiltinId::Min, "min", call, range);
    case Special::Max:
      return extremum(BuiltinId::Max, "max", call, range);
    case Special::Round:
      return call_round(call, range);
    case Special::Pow:
      return call_pow(call, range);
    case Special::Divmod:
      return call_divmod(call, range);
    case Special::SharedArray:
      return call_shared_array(call, range);
    case Special::LocalArray:
      return call_local_array(call, range);
    case Special::ConstArray:
      return misplaced_const_array(range);
    case Special::ConstArrayLike:
      return call_const_array_like(call, range);
    case Special::NumpyArray:
    case Special::NumpyZeros:
    case Special::NumpyOnes:
    case Special::NumpyFull:
    case Special::NumpyZerosLike:
    case Special::NumpyOnesLike:
    case Special::NumpyFullLike:
    case Special::NumpyArange:
    case Special::NumpyLinspace:
    case Special::NumpyEye:
    case Special::NumpyDtype:
      return call_array_function(special, call, range);
    case Special::Sum:
      return call_sum(call, range);
    case Special::Any:
    case Special::All:
      return call_any_all(special == Special::All, call, range);
    case Special::IsInstance:
      return call_isinstance(call, range);
    case Special::PythonComplex:
      return call_python_complex(call, range);
    case Special::PythonTuple:
      return call_tuple(call, range);
    case Special::NamedTuple:
      return make_named_tuple(call, range);
    case Special::ThisGrid:
      if (!bind_arguments(call, range, "this_grid", {}, 0, "()")) return Unknown{};
      return tree_.tuple({}, range);
    case Special::Ptx:
      return call_ptx(call, range);
    case Special::Range:
    case Special::Enumerate:
    case Special::Zip:
    case Special::Reversed:
    case Special::Unroll:
      report(range, DiagnosticId::UnsupportedInKernel,
             "`" + std::string(scope_.file().text(call.function->range)) + "` outside a `for` loop");
      return Unknown{};
    case Special::Print:
    case Special::StaticAssert:
    case Special::Constexpr:
      report(range, DiagnosticId::NotAValue, std::string(scope_.file().text(call.function->range)) + "(…)", "None");
      return Unknown{};
    case Special::Exception:
      return unsupported(range, "an exception outside of `raise`", "write `raise` before it");
    case Special::Config:
      report(range, DiagnosticId::NotCallable, scope_.file().text(call.function->range))
          .note("it makes a configuration of a kernel, in `@autotune(configs=[config(…), …])`");
      return Unknown{};
    default:
      break;
  }
  report(range, DiagnosticId::NotCallable, scope_.file().text(call.function->range))
      .note("it is a decorator: `@…` before a `def`");
  return Unknown{};
}

/// `cg.this_grid()` is a group that says nothing: an empty tuple, on which `sync` can be called.
std::optional<Entity> Body::call_group_sync(const ast::Call& call, const ast::Expr& group, SourceRange range) {
  const Entity owner = entity(group);
  const auto* given = std::get_if<Value>(&owner);
  if (!given || !given->is_tuple() || !given->type().elements.empty()) return std::nullopt;
  if (!bind_arguments(call, range, "sync", {}, 0, "()")) return Unknown{};
  return builtin_result(BuiltinId::GridSync, {}, ScalarType::I64, range);
}

/// `n.bit_count()`: of the size of `n`, as Python's.
Entity Body::call_bit_count(const ast::Call& call, const ast::Expr& number, SourceRange range) {
  if (!bind_arguments(call, range, "bit_count", {}, 0, "()")) return Unknown{};
  const Value given = scalar(number, "`bit_count`");
  if (!given.known()) return Unknown{};
  if (is_float(given.scalar())) {
    report(number.range, DiagnosticId::OperandType, "`bit_count`", describe(given));
    return Unknown{};
  }
  const ScalarType type = machine_type(given.scalar());
  const Expr* size = builtin_result(BuiltinId::Abs, {tree_.convert(given, type)}, type, range).expr;
  return builtin_result(BuiltinId::Popc, {size}, type, range);
}

/// `grid(1)` is one number, `grid(2)` and `grid(3)` are tuples.
Entity Body::over_axes(const ast::Call& call, SourceRange range, std::string_view name,
                       Value (Body::*along_axis)(int, SourceRange)) {
  constexpr std::string_view kParameters[] = {"ndim"};
  const std::optional<Arguments> arguments = bind_arguments(call, range, name, kParameters, 1, "(ndim)");
  if (!arguments) return Unknown{};
  const std::optional<Int128> count = constant_integer(*(*arguments)[0], "the number of dimensions");
  if (!count) return Unknown{};
  if (*count < 1 || *count > 3) {
    report((*arguments)[0]->range, DiagnosticId::ArgumentValue, name, "1, 2 or 3");
    return Unknown{};
  }
  if (*count == 1) return (this->*along_axis)(0, range);
  std::vector<Value> axes;
  for (int axis = 0; axis < static_cast<int>(*count); ++axis) axes.push_back((this->*along_axis)(axis, range));
  return tree_.tuple(std::move(axes), range);
}

Value Body::thread_along(int axis, SourceRange range) {
  const Value block = property(along(BuiltinId::BlockIdxX, axis), range),
              size = property(along(BuiltinId::BlockDimX, axis), range);
  const Value thread = property(along(BuiltinId::ThreadIdxX, axis), range);
  return arithmetic(BinaryOp::Add, arithmetic(BinaryOp::Mul, block, size, range), thread, range);
}

Value Body::threads_along(int axis, SourceRange range) {
  return arithmetic(BinaryOp::Mul, property(along(BuiltinId::GridDimX, axis), range),
                    property(along(BuiltinId::BlockDimX, axis), range), range);
}

Entity Body::call_len(const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"a"};
  const std::optional<Arguments> arguments = bind_arguments(call, range, "len", kParameters, 1, "(a)");
  if (!arguments) return Unknown{};
  const Value given = value(*(*arguments)[0]);
  if (!given.known()) return Unknown{};
  if (given.is_tuple()) return tree_.weak_integer(static_cast<Int128>(given.type().elements.size()), range);
  if (given.is_array() && given.type().array.rank() > 0) return extent(given, 0, range);
  report((*arguments)[0]->range, DiagnosticId::OperandType, "`len`", describe(given))
      .note("`len` is for arrays and tuples");
  return Unknown{};
}

Entity Body::call_abs(const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"x"};
  const std::optional<Arguments> arguments = bind_arguments(call, range, "abs", kParameters, 1, "(x)");
  if (!arguments) return Unknown{};
  const Entity given = entity(*(*arguments)[0]);
  if (has_table(std::span(&given, 1))) {
    const auto* ufunc = std::get_if<const Ufunc*>(session_.names().find("numpy", "absolute"));
    return constant_ufunc(**ufunc, std::span(&given, 1), range);
  }
  const Value result = absolute(to_value(given, (*arguments)[0]->range), range);
  return result.known() ? Entity(result) : Entity(Unknown{});
}

Value Body::absolute(const Value& given, SourceRange range) {
  if (given.is_complex()) return complex_magnitude(given, range);
  if (!require_scalar(given, "`abs`")) return {};
  if (given.is_weak_integer()) {
    const Int128 number = integer_of(*given.expr);
    return whole_number(number < 0 ? -number : number, range);
  }
  const ScalarType result_type = rules_->magnitude(given.scalar()), type = machine_type(result_type);
  Value result = builtin_result(BuiltinId::Abs, {tree_.convert(given, type)}, type, range);
  result.expr = tree_.cast(result.expr, result_type);
  if (given.weak == Weak::Float && given.is_constant()) result.weak = Weak::Float;
  return result;
}

Value Body::extremum(BuiltinId id, std::string_view name, const ast::Call& call, SourceRange range) {
  if (!has_no_keywords(call, name)) return {};
  std::vector<Value> numbers;
  bool is_of_tuple = false;
  for (const ast::ExprPtr& argument : call.arguments) {
    const Value given = value(*argument);
    const bool is_only_tuple = given.is_tuple() && call.arguments.size() == 1;
    if (!given.known() || (!is_only_tuple && !require_scalar(given, name))) return {};
    if (!is_only_tuple) {
      numbers.push_back(given);
      continue;
    }
    is_of_tuple = true;
    for (Value& element : take_apart(given))
      if (require_scalar(element, name)) numbers.push_back(std::move(element));
  }
  if (is_of_tuple && numbers.size() == 1) return numbers.front();
  if (numbers.size() < 2 || numbers.size() > 256) {
    report(range, DiagnosticId::ArgumentCount, "`" + std::string(name) + "`", "2 to 256 values",
           std::to_string(numbers.size()))
        .note("for the extremum of an array, loop over it");
    return {};
  }
  const std::optional<Unified> unified = unify_all(numbers, rules_->join, range);
  if (!unified) return {};
  const ScalarType type = unified->type == ScalarType::Bool ? ScalarType::I32 : unified->type;
  const Expr* result = tree_.convert(numbers[0], type);
  for (std::size_t i = 1; i < numbers.size(); ++i)
    result = builtin_result(id, {result, tree_.convert(numbers[i], type)}, type, range).expr;
  if (type != unified->type && !rules_->has_weak_literals) result = tree_.cast(result, unified->type);
  const bool stays_weak = unified->weak == Weak::Float && result->as<checked::Constant>();
  return {result, stays_weak ? Weak::Float : Weak::No, {}};
}

/// `round(x)` is an integer, halves to even; `round(x, n)` a float with n digits.
Entity Body::call_round(const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"number", "ndigits"};
  const std::optional<Arguments> arguments =
      bind_arguments(call, range, "round", kParameters, 1, "(number, ndigits=None)");
  if (!arguments) return Unknown{};
  const Value number = scalar(*(*arguments)[0], "`round`");
  if (!number.known()) return Unknown{};
  if ((*arguments)[1]) return round_to_digits(number, scalar(*(*arguments)[1], "`round`"), range);
  if (is_integer_or_bool(number.scalar()))
    return rules_->has_weak_literals ? number : cast_value(number, ScalarType::I64, range);
  const Value rounded = builtin_result(BuiltinId::Round, {number.expr}, number.scalar(), range);
  return cast_value(rounded, ScalarType::I64, range);
}

Value Body::round_to_digits(const Value& number, const Value& digits, SourceRange range) {
  if (!digits.known()) return {};
  if (!is_integer(digits.scalar())) {
    report(digits.range(), DiagnosticId::OperandType, "the number of digits of `round`", describe(digits));
    return {};
  }
  const Int128 count = digits.is_constant() ? integer_of(*digits.expr) : kMostDigits + 1;
  if (count > kMostDigits || count < -kMostDigits) {  // or not known
    const Binding* function = session_.scope_of(kIntrinsicsModule)->find("round_to_digits");
    const Value wide = TreeBuilder::strong(tree_.convert(number, ScalarType::F64));
    const Value given = TreeBuilder::strong(tree_.convert(digits, ScalarType::I64));
    const Value rounded = call_specialized(*std::get<FunctionDecl*>(*function), {wide, given}, range);
    return rounded.known() && is_float(number.scalar()) ? cast_value(rounded, number.scalar(), range) : rounded;
  }
  if (is_integer_or_bool(number.scalar()) && count >= 0) return number;
  const ScalarType type = is_float(number.scalar()) ? number.scalar() : ScalarType::F64;
  double power = 1;
  for (Int128 i = 0; i < (count < 0 ? -count : count); ++i) power *= 10;
  const Expr* scale = tree_.real(power, type, range);
  const BinaryOp up = count < 0 ? BinaryOp::Div : BinaryOp::Mul, down = count < 0 ? BinaryOp::Mul : BinaryOp::Div;
  const Expr* result = with_temporary(tree_.convert(number, type), [&](const Expr* x) {
    return with_temporary(tree_.binary(up, x, scale, range), [&](const Expr* scaled) {
      const Expr* rounded = builtin_result(BuiltinId::Round, {scaled}, type, range).expr;
      // What has no digits to lose, or would overflow, stays as it is.
      const Expr* is_finite = builtin_result(BuiltinId::Isfinite, {scaled}, type, range).expr;
      return tree_.conditional(is_finite, tree_.binary(down, rounded, scale, range), x);
    });
  });
  return TreeBuilder::strong(result);
}

/// `sum((a, b, c), start)`: of a tuple.
Entity Body::call_sum(const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"iterable", "start"};
  const std::optional<Arguments> arguments = bind_arguments(call, range, "sum", kParameters, 1, "(iterable, start=0)");
  if (!arguments) return Unknown{};
  const Value given = value(*(*arguments)[0]);
  const Value start = (*arguments)[1] ? scalar(*(*arguments)[1], "`sum`") : tree_.weak_integer(0, range);
  if (!given.known() || !start.known()) return Unknown{};
  if (!given.is_tuple()) {
    report((*arguments)[0]->range, DiagnosticId::OperandType, "`sum`", describe(given))
        .note("`sum` adds up a tuple; add up an array in a loop");
    return Unknown{};
  }
  if (is_simple(*given.expr) || !given.elements.empty()) {
    Value total = start;
    for (const Value& element : take_apart(given)) total = binary(ast::BinaryOp::Add, total, element, range);
    return total;
  }
  return TreeBuilder::strong(with_parts(given, [&](const std::vector<Value>& parts) {
    Value total = start;
    for (const Value& element : parts) total = binary(ast::BinaryOp::Add, total, element, range);
    return total.expr;
  }));
}

/// `tuple(t)`: of a tuple, itself; of an array of a known number of elements, these.
Entity Body::call_tuple(const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"iterable"};
  const std::optional<Arguments> arguments = bind_arguments(call, range, "tuple", kParameters, 1, "(iterable)");
  if (!arguments) return Unknown{};
  const Value given = value(*(*arguments)[0]);
  if (!given.known()) return Unknown{};
  if (given.is_tuple()) return given;
  const std::int64_t count = given.is_array() && given.type().array.rank() == 1 ? given.type().array.extents[0] : -1;
  if (count < 0 || count > static_cast<std::int64_t>(kMostNumbers)) {
    report((*arguments)[0]->range, DiagnosticId::OperandType, "`tuple`", describe(given))
        .note("how many elements a tuple has must be known while compiling: write them out, `(a[0], a[1])`");
    return Unknown{};
  }
  const Expr* made = with_temporary(given.expr, [&](const Expr* kept) {
    std::vector<Value> elements;
    for (std::int64_t i = 0; i < count; ++i)
      elements.push_back(index(TreeBuilder::strong(kept), {tree_.weak_integer(i, range)}, range));
    return tree_.tuple(std::move(elements), range).expr;
  });
  return TreeBuilder::strong(made);
}

/// Whether any, or all, of a tuple hold.
Entity Body::call_any_all(bool is_all, const ast::Call& call, SourceRange range) {
  const std::string_view name = is_all ? "all" : "any";
  constexpr std::string_view kParameters[] = {"iterable"};
  const std::optional<Arguments> arguments = bind_arguments(call, range, name, kParameters, 1, "(iterable)");
  if (!arguments) return Unknown{};
  const Value given = value(*(*arguments)[0]);
  if (!given.known()) return Unknown{};
  if (!given.is_tuple()) {
    report((*arguments)[0]->range, DiagnosticId::OperandType, "`" + std::string(name) + "`", describe(given))
        .note("it looks at the elements of a tuple; test those of an array in a loop");
    return Unknown{};
  }
  const Expr* result = with_parts(given, [&](const std::vector<Value>& parts) -> const Expr* {
    const Expr* so_far = tree_.boolean(is_all, range);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!require_scalar(parts[i], name)) return nullptr;
      so_far = i == 0 ? truth(parts[i]) : tree_.logical(is_all, so_far, truth(parts[i]), range);
    }
    return so_far;
  });
  return result ? Entity(TreeBuilder::strong(result)) : Entity(Unknown{});
}

/// `static_assert(TILE % 32 == 0, "why")`: tested while compiling.
void Body::static_assert_(const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"condition", "message"};
  const std::optional<Arguments> arguments =
      bind_arguments(call, range, "static_assert", kParameters, 1, "(condition, message)");
  if (!arguments) return;
  const Expr* test = condition(*(*arguments)[0]);
  const std::string why = (*arguments)[1] ? ": " + fault_message(*(*arguments)[1]) : "";
  if (!test) return;
  const auto* constant = test->as<checked::Constant>();
  if (!constant)
    report((*arguments)[0]->range, DiagnosticId::NotConstant, "the condition of `static_assert`")
        .note("`assert` tests it when the kernel runs");
  else if (constant->bits == 0)
    report(range, DiagnosticId::StaticAssertFailed, scope_.file().text((*arguments)[0]->range), why);
}

/// `isinstance(x, int)`, or a tuple of types: known while compiling.
Entity Body::call_isinstance(const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"object", "type"};
  const std::optional<Arguments> arguments =
      bind_arguments(call, range, "isinstance", kParameters, 2, "(object, type)");
  if (!arguments) return Unknown{};
  const Value given = argument_value(entity(*(*arguments)[0]), (*arguments)[0]->range);
  if (!given.known()) return Unknown{};
  const ast::Expr& types = *(*arguments)[1];
  const auto* several = types.as<ast::Tuple>();
  bool is_any = false;
  for (std::size_t i = 0; i < (several ? several->elements.size() : 1); ++i) {
    const std::optional<bool> is = is_instance(given, several ? *several->elements[i] : types);
    if (!is) return Unknown{};
    is_any |= *is;
  }
  return TreeBuilder::strong(tree_.boolean(is_any, range));
}

/// A name that stands for what it is in Python; empty for anything else.
std::string_view Body::name_of_python(const ast::Expr& expr) const {
  const auto* name = expr.as<ast::Name>();
  return name && !local_index(name->id, expr.range) && !scope_.find(name->id) ? std::string_view(name->id)
                                                                              : std::string_view();
}

/// Python's types stand for all of their kind, whatever the width; a bool is an `int`, as in Python.
std::optional<bool> Body::is_instance(const Value& value, const ast::Expr& type) {
  const std::string_view name = name_of_python(type);
  if (name == "int") return value.is_scalar() && is_integer_or_bool(value.scalar());
  if (name == "float") return value.is_scalar() && is_float(value.scalar());
  if (name == "complex") return value.is_complex();
  if (name == "tuple") return value.is_tuple();
  const std::optional<ElementType> wanted = element_type(type);
  if (!wanted) return std::nullopt;
  const bool has_type = value.is_scalar() || value.is_record();
  return has_type && !value.is_weak() && value.type() == checked::Type::of(*wanted);
}

Entity Body::call_pow(const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"base", "exp"};
  const std::optional<Arguments> arguments = bind_arguments(call, range, "pow", kParameters, 2, "(base, exp)");
  if (!arguments) return Unknown{};
  return binary(ast::BinaryOp::Pow, value(*(*arguments)[0]), value(*(*arguments)[1]), range);
}

Entity Body::call_divmod(const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"a", "b"};
  const std::optional<Arguments> arguments = bind_arguments(call, range, "divmod", kParameters, 2, "(a, b)");
  if (!arguments) return Unknown{};
  const Value a = scalar(*(*arguments)[0], "`divmod`"), b = scalar(*(*arguments)[1], "`divmod`");
  if (!a.known() || !b.known()) return Unknown{};
  return TreeBuilder::strong(with_temporary(a.expr, [&](const Expr* left) {
    return with_temporary(b.expr, [&](const Expr* right) {
      const Value x{left, a.weak, {}}, y{right, b.weak, {}};
      return tree_.tuple({binary(ast::BinaryOp::FloorDiv, x, y, range), binary(ast::BinaryOp::Mod, x, y, range)}, range)
          .expr;
    });
  }));
}

}  // namespace pykc::checker
