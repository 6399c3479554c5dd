// Python's own functions: print, len, range, min, sum … and the conversions int(), float(), f32().
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "base/utf8.h"
#include "script/arithmetic/array_from.h"
#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/promote.h"
#include "script/arithmetic/reductions.h"
#include "script/functions/format.h"
#include "script/functions/functions.h"
#include "script/functions/indexing.h"
#include "script/functions/operators.h"
#include "script/functions/records.h"

namespace pykc::script {
namespace {

Outcome<Value> host_print(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string separator, arguments.text(1));
  ASSIGN_OR_RETURN(const std::string end, arguments.text(2));
  std::string line;
  for (std::size_t i = 0; i < arguments.rest.size(); ++i) {
    ASSIGN_OR_RETURN(const std::string text, to_text(arguments.rest[i]));
    line += (i > 0 ? separator : "") + text;
  }
  run.print(line + end);
  return Value();
}

Outcome<Value> host_len(Run&, const Arguments& arguments) {
  if (arguments[0].is<GeneratorValue>()) return arguments.wrong_type(0, "something whose items can be counted");
  return item_count(arguments[0]);
}

Outcome<Value> host_range(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::int64_t first, arguments.integer(0));
  if (arguments.is_none(1)) return Value(RangeValue{0, first, 1});
  ASSIGN_OR_RETURN(const std::int64_t stop, arguments.integer(1));
  ASSIGN_OR_RETURN(const std::int64_t step, arguments.integer(2));
  if (step == 0) return fail(DiagnosticId::HostBadIndex, "a range with step 0");
  return Value(RangeValue{first, stop, step});
}

Outcome<Value> host_abs(Run&, const Arguments& arguments) {
  const Value& value = arguments[0];
  if (is_complex(value)) return magnitude(value);
  if (const std::optional<std::int64_t> integer = as_integer(value); integer && !value.is<Scalar>()) {
    if (*integer == INT64_MIN) return fail(DiagnosticId::HostIntegerOverflow);
    return Value(*integer < 0 ? -*integer : *integer);
  }
  if (const double* number = value.as<double>()) return Value(std::fabs(*number));
  return apply(UnaryFunction::Abs, value);
}

/// The items that min, max, any and all look at: one iterable's, or the arguments themselves.
Outcome<std::vector<Value>> candidates(const Arguments& arguments) {
  if (arguments.rest.size() != 1) return arguments.rest;
  return all_items(arguments.rest[0]);
}

/// `max` and `min` are the first item that no other one comes before, by itself or by its key.
Outcome<Value> extreme(Run& run, const Arguments& arguments, ast::CompareOp before, Reduction reduction) {
  const Value& key = arguments[1];
  const Value& otherwise = arguments[2];
  const bool has_default = !otherwise.is<EllipsisValue>(), is_one = arguments.rest.size() == 1;
  if (has_default && !is_one)
    return fail(DiagnosticId::HostUnknownKeyword, arguments.function->name, "default")
        .note("it is for the items of one value, of which there may be none");
  const ArrayRef* const array = is_one && key.is<None>() ? arguments.rest[0].as<ArrayRef>() : nullptr;
  if (array && !(has_default && (*array)->size() == 0)) {
    ASSIGN_OR_RETURN(const ArrayRef result, reduce(reduction, arguments.function->name, *array, std::nullopt));
    return first_element(*result);
  }
  ASSIGN_OR_RETURN(std::vector<Value> items, candidates(arguments));
  if (items.empty() && has_default) return otherwise;
  if (items.empty()) return fail(DiagnosticId::HostEmptyReduction, arguments.function->name);
  std::optional<Value> best, best_key;
  for (Value& item : items) {
    ASSIGN_OR_RETURN(Value by, key.is<None>() ? Outcome<Value>(item) : run.call(key, {{item}, {}}));
    if (best) {
      ASSIGN_OR_RETURN(const Value is_before, compare(before, by, *best_key));
      ASSIGN_OR_RETURN(const bool is_better, truth(is_before));
      if (!is_better) continue;
    }
    best = std::move(item);
    best_key = std::move(by);
  }
  return *std::move(best);
}
Outcome<Value> host_min(Run& run, const Arguments& a) {
  return extreme(run, a, ast::CompareOp::Lt, Reduction::Minimum);
}
Outcome<Value> host_max(Run& run, const Arguments& a) {
  return extreme(run, a, ast::CompareOp::Gt, Reduction::Maximum);
}

