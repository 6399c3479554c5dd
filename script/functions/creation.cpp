// Functions that make arrays.
#include <cmath>
#include <limits>

#include "script/arithmetic/array_from.h"
#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/promote.h"
#include "script/functions/functions.h"
#include "script/functions/indexing.h"
#include "script/functions/records.h"

namespace pykc::script {
namespace {

constexpr std::uint32_t kArrays = in(Library::Prelude, Library::Numpy);

using Fill = std::optional<Scalar> (*)(const ElementType& type);

/// Records are filled byte by byte.
std::optional<Scalar> zero_of(const ElementType& type) {
  return Scalar{type.is_record() ? ScalarType::U8 : type.scalar, 0};
}
/// What `empty` holds: anything, but bytes that are neither 0 nor 1 are no bools.
std::optional<Scalar> unset(const ElementType& type) {
  return type.is_record() || type.is(ScalarType::Bool) ? zero_of(type) : std::nullopt;
}

/// A new array, which the graph fills that the current stream captures, if it does.
Outcome<ArrayRef> new_array(Run& run, const ElementType& type, const Shape& shape, Order order,
                            const std::optional<Scalar>& fill) {
  if (!fill || run.streams.capturing() == nullptr) return make_array(type, shape, order, fill);
  ASSIGN_OR_RETURN(DeviceOperations* const device, run.operations());
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(type, shape, order));
  if (fill->bits == 0) {
    RETURN_IF_FAILED(array->storage->clear_in_graph(*device));
    device->keep_captured(array->storage);
  } else {
    ASSIGN_OR_RETURN(const ArrayRef value, make_array(type, {1}, Order::RowMajor, fill));
    RETURN_IF_FAILED(device->map(*array, "x", {type.scalar}, {value}));
  }
  return array;
}

Outcome<Value> filled(Run& run, const Arguments& arguments, Fill fill) {
  ASSIGN_OR_RETURN(const Shape shape, arguments.shape(0));
  ASSIGN_OR_RETURN(const ElementType type, arguments.element_type(1));
  ASSIGN_OR_RETURN(const Order order, arguments.order(2));
  return new_array(run, type, shape, order, fill(type));
}
Outcome<Value> host_zeros(Run& run, const Arguments& a) { return filled(run, a, zero_of); }
/// Elements that nobody has set, as the sanitizer sees them.
Outcome<Value> left_unset(Run& run, Outcome<Value> made) {
  if (!made) return made;
  ASSIGN_OR_RETURN(DeviceOperations* const device, run.operations_on_host());
  (*made->as<ArrayRef>())->storage->leave_unset(device);
  return made;
}
Outcome<Value> host_empty(Run& run, const Arguments& a) { return left_unset(run, filled(run, a, unset)); }

/// A new array all of whose elements are the number.
Outcome<Value> filled_with(Run& run, const Value& number, const ElementType& type, const Shape& shape, Order order) {
  if (!type.is_record()) {
    ASSIGN_OR_RETURN(const Scalar value, to_scalar(number, type.scalar));
    return new_array(run, type, shape, order, value);
  }
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(type, shape, order));
  RETURN_IF_FAILED(set_item(Value(array), Value(EllipsisValue{}), number));
  return Value(array);
}

Outcome<Value> host_ones(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Shape shape, arguments.shape(0));
  ASSIGN_OR_RETURN(const ElementType type, arguments.number_type(1));
  ASSIGN_OR_RETURN(const Order order, arguments.order(2));
  return filled_with(run, Value(std::int64_t{1}), type, shape, order);
}

/// The type that a value has as an element: weak numbers their own.
ElementType own_type(const Value& value) {
  if (const ArrayRef* array = value.as<ArrayRef>()) return (*array)->element();
  const std::optional<OperandType> type = operand_type(value);
  return type ? type->type : ScalarType::F64;
}