/// Of an array its elements, as NumPy's; of other items, as Python's, where what comes second is what they are added
/// to.
Outcome<Value> host_sum(Run& run, const Arguments& arguments) {
  if (arguments[0].is<ArrayRef>()) {
    Arguments of_array = arguments;
    of_array.function = find_function(Library::Numpy, "sum");
    return of_array.function->implementation(run, of_array);
  }
  ASSIGN_OR_RETURN(const std::vector<Value> items, all_items(arguments[0]));
  Value total = arguments.is_none(1) ? Value(std::int64_t{0}) : arguments[1];
  for (const Value& item : items) {
    const bool has_record = has_records(total) || has_records(item);
    ASSIGN_OR_RETURN(total, has_record ? apply_to_records(BinaryFunction::Add, total, item)
                                       : apply(BinaryFunction::Add, total, item));
  }
  return total;
}

/// The nearest multiple of 10 to the power of so many digits, of two the even one.
Outcome<Value> round_integer(std::int64_t number, std::int64_t digits) {
  constexpr std::int64_t kLargestUnit = 1'000'000'000'000'000'000;
  const bool is_beyond_half = number > 5 * kLargestUnit || number < -5 * kLargestUnit;  // of the next unit
  if (digits == -19 && is_beyond_half)  // its multiple fits no integer, which the product tells
    return apply(BinaryFunction::Multiply, Value(kLargestUnit), Value(std::int64_t{number < 0 ? -10 : 10}));
  if (digits < -18) return Value(std::int64_t{0});
  std::int64_t unit = 1;
  for (; digits < 0; ++digits) unit *= 10;
  std::int64_t quotient = number / unit, rest = number % unit;
  if (rest < 0) {
    --quotient;
    rest += unit;
  }
  if (rest > unit - rest || (rest == unit - rest && quotient % 2 != 0)) ++quotient;
  return apply(BinaryFunction::Multiply, Value(quotient), Value(unit));
}

Outcome<Value> host_round(Run&, const Arguments& arguments) {
  const Value& value = arguments[0];
  if (arguments.is_none(1) && !value.is<ArrayRef>()) {
    if (const std::optional<std::int64_t> integer = as_integer(value)) return Value(*integer);
    ASSIGN_OR_RETURN(const double number, arguments.number(0));
    const double rounded = std::nearbyint(number);
    if (!(std::fabs(rounded) < 0x1p63)) return fail(DiagnosticId::HostValueOutOfRange, float_text(number), "an int");
    return Value(static_cast<std::int64_t>(rounded));
  }
  std::int64_t digits = 0;
  if (!arguments.is_none(1)) {
    ASSIGN_OR_RETURN(digits, arguments.integer(1));
  }
  if (const std::optional<std::int64_t> integer = as_integer(value); integer && digits < 0)
    return round_integer(*integer, digits);
  if (const bool* flag = value.as<bool>()) return Value(std::int64_t{*flag});
  if (as_integer(value)) return value;
  if (!value.is<double>()) {
    if (const ArrayRef* array = value.as<ArrayRef>(); array && is_integer((*array)->type) && digits >= 0)
      return copy_array(*array);
    const Value scale = std::pow(10.0, static_cast<double>(std::clamp<std::int64_t>(digits, -300, 300)));
    ASSIGN_OR_RETURN(const Value scaled, apply(BinaryFunction::Multiply, value, scale));
    ASSIGN_OR_RETURN(const Value rounded, apply(UnaryFunction::Rint, scaled));
    return apply(BinaryFunction::TrueDivide, rounded, scale);
  }
  const double number = *value.as<double>();
  if (!std::isfinite(number) || digits > 300) return value;
  if (digits < 0) {
    const double scale = std::pow(10.0, static_cast<double>(std::min<std::int64_t>(-digits, 300)));
    return Value(std::nearbyint(number / scale) * scale);
  }
  char buffer[700];  // a double has at most 309 digits before the point
  std::snprintf(buffer, sizeof(buffer), "%.*f", static_cast<int>(digits), number);
  return Value(std::strtod(buffer, nullptr));
}

Outcome<Value> host_pow(Run&, const Arguments& arguments) {
  return apply(BinaryFunction::Power, arguments[0], arguments[1]);
}

Outcome<Value> host_divmod(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(Value quotient, apply(BinaryFunction::FloorDivide, arguments[0], arguments[1]));
  ASSIGN_OR_RETURN(Value rest, apply(BinaryFunction::Modulo, arguments[0], arguments[1]));
  return make_tuple({std::move(quotient), std::move(rest)});
}

Outcome<Value> host_enumerate(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::vector<Value> items, all_items(arguments[0]));
  ASSIGN_OR_RETURN(const std::int64_t start, arguments.integer(1));
  std::vector<Value> pairs;
  for (Value& item : items)
    pairs.push_back(make_tuple({start + static_cast<std::int64_t>(pairs.size()), std::move(item)}));
  return make_list(std::move(pairs));
}

Outcome<Value> host_zip(Run&, const Arguments& arguments) {
  std::vector<std::vector<Value>> columns;
  std::size_t length = SIZE_MAX;
  for (const Value& iterable : arguments.rest) {
    ASSIGN_OR_RETURN(std::vector<Value> items, all_items(iterable));
    length = std::min(length, items.size());
    columns.push_back(std::move(items));
  }
  std::vector<Value> rows;
  for (std::size_t i = 0; !columns.empty() && i < length; ++i) {
    std::vector<Value> row;
    for (const std::vector<Value>& column : columns) row.push_back(column[i]);
    rows.push_back(make_tuple(std::move(row)));
  }
  return make_list(std::move(rows));
}

/// The items in ascending order; equal ones stay in their order, from the end too where `reverse` is set.
Outcome<std::vector<Value>> sorted_items(Run& run, std::vector<Value> items, const Value& key, bool reverse) {
  struct Row {
    Value key, item;
  };
  std::vector<Row> rows;
  for (Value& item : items) {
    ASSIGN_OR_RETURN(Value by, key.is<None>() ? Outcome<Value>(item) : run.call(key, {{item}, {}}));
    rows.push_back({std::move(by), std::move(item)});
  }
  std::optional<Failure> failure;
  const auto is_before = [&](const Row& a, const Row& b) {
    if (failure) return false;
    const Outcome<Value> answer = compare(ast::CompareOp::Lt, a.key, b.key);
    Outcome<bool> holds = answer ? truth(*answer) : Outcome<bool>(answer.failure());
    if (!holds) failure = std::move(holds.failure());
    return holds && *holds;
  };
  if (reverse)
    std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) { return is_before(b, a); });
  else
    std::ranges::stable_sort(rows, is_before);
  if (failure) return *std::move(failure);
  std::vector<Value> sorted;
  for (Row& row : rows) sorted.push_back(std::move(row.item));
  return sorted;
}

Outcome<Value> host_sorted(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::vector<Value> items, all_items(arguments[0]));
  ASSIGN_OR_RETURN(const bool reverse, arguments.flag(2));
  ASSIGN_OR_RETURN(items, sorted_items(run, std::move(items), arguments[1], reverse));
  return make_list(std::move(items));
}

Outcome<Value> host_sort_list(Run& run, const Arguments& arguments) {
  const std::shared_ptr<Sequence> list = arguments[0].as<ListValue>()->sequence;
  ASSIGN_OR_RETURN(const bool reverse, arguments.flag(2));
  ASSIGN_OR_RETURN(list->items, sorted_items(run, list->items, arguments[1], reverse));
  return Value();
}