Outcome<Value> host_full(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Shape shape, arguments.shape(0));
  ElementType type = own_type(arguments[1]);
  if (!arguments.is_none(2)) {
    ASSIGN_OR_RETURN(type, arguments.number_type(2));
  }
  ASSIGN_OR_RETURN(const Order order, arguments.order(3));
  return filled_with(run, arguments[1], type, shape, order);
}

Outcome<Value> like(Run& run, const Arguments& arguments, std::size_t dtype, Fill fill) {
  ASSIGN_OR_RETURN(const ArrayRef model, arguments.any_array(0));
  ElementType type = model->element();
  if (!arguments.is_none(dtype)) {
    ASSIGN_OR_RETURN(type, arguments.element_type(dtype));
  }
  return new_array(run, type, model->shape, model->order(), fill(type));
}
Outcome<Value> host_zeros_like(Run& run, const Arguments& a) { return like(run, a, 1, zero_of); }
Outcome<Value> host_empty_like(Run& run, const Arguments& a) { return left_unset(run, like(run, a, 1, unset)); }
Outcome<Value> like_with(Run& run, const Arguments& arguments, const Value& number, std::size_t dtype) {
  ASSIGN_OR_RETURN(const ArrayRef model, arguments.any_array(0));
  ElementType type = model->element();
  if (!arguments.is_none(dtype)) {
    ASSIGN_OR_RETURN(type, arguments.number_type(dtype));
  }
  return filled_with(run, number, type, model->shape, model->order());
}
Outcome<Value> host_ones_like(Run& run, const Arguments& a) { return like_with(run, a, Value(std::int64_t{1}), 1); }
Outcome<Value> host_full_like(Run& run, const Arguments& a) { return like_with(run, a, a[1], 2); }

/// Fills a new 1-D array of numbers by `element(i)`, computed in f64 or i64; complex ones have no imaginary part.
template <typename F>
Outcome<Value> generated(const ElementType& type, std::int64_t count, F element) {
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(type, {count}));
  ASSIGN_OR_RETURN(std::byte* const address, array->write());
  const std::int64_t parts = type.is_record() ? 2 : 1;
  with_type(type.is_record() ? type.record->fields.front().type.scalar : type.scalar,
            [&]<typename T>(std::type_identity<T>) {
              T* const elements = reinterpret_cast<T*>(address);
              for (std::int64_t i = 0; i < count; ++i) {
                elements[i * parts] = convert_element<T>(element(i));
                if (parts == 2) elements[i * parts + 1] = T{};
              }
            });
  return Value(array);
}

Outcome<Value> host_arange(Run&, const Arguments& arguments) {
  const bool one = arguments.is_none(1);
  const Value start = one ? Value(std::int64_t{0}) : arguments[0], stop = one ? arguments[0] : arguments[1];
  const Value step = arguments[2];
  const std::optional<OperandType> a = operand_type(start), b = operand_type(stop), c = operand_type(step);
  if (!a || !b || !c || start.is<ArrayRef>() || stop.is<ArrayRef>() || step.is<ArrayRef>())
    return arguments.wrong_type(0, "a number");
  ElementType type = promote(promote(a->type, b->type), c->type);
  if (type.is(ScalarType::Bool)) type = ScalarType::I64;
  const bool whole = as_integer(start) && as_integer(stop) && as_integer(step);
  if (!arguments.is_none(3)) {
    ASSIGN_OR_RETURN(type, arguments.number_type(3));
  }
  if (*as_number(step) == 0) return fail(DiagnosticId::HostBadIndex, "a range with step 0");
  if (whole) {
    const RangeValue range{*as_integer(start), *as_integer(stop), *as_integer(step)};
    return generated(type, range.size(), [range](std::int64_t i) { return range.start + i * range.step; });
  }
  const double from = *as_number(start), by = *as_number(step);
  const double count = std::ceil((*as_number(stop) - from) / by);
  if (!(count < 0x1p46)) return fail(DiagnosticId::HostBadShape, "(" + std::to_string(count) + ",)");
  return generated(type, count > 0 ? static_cast<std::int64_t>(count) : 0,
                   [from, by](std::int64_t i) { return from + static_cast<double>(i) * by; });
}