Outcome<Value> host_reversed(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::vector<Value> items, all_items(arguments[0]));
  std::ranges::reverse(items);
  return Value(GeneratorValue{std::make_shared<Sequence>(std::move(items))});
}

Outcome<Value> host_list(Run&, const Arguments& arguments) {
  if (arguments.rest.empty()) return make_list({});
  ASSIGN_OR_RETURN(std::vector<Value> items, all_items(arguments.rest[0]));
  return make_list(std::move(items));
}

Outcome<Value> host_tuple(Run&, const Arguments& arguments) {
  if (arguments.rest.empty()) return make_tuple({});
  ASSIGN_OR_RETURN(std::vector<Value> items, all_items(arguments.rest[0]));
  return make_tuple(std::move(items));
}

Outcome<Value> host_repr(Run&, const Arguments& arguments) { return to_repr(arguments[0]); }

Outcome<Value> host_cdiv(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::int64_t a, arguments.integer(0));
  ASSIGN_OR_RETURN(const std::int64_t b, arguments.integer(1));
  if (b == 0) return fail(DiagnosticId::HostDivisionByZero);
  if (b == -1) return apply(BinaryFunction::Subtract, Value(std::int64_t{0}), Value(a));
  return Value(a / b + (a % b != 0 && (a < 0) == (b < 0)));
}

Outcome<Value> host_arguments(Run& run, const Arguments&) {
  std::vector<Value> items;
  for (const std::string& argument : run.options().arguments) items.push_back(argument);
  return make_list(std::move(items));
}

Outcome<Value> host_skip(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string reason, arguments.text(0));
  return fail(DiagnosticId::HostTestSkipped, reason);
}

Outcome<Value> host_append(Run&, const Arguments& arguments) {
  const auto* list = arguments[0].as<ListValue>();
  if (!list) return arguments.wrong_type(0, "a list");
  if (holds(arguments[1], *list->sequence)) return fail(DiagnosticId::HostListInItself);
  list->sequence->items.push_back(arguments[1]);
  return Value();
}

Outcome<Value> host_extend(Run&, const Arguments& arguments) {
  Sequence& list = *arguments[0].as<ListValue>()->sequence;
  ASSIGN_OR_RETURN(std::vector<Value> items, all_items(arguments[1]));
  for (const Value& item : items)
    if (holds(item, list)) return fail(DiagnosticId::HostListInItself);
  const auto size = static_cast<std::int64_t>(list.items.size() + items.size());
  if (size > kLongestSequence) return fail(DiagnosticId::HostSequenceTooLong, size);
  std::ranges::move(items, std::back_inserter(list.items));
  return Value();
}

Outcome<Value> host_insert(Run&, const Arguments& arguments) {
  Sequence& list = *arguments[0].as<ListValue>()->sequence;
  ASSIGN_OR_RETURN(const std::int64_t index, arguments.integer(1));
  if (holds(arguments[2], list)) return fail(DiagnosticId::HostListInItself);
  const auto size = static_cast<std::int64_t>(list.items.size());
  list.items.insert(list.items.begin() + std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size),
                    arguments[2]);
  return Value();
}

Outcome<Value> host_pop(Run&, const Arguments& arguments) {
  Sequence& list = *arguments[0].as<ListValue>()->sequence;
  ASSIGN_OR_RETURN(const std::int64_t index, arguments.integer(1));
  const auto size = static_cast<std::int64_t>(list.items.size());
  if (index < -size || index >= size) return fail(DiagnosticId::HostIndexOutOfRange, index, size);
  const auto place = list.items.begin() + (index < 0 ? index + size : index);
  Value item = std::move(*place);
  list.items.erase(place);
  return item;
}

Outcome<Value> host_reverse_list(Run&, const Arguments& arguments) {
  std::ranges::reverse(arguments[0].as<ListValue>()->sequence->items);
  return Value();
}

Outcome<Value> host_clock(Run&, const Arguments&) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return Value(std::chrono::duration<double>(now).count());
}

/// A value of a named tuple, whose model comes last.
Outcome<Value> host_tuple_of(Run&, const Arguments& arguments) {
  Value made = make_tuple({arguments.values.begin(), arguments.values.end() - 1});
  const Sequence& model = *arguments.values.back().as<TupleValue>()->sequence;
  made.as<TupleValue>()->sequence->names = model.names;
  made.as<TupleValue>()->sequence->type_name = model.type_name;
  return made;
}

constexpr HostFunction kNamedTuple = {"named tuple", 0, "", host_tuple_of, "A value of a named tuple."};

/// `namedtuple('Point', ['x', 'y'])`, `namedtuple('Point', 'x y', defaults=[0])`
Outcome<Value> host_namedtuple(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::string type_name, arguments.text(0));
  std::vector<NamedField> fields;
  if (const auto* text = arguments[1].as<std::string>()) {
    std::string spaced = *text;
    std::ranges::replace(spaced, ',', ' ');
    std::istringstream words(spaced);
    for (std::string word; words >> word;) fields.push_back({word, {}});
  } else {
    const std::vector<Value>* const names = items_of(arguments[1]);
    if (!names || !std::ranges::all_of(*names, [](const Value& name) { return name.is<std::string>(); }))
      return arguments.wrong_type(1, "a list of names, or a string of them");
    for (const Value& name : *names) fields.push_back({*name.as<std::string>(), {}});
  }
  if (!arguments.is_none(2)) {  // of the last fields
    ASSIGN_OR_RETURN(std::vector<Value> defaults, all_items(arguments[2]));
    if (defaults.size() > fields.size()) return arguments.wrong_type(2, "of no more values than there are fields");
    for (std::size_t i = 0; i < defaults.size(); ++i)
      fields[fields.size() - defaults.size() + i].default_value = std::move(defaults[i]);
  }
  return named_tuple_class(std::move(type_name), fields);
}

constexpr HostFunction kPythonFunctions[] = {
    {"print", in(Library::Prelude), "*values, sep=' ', end='\\n'", host_print, "Writes values and a newline."},
    {"len", in(Library::Prelude), "object", host_len, "How many items there are; of an array, its first extent."},
    {"range", in(Library::Prelude), "start, stop=None, step=1", host_range, "Integers from `start` to before `stop`."},
    {"prange", in(Library::Numba), "start, stop=None, step=1", host_range,
     "The same as `range`: one thread does it all."},
    {"abs", in(Library::Prelude), "x", host_abs, "Absolute value."},
    {"min", in(Library::Prelude), "*values, key=None, default=...", host_min,
     "The smallest of several values, or of the items of one, by `key(item)`; `default` where there are none."},
    {"max", in(Library::Prelude), "*values, key=None, default=...", host_max,
     "The largest of several values, or of the items of one, by `key(item)`; `default` where there are none."},
    {"sum", in(Library::Prelude), "a, axis=None, keepdims=False", host_sum,
     "The sum of an array as `np.sum` has it, or of the items of anything else, added to a second argument or 0."},
    {"round", in(Library::Prelude, Library::Numpy), "x, ndigits=None", host_round,
     "The nearest number with `ndigits` decimals, halves to even."},
    {"pow", in(Library::Prelude), "x, y", host_pow, "`x ** y`."},
    {"divmod", in(Library::Prelude), "x, y", host_divmod, "`(x // y, x % y)`."},
    {"enumerate", in(Library::Prelude), "iterable, start=0", host_enumerate, "Pairs of a count and an item."},
    {"zip", in(Library::Prelude), "*iterables", host_zip, "Tuples of the first items, of the second items, and so on."},
    {"sorted", in(Library::Prelude), "iterable, key=None, reverse=False", host_sorted,
     "A list of the items in ascending order, or in that of `key(item)`; equal ones stay in order."},
    {"reversed", in(Library::Prelude), "sequence", host_reversed, "The items from the last to the first."},
    {"list", in(Library::Prelude), "*iterable", host_list, "A list of the items."},
    {"tuple", in(Library::Prelude), "*iterable", host_tuple, "A tuple of the items."},
    {"repr", in(Library::Prelude), "object", host_repr, "The value as it would be written in a program."},
    {"cdiv", in(Library::Prelude), "a, b", host_cdiv, "`a / b` rounded up: how many blocks of `b` cover `a`."},
    {"arguments", in(Library::Prelude), "", host_arguments, "The command line's arguments, as strings."},
    {"skip", in(Library::Prelude), "reason", host_skip, "Ends a test that cannot run here."},
    {"append", in(Library::ListMethod), "self, item", host_append, "Adds an item at the end."},
    {"extend", in(Library::ListMethod), "self, iterable", host_extend, "Adds the items at the end."},
    {"insert", in(Library::ListMethod), "self, index, item", host_insert, "Puts an item before that of an index."},
    {"pop", in(Library::ListMethod), "self, index=-1", host_pop, "Takes an item out, and gives it."},
    {"reverse", in(Library::ListMethod), "self", host_reverse_list, "Turns the order of the items round."},
    {"sort", in(Library::ListMethod), "self, key=None, reverse=False", host_sort_list,
     "Puts the items in order, as `sorted` does."},
    {"perf_counter", in(Library::Time), "", host_clock,
     "Seconds of the host's clock; only differences mean something."},
    {"time", in(Library::Time), "", host_clock, "The same as `perf_counter`."},
    {"namedtuple", in(Library::Classes), "typename, field_names, defaults=None", host_namedtuple,
     "A named tuple's class."},
};