Outcome<Value> host_linspace(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const double start, arguments.number(0));
  ASSIGN_OR_RETURN(const double stop, arguments.number(1));
  ASSIGN_OR_RETURN(const std::int64_t count, arguments.integer(2));
  ASSIGN_OR_RETURN(const bool endpoint, arguments.flag(3));
  ASSIGN_OR_RETURN(const ScalarType type, arguments.type(4));
  const double step = (stop - start) / static_cast<double>(std::max<std::int64_t>(endpoint ? count - 1 : count, 1));
  return generated(type, count, [=](std::int64_t i) {
    return endpoint && i > 0 && i == count - 1 ? stop : start + static_cast<double>(i) * step;
  });
}

/// The first argument as an array of the type that the second names, or that its elements have.
Outcome<ArrayRef> array_of_type(const Arguments& arguments) {
  std::optional<ScalarType> type;
  if (!arguments.is_none(1)) {
    ASSIGN_OR_RETURN(const ElementType element, arguments.element_type(1));
    if (element.is_record()) return records_from(arguments[0], element.record);
    type = element.scalar;
  } else if (const RecordRef record = record_in(arguments[0])) {
    return records_from(arguments[0], record);
  }
  return array_from(arguments[0], type);
}

Outcome<Value> host_array(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Order order, arguments.order(2));
  ASSIGN_OR_RETURN(const ArrayRef array, array_of_type(arguments));
  return copy_array(array, order);
}

/// Does as array() does, but an array that fits is not copied.
Outcome<Value> host_asarray(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, array_of_type(arguments));
  if (arguments.is_none(2)) return Value(array);
  ASSIGN_OR_RETURN(const Order order, arguments.order(2));
  return dense_array(array, order);
}
Outcome<Value> host_asfortranarray(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, array_from(arguments[0], std::nullopt));
  return dense_array(array, Order::ColumnMajor);
}
Outcome<Value> host_ascontiguousarray(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, array_from(arguments[0], std::nullopt));
  return dense_array(array);
}

Outcome<Value> host_eye(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::int64_t rows, arguments.integer(0));
  std::int64_t columns = rows;
  if (!arguments.is_none(1)) {
    ASSIGN_OR_RETURN(columns, arguments.integer(1));
  }
  ASSIGN_OR_RETURN(const ScalarType type, arguments.type(2));
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(type, {rows, columns}, Order::RowMajor, zero_of(type)));
  ASSIGN_OR_RETURN(std::byte* const address, array->write());
  const Scalar one = Scalar::of(1, type);
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i)
    one.store(address + i * (columns + 1) * size_in_bytes(type));
  return Value(array);
}

/// The layout is C's, whatever `align` says.
Outcome<Value> host_dtype(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ElementType type, arguments.element_type(0));
  return Value(TypeValue{TypeValue::Kind::Scalar, type.scalar, type.record});
}

// ---- random numbers ----

/// An array, or one number where the size is None, of `next(generator)`.
template <typename F>
Outcome<Value> drawn(RandomGenerator& random, const Value& size, ScalarType type, const Arguments& arguments,
                     std::size_t size_parameter, F next) {
  if (size.is<None>())
    return is_float(type) ? Value(static_cast<double>(next(random))) : Value(static_cast<std::int64_t>(next(random)));
  ASSIGN_OR_RETURN(const Shape shape, arguments.shape(size_parameter));
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(type, shape));
  ASSIGN_OR_RETURN(std::byte* const address, array->write());
  with_type(type, [&]<typename T>(std::type_identity<T>) {
    T* const elements = reinterpret_cast<T*>(address);
    for (std::int64_t i = 0; i < array->size(); ++i) elements[i] = convert_element<T>(next(random));
  });
  return Value(array);
}