// ---- conversions: a type, called ----

/// A number's text without what Python reads over: spaces around it, a plus, and underscores between digits.
std::optional<std::string> bare_number(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\r\f\v";
  const std::size_t begin = std::min(text.find_first_not_of(kSpaces), text.size());
  text = text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
  if (text.starts_with('+') && !text.starts_with("+-") && !text.starts_with("++")) text.remove_prefix(1);
  const auto is_digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  std::string bare;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_')
      bare += text[i];
    else if (i == 0 || !is_digit(i - 1) || !is_digit(i + 1))
      return std::nullopt;
  }
  return bare;
}

Failure no_number(std::string_view function, const std::string& text) {
  return fail(DiagnosticId::HostWrongType, "x` of `" + std::string(function), "the text of a number",
              quoted(code_points(text), TextKind::String));
}

Outcome<Value> to_int(const Value& value) {
  if (const std::optional<std::int64_t> integer = as_integer(value)) return Value(*integer);
  if (const std::string* text = value.as<std::string>()) {
    const std::string digits = bare_number(*text).value_or("");
    std::int64_t integer = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, integer);
    if (rest != end || error == std::errc::invalid_argument) return no_number("int", *text);
    if (error == std::errc{}) return Value(integer);
    return fail(DiagnosticId::HostValueOutOfRange, digits, "an int");
  }
  const std::optional<double> number = as_number(value);
  if (!number) return fail(DiagnosticId::HostWrongType, "x` of `int", "a number or a string", describe(value));
  if (!(std::fabs(*number) < 0x1p63)) return fail(DiagnosticId::HostValueOutOfRange, float_text(*number), "an int");
  return Value(static_cast<std::int64_t>(*number));
}

/// The base that a prefix of digits names: `0x1f`; 0 without.
int base_of_prefix(std::string_view digits) {
  if (digits.size() < 2 || digits[0] != '0') return 0;
  const char letter = static_cast<char>(digits[1] | 0x20);
  return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
}