Outcome<Value> uniform_array(RandomGenerator& random, const Arguments& arguments, ScalarType type) {
  if (!is_float(type)) return arguments.wrong_type(1, "a float type");
  if (type == ScalarType::F64)
    return drawn(random, arguments[0], type, arguments, 0, [](RandomGenerator& r) { return r.uniform(); });
  return drawn(random, arguments[0], type, arguments, 0, [](RandomGenerator& r) { return r.uniform_float(); });
}

Outcome<Value> host_random(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ScalarType type, arguments.type(1));
  if (arguments.is_none(2)) return uniform_array(run.random, arguments, type);
  ASSIGN_OR_RETURN(const std::int64_t seed, arguments.integer(2));
  RandomGenerator generator(static_cast<std::uint64_t>(seed));
  return uniform_array(generator, arguments, type);
}

Outcome<Value> host_numpy_random(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ScalarType type, arguments.type(1));
  return uniform_array(run.random, arguments, type);
}

/// rand(2, 3): the extents are the arguments themselves.
Arguments with_shape_of_rest(const Arguments& arguments) {
  Arguments shaped = arguments;
  shaped.values.front() = arguments.rest.empty() ? Value() : make_tuple(arguments.rest);
  return shaped;
}

/// CuPy's functions take a type of floats; NumPy's give f64.
Outcome<ScalarType> drawn_type(const Arguments& arguments, std::size_t i) {
  if (i >= arguments.values.size()) return ScalarType::F64;
  ASSIGN_OR_RETURN(const ScalarType type, arguments.type(i));
  return is_float(type) ? Outcome<ScalarType>(type) : arguments.wrong_type(i, "a float type");
}

Outcome<Value> host_rand(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ScalarType type, drawn_type(arguments, 1));
  return uniform_array(run.random, with_shape_of_rest(arguments), type);
}
Outcome<Value> host_randn(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ScalarType type, drawn_type(arguments, 1));
  const Arguments shaped = with_shape_of_rest(arguments);
  return drawn(run.random, shaped[0], type, shaped, 0, [](RandomGenerator& r) { return r.normal(); });
}
Outcome<Value> host_standard_normal(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ScalarType type, drawn_type(arguments, 1));
  return drawn(run.random, arguments[0], type, arguments, 0, [](RandomGenerator& r) { return r.normal(); });
}

Outcome<Value> host_uniform(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const double low, arguments.number(0));
  ASSIGN_OR_RETURN(const double high, arguments.number(1));
  ASSIGN_OR_RETURN(const ScalarType type, drawn_type(arguments, 3));
  return drawn(run.random, arguments[2], type, arguments, 2,
               [=](RandomGenerator& r) { return low + (high - low) * r.uniform(); });
}
Outcome<Value> host_normal(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const double mean, arguments.number(0));
  ASSIGN_OR_RETURN(const double deviation, arguments.number(1));
  ASSIGN_OR_RETURN(const ScalarType type, drawn_type(arguments, 3));
  return drawn(run.random, arguments[2], type, arguments, 2,
               [=](RandomGenerator& r) { return mean + deviation * r.normal(); });
}
Outcome<Value> host_randint(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::int64_t low, arguments.integer(0));
  std::int64_t high = low;
  if (arguments.is_none(1)) {
    low = 0;
  } else {
    ASSIGN_OR_RETURN(high, arguments.integer(1));
  }
  if (low >= high)
    return fail(DiagnosticId::HostValueOutOfRange, std::to_string(high), "a bound above " + std::to_string(low));
  ASSIGN_OR_RETURN(const ScalarType type, arguments.type(3));
  if (!is_integer(type)) return arguments.wrong_type(3, "an integer type");
  return drawn(run.random, arguments[2], type, arguments, 2, [=](RandomGenerator& r) { return r.integer(low, high); });
}
Outcome<Value> host_seed(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::int64_t seed, arguments.integer(0));
  run.random = RandomGenerator(static_cast<std::uint64_t>(seed));
  return Value();
}

constexpr HostFunction kCreationFunctions[] = {
    {"zeros", kArrays, "shape, dtype=f64, order='C'", host_zeros, "An array of zeros."},
    {"ones", kArrays, "shape, dtype=f64, order='C'", host_ones, "An array of ones."},
    {"empty", kArrays, "shape, dtype=f64, order='C'", host_empty, "An array whose elements are anything."},
    {"ndarray", in(Library::Numpy), "shape, dtype=f64, order='C'", host_empty, "The same as `empty`."},
    {"full", kArrays, "shape, fill_value, dtype=None, order='C'", host_full, "An array of one value."},
    {"zeros_like", kArrays, "a, dtype=None", host_zeros_like, "Zeros in the shape and type of `a`."},
    {"ones_like", kArrays, "a, dtype=None", host_ones_like, "Ones in the shape and type of `a`."},
    {"empty_like", kArrays, "a, dtype=None", host_empty_like, "Anything in the shape and type of `a`."},
    {"full_like", kArrays, "a, fill_value, dtype=None", host_full_like, "One value in the shape and type of `a`."},
    {"arange", kArrays, "start, stop=None, step=1, dtype=None", host_arange, "Numbers from `start` to before `stop`."},
    {"linspace", kArrays, "start, stop, num=50, endpoint=True, dtype=f64", host_linspace,
     "`num` numbers at equal distances."},
    {"array", kArrays, "object, dtype=None, order='C'", host_array,
     "A new array of numbers in nested lists, or of an array."},
    {"asarray", kArrays, "object, dtype=None, order=None", host_asarray,
     "As `array`, without a copy where none is needed."},
    {"asfortranarray", kArrays, "a", host_asfortranarray, "The array in column-major order."},
    {"ascontiguousarray", kArrays, "a", host_ascontiguousarray, "The array in row-major order."},
    {"dtype", in(Library::Numpy), "dtype, align=False, copy=False", host_dtype,
     "A type of elements; of a list of fields, a record laid out as in C."},
    {"eye", kArrays, "N, M=None, dtype=f64", host_eye, "Ones on the diagonal, zeros elsewhere."},
    {"random", in(Library::Prelude), "shape, dtype=f64, seed=None", host_random,
     "Uniform random numbers from 0 to below 1; the same for the same seed."},
    {"random", in(Library::Random), "size=None, dtype=f64", host_numpy_random,
     "Uniform random numbers from 0 to below 1."},
    {"rand", in(Library::Random), "*shape", host_rand, "Uniform random numbers from 0 to below 1."},
    {"randn", in(Library::Random), "*shape", host_randn, "Random numbers of the standard normal distribution."},
    {"standard_normal", in(Library::Random), "size=None", host_standard_normal,
     "Random numbers of the standard normal distribution."},
    {"rand", in(Library::CupyRandom), "*shape, dtype=f64", host_rand, "As NumPy's, of a type of floats."},
    {"randn", in(Library::CupyRandom), "*shape, dtype=f64", host_randn, "As NumPy's, of a type of floats."},
    {"standard_normal", in(Library::CupyRandom), "size=None, dtype=f64", host_standard_normal,
     "As NumPy's, of a type of floats."},
    {"uniform", in(Library::CupyRandom), "low=0, high=1, size=None, dtype=f64", host_uniform,
     "As NumPy's, of a type of floats."},
    {"normal", in(Library::CupyRandom), "loc=0, scale=1, size=None, dtype=f64", host_normal,
     "As NumPy's, of a type of floats."},
    {"uniform", in(Library::Random), "low=0, high=1, size=None", host_uniform,
     "Uniform random numbers from `low` to below `high`."},
    {"normal", in(Library::Random), "loc=0, scale=1, size=None", host_normal, "Normal random numbers."},
    {"randint", in(Library::Random), "low, high=None, size=None, dtype=i64", host_randint,
     "Random integers from `low` to before `high`."},
    {"seed", in(Library::Random), "seed", host_seed, "Starts the sequence of random numbers anew."},
};

}  // namespace

std::span<const HostFunction> creation_functions() { return kCreationFunctions; }

}  // namespace pykc::script