/// `int("1f", 16)`; base 0 reads the text as the language reads a literal.
Outcome<Value> to_int(const Value& value, const Value& given_base) {
  const auto* text = value.as<std::string>();
  if (!text) return fail(DiagnosticId::HostWrongType, "x` of `int", "a string, where a base is given", describe(value));
  const std::optional<std::int64_t> base = as_integer(given_base);
  if (!base || *base < 0 || *base == 1 || *base > 36)
    return fail(DiagnosticId::HostWrongType, "base` of `int", "0 or 2 to 36",
                base ? std::to_string(*base) : describe(given_base));
  std::string digits = bare_number(*text).value_or("");
  const bool is_negative = digits.starts_with('-');
  if (is_negative) digits.erase(0, 1);
  const int prefix = base_of_prefix(digits);
  const bool has_prefix = prefix != 0 && (*base == 0 || *base == prefix);
  if (has_prefix) digits.erase(0, 2);
  const bool is_octal_of_c =
      *base == 0 && !has_prefix && digits.starts_with('0') && digits.find_first_not_of('0') != std::string::npos;
  if (is_octal_of_c || digits.starts_with('-')) return no_number("int", *text);
  digits.insert(0, is_negative ? "-" : "");
  std::int64_t integer = 0;
  const char* const end = digits.data() + digits.size();
  const int radix = *base != 0 ? static_cast<int>(*base) : has_prefix ? prefix : 10;
  const auto [rest, error] = std::from_chars(digits.data(), end, integer, radix);
  if (rest != end || error == std::errc::invalid_argument) return no_number("int", *text);
  if (error == std::errc{}) return Value(integer);
  return fail(DiagnosticId::HostValueOutOfRange, *text, "an int");
}

Outcome<Value> to_float(const Value& value) {
  if (const std::optional<double> number = as_number(value)) return Value(*number);
  const std::string* text = value.as<std::string>();
  if (!text) return fail(DiagnosticId::HostWrongType, "x` of `float", "a number or a string", describe(value));
  const std::string digits = bare_number(*text).value_or("");
  const bool is_of_c = digits.find_first_of("xX( \t\n\r\f\v") != std::string::npos;  // `0x1p3`, `nan(1)`: not Python's
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  if (is_of_c || digits.empty() || end != digits.data() + digits.size()) return no_number("float", *text);
  return Value(number);
}

}  // namespace

std::span<const HostFunction> python_functions() { return kPythonFunctions; }

Value named_tuple_class(std::string type_name, const std::vector<NamedField>& fields) {
  Value model = make_tuple({});
  Sequence& sequence = *model.as<TupleValue>()->sequence;
  sequence.type_name = std::move(type_name);
  for (const NamedField& field : fields) {
    sequence.names.push_back(field.name);
    sequence.items.push_back(field.default_value.value_or(EllipsisValue{}));
  }
  return BuiltinValue{&kNamedTuple, std::make_shared<const Value>(std::move(model))};
}

Outcome<Value> call_type(const TypeValue& type, const CallArguments& arguments) {
  if (type.record) return make_record(type.record, arguments);
  if (type.kind == TypeValue::Kind::Int && arguments.positional.size() == 2 && arguments.named.empty())
    return to_int(arguments.positional[0], arguments.positional[1]);
  if (arguments.positional.size() != 1 || !arguments.named.empty())
    return fail(DiagnosticId::HostTooManyArguments, "a type", 1, arguments.positional.size() + arguments.named.size());
  Value value = arguments.positional[0];
  if (value.as<ListValue>() && type.kind == TypeValue::Kind::Scalar) {
    ASSIGN_OR_RETURN(ArrayRef made, array_from(value, type.type));
    return Value(std::move(made));
  }
  if (const ArrayRef* array = value.as<ArrayRef>(); array && type.kind != TypeValue::Kind::Str) {
    if (type.kind == TypeValue::Kind::Scalar) return convert_array(*array, type.type);
    if ((*array)->size() == 1) {
      ASSIGN_OR_RETURN(value, first_element(**array));
    }
  }
  switch (type.kind) {
    case TypeValue::Kind::Int:
      return to_int(value);
    case TypeValue::Kind::Float:
      return to_float(value);
    case TypeValue::Kind::Bool:
      return truth(value);
    case TypeValue::Kind::Str:
      return to_text(value);
    case TypeValue::Kind::Scalar:
      break;
  }
  return to_scalar(value, type.type);
}

}  // namespace pykc::script
