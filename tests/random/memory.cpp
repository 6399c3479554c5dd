#include "tests/random/memory.h"

#include <utility>

#include "tests/random/expressions.h"
#include "tests/random/values.h"

namespace pykc::random_test {
namespace {

constexpr int kInputSize = 64;

const ReadableArray* find_array(Writer& w, const ValueType& type) {
  std::vector<const ReadableArray*> fitting;
  for (const ReadableArray& array : w.place.arrays)
    if (array.element == type && array.name != w.place.hidden) fitting.push_back(&array);
  return fitting.empty() ? nullptr : w.random.pick(fitting);
}

bool is_row_of_numbers(const ReadableArray& array) { return array.element.is_scalar() && array.extents.size() == 1; }

/// The same elements in another order or shape.
ReadableArray lens(Writer& w, ReadableArray array) {
  if (array.extents.size() == 2) {
    array.name += w.chance(50) ? ".T" : ".transpose()";
    std::swap(array.extents[0], array.extents[1]);
    array.is_contiguous = false;
    return array;
  }
  const int size = array.extents[0], half = size / 2;
  if (size < 4) return array;
  switch (w.number(4)) {
    case 0:
      array.name += "[::-1]";
      array.is_contiguous = false;
      break;
    case 1:
      array.name += "[" + std::to_string(w.number(half)) + ":][:" + std::to_string(half) + "]";
      array.extents[0] = half;
      break;
    case 2:
      array.name += "[" + std::to_string(w.number(2)) + "::2]";
      array.extents[0] = half;
      array.is_contiguous = false;
      break;
    default:
      if (!array.is_contiguous) break;
      array.name += ".reshape(" + std::to_string(half) + ", " + (w.chance(50) ? "-1)" : "2)");
      array.extents = {half, 2};
      break;
  }
  return array;
}

std::string subscript(Writer& w, const ReadableArray& array, int depth) {
  const std::string first = index(w, array.extents[0], depth);
  if (array.extents.size() == 1) return array.name + "[" + first + "]";
  const std::string second = index(w, array.extents[1], depth);
  switch (w.number(4)) {
    case 0:
      return array.name + "[" + first + "][" + second + "]";
    case 1:
      return array.name + "[:, " + second + "][" + first + "]";
    default:
      return array.name + "[" + first + ", " + second + "]";
  }
}

std::string element_of(Writer& w, const ReadableArray& array, int depth) {
  if (!w.is_enabled(Feature::Lenses) || w.chance(60)) return subscript(w, array, depth);
  ReadableArray seen = lens(w, array);
  if (w.chance(30)) seen = lens(w, seen);
  return subscript(w, seen, depth);
}

/// Integers through the memory of integers of another width; no NaN is looked at.
Expression reinterpreted(Writer& w, const ReadableArray& array, ScalarType type) {
  const int size = array.extents[0] * size_in_bytes(array.element.scalar) / size_in_bytes(type);
  return {array.name + ".view(" + spelling(type) + ")[" + index(w, size, 0) + "]", type};
}

/// The input of scalars of this type; a new parameter where there is none yet.
std::string input(Writer& w, ScalarType type) {
  const std::string name = "in_" + spelling(type);
  for (const Parameter& parameter : w.parameters)
    if (parameter.name == name) return name;
  const bool is_spread = w.is_enabled(Feature::Matrices) && w.chance(15);
  w.parameters.push_back({name, spelling(type) + (is_spread || w.chance(20) ? "[::]" : "[:]"),
                          std::string(filling(w)) + " " + spelling(type) + "[" + std::to_string(kInputSize) + "]" +
                              (is_spread ? " spread" : "")});
  return name;
}

void add_composed_input(Writer& w, const ValueType& type) {
  const std::string name =
      add_parameter(w, "whole", spelling(type) + "[:]", std::string(filling(w)) + " " + spelling(type) + "[16]");
  w.place.arrays.push_back({name, type, {16}, Memory::Input, true});
}

void add_matrix(Writer& w) {
  struct Layout {
    const char *annotation, *run;
  };
  static constexpr Layout kLayouts[] = {
      {"[:, :]", ""}, {"[::1, :]", " columns"}, {"[::, ::]", " spread"}, {"[::, ::]", ""}};
  const Layout& layout = w.random.pick(kLayouts);
  const ScalarType type = w.any_type();
  const int rows = 1 << w.number(4), columns = 1 << w.number(5);
  const std::string shape = " " + spelling(type) + "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]";
  const bool is_static = layout.annotation == kLayouts[0].annotation && w.chance(30);
  const std::string annotation = is_static ? shape.substr(1) : spelling(type) + layout.annotation;
  const std::string name = add_parameter(w, "matrix", annotation, filling(w) + shape + layout.run);
  w.place.arrays.push_back({name, type, {rows, columns}, Memory::Input, false});
}

std::vector<const ReadableArray*> local_arrays(const Writer& w) {
  std::vector<const ReadableArray*> found;
  for (const ReadableArray& array : w.place.arrays)
    if (array.memory == Memory::Local) found.push_back(&array);
  return found;
}

}  // namespace

const char* filling(Writer& w) { return w.is_enabled(Feature::Edges) && w.chance(60) ? "edges" : "random"; }

std::string add_parameter(Writer& w, const char* prefix, const std::string& annotation, const std::string& run) {
  const std::string name = w.fresh(prefix);
  w.parameters.push_back({name, annotation, run});
  return name;
}

Expression element(Writer& w, ScalarType type, int depth) {
  if (const ReadableArray* array = find_array(w, type); array && w.chance(60)) {
    const ReadableArray chosen = *array;
    return {element_of(w, chosen, depth), type};
  }
  if (w.is_enabled(Feature::Lenses) && is_integer(type) && w.chance(20))
    if (const ReadableArray* array = find_array(w, w.random.pick(kIntegers));
        array && is_row_of_numbers(*array) && array->is_contiguous && array->extents[0] >= 8)
      return reinterpreted(w, ReadableArray(*array), type);
  if (!w.place.in_kernel) return literal(w.random, type);
  if (w.chance(25)) return {view(w, type, 16) + "[" + index(w, 16, depth) + "]", type};
  const std::string name = input(w, type), place = index(w, kInputSize, depth);
  static constexpr const char* kLoads[] = {"ldca", "ldcg", "ldcs", "ldlu", "ldcv", "ldg"};
  if (w.is_enabled(Feature::CacheHints) && w.chance(30))
    return {std::string(w.random.pick(kLoads)) + "(" + name + ", " + place + ")", type};
  return {name + "[" + place + "]", type};
}

std::string composed_element(Writer& w, const ValueType& type) {
  const ReadableArray* array = find_array(w, type);
  if (!array) return {};
  const ReadableArray chosen = *array;
  return element_of(w, chosen, 0);
}

std::string uniform_element(Writer& w) {
  return input(w, ScalarType::I32) + "[" + std::to_string(w.number(kInputSize)) + "]";
}

std::string view(Writer& w, ScalarType type, int size) {
  const std::string array = input(w, type);
  const int step = 1 + w.number(3), start = w.number(kInputSize - size * step);
  const std::string first = std::to_string(start), last = std::to_string(start + size * step);
  switch (w.number(4)) {
    case 0:
      return array + "[" + first + ":" + last + ":" + std::to_string(step) + "]";
    case 1:
      return array + "[" + std::to_string(kInputSize - size) + ":][::-1]";
    case 2:
      return array + "[" + std::to_string(start + size - 1) +
             (start == 0 ? "::-1]" : ":" + std::to_string(start - 1) + ":-1]");
    default:
      return array + "[" + std::to_string(start - kInputSize) + ":][:" + std::to_string(size) + "]";
  }
}

void declare_constants(Writer& w) {
  if (!w.is_enabled(Feature::Constants)) return;
  w.blank_lines();
  for (int i = 1 + w.number(2); i-- > 0;) {
    const ScalarType type = w.any_of(kWideTypes);
    const std::string name = w.fresh("NUMBER");
    w.line(name + " = " + literal(w.random, type).text);
    w.place.variables.push_back({name, type, false, false});
  }
  for (int i = 1 + w.number(2); i-- > 0;) {
    const ScalarType type = w.random.pick(kWideTypes);
    const int size = 1 << (2 + w.number(3));
    std::string items;
    for (int k = 0; k < size; ++k)
      items += (items.empty() ? "" : ", ") +
               std::to_string(w.number(is_unsigned_integer(type) ? 100 : 200) - (is_unsigned_integer(type) ? 0 : 100)) +
               (is_float(type) ? ".25" : "");
    const std::string name = w.fresh("TABLE");
    w.line(name + " = np.array([" + items + "], dtype=np." + std::string(info(type).numpy) + ")");
    w.place.arrays.push_back({name, type, {size}, Memory::Constant, true});
  }
}

/// The tables of the module have names in the kernel; before this they are not read.
void begin_constants(Writer& w) {
  for (ReadableArray& array : w.place.arrays) {
    if (array.memory != Memory::Constant) continue;
    const std::string name = w.fresh("table");
    w.line(name + " = const.array_like(" + array.name + ")");
    array.name = name;
  }
}

void begin_inputs(Writer& w) {
  if (w.is_enabled(Feature::Matrices))
    for (int i = 1 + w.number(2); i-- > 0;) add_matrix(w);
  for (const ValueType& type : w.composed) {
    const bool is_plain = type.kind != ValueType::Kind::Enum && type.kind != ValueType::Kind::NamedTuple;
    if (is_plain && w.chance(50)) add_composed_input(w, type);
  }
}

void begin_local_arrays(Writer& w) {
  if (!w.is_enabled(Feature::LocalArrays)) return;
  for (int i = 1 + w.number(3); i-- > 0;) {
    const ValueType type = storable_type(w);
    const std::string name = w.fresh("mine");
    const int size = 4 << w.number(2), columns = 4;
    const bool is_matrix = w.is_enabled(Feature::Matrices) && w.chance(40);
    const std::string shape =
        is_matrix ? "(" + std::to_string(size / columns) + ", " + std::to_string(columns) + ")" : std::to_string(size);
    w.line(name + " = local.array(" + shape + ", " + spelling(type) + ")");
    w.line("for k in range(" + std::to_string(size) + "): " + name + (is_matrix ? "[k // 4, k % 4]" : "[k]") + " = " +
           value(w, type, 1));
    const std::vector<int> extents = is_matrix ? std::vector{size / columns, columns} : std::vector{size};
    w.place.arrays.push_back({name, type, extents, Memory::Local, true});
  }
}

void use_local_array(Writer& w) {
  const std::vector<const ReadableArray*> arrays = local_arrays(w);
  if (arrays.empty()) return w.line("pass");
  const ReadableArray array = *w.random.pick(arrays);
  const std::string target = subscript(w, array, 1);
  if (array.element.is_scalar()) {
    const ScalarType type = array.element.scalar;
    const bool is_in_place = type != ScalarType::Bool && w.chance(30);
    return w.line(target + (is_in_place ? in_place(w, type) : " = " + expression(w, type, 2).text));
  }
  if (w.chance(50)) return w.line(target + " = " + value(w, array.element, 2));
  const Expression member = part(w, array.element, target);
  const bool is_part_of_complex = member.text.ends_with(".real") || member.text.ends_with(".imag");  // only read
  w.line(is_part_of_complex ? "pass" : member.text + " = " + expression(w, member.type, 2).text);
}

/// A part of an array at a time: `a[1:3] += x`, `a[::2] = b[…]`.
void assign_array(Writer& w) {
  std::vector<ReadableArray> arrays;
  for (const ReadableArray* array : local_arrays(w))
    if (array->element.is_scalar()) arrays.push_back(*array);
  if (arrays.empty()) return w.line("pass");
  const ReadableArray array = w.random.pick(arrays);
  const ScalarType type = array.element.scalar;
  static constexpr const char* kOperators[] = {" = ", " += ", " -= ", " *= "};
  const char* const op = type == ScalarType::Bool ? " = " : w.random.pick(kOperators);
  const auto number = [&] { return expression(w, type, 2).text; };
  if (w.chance(25)) return w.line(array.name + (w.chance(50) ? "[...]" : "[:]") + op + number());
  if (array.extents.size() == 2)
    return w.line(array.name + (w.chance(50) ? "[0]" : "[:, " + std::to_string(w.number(4)) + "]") + op + number());
  if (w.is_enabled(Feature::Ufuncs) && type != ScalarType::Bool && w.chance(40)) {
    static constexpr const char* kUfuncs[] = {"add", "subtract", "multiply", "minimum", "maximum", "fmin", "fmax"};
    const std::string second = w.chance(50) ? view(w, type, 4) : number();
    return w.line(std::string("np.") + w.random.pick(kUfuncs) + "(" + view(w, type, 4) + ", " + second + ", " +
                  (w.chance(50) ? "out=" : "") + array.name + "[:4])");
  }
  if (w.chance(50))
    return w.line(array.name + "[" + std::to_string(w.number(2)) + "::" + std::to_string(1 + w.number(2)) + "]" + op +
                  number());
  w.line(array.name + "[:4]" + (w.chance(30) ? "[::-1]" : "") + op + view(w, type, 4));
}

/// Bounds are clipped, wherever they lie; a step of 0 takes nothing, where it is not known while compiling.
void go_through_slice(Writer& w) {
  const auto computed = [&](int most) {
    return "i64(" + any(w, 1).text + ") % " + std::to_string(2 * most + 1) + " - " + std::to_string(most);
  };
  const auto bound = [&] {
    if (w.chance(30)) return std::string();
    return w.chance(30) ? std::to_string(w.number(3 * kInputSize) - kInputSize) : computed(3 * kInputSize / 2);
  };
  static constexpr const char* kSteps[] = {"", ":2", ":-1", ":-3"};
  const ScalarType type = w.any_of(kWideTypes);
  const std::string part = w.fresh("part"), item = w.fresh("e"), sum = w.fresh("t"), start = bound(), stop = bound();
  w.line(part + " = " + input(w, type) + "[" + start + ":" + stop +
         (w.chance(50) ? w.random.pick(kSteps) : ":(tid + " + computed(4) + ")") + "]");
  w.line(sum + ": " + spelling(type) + " = " + converted({"len(" + part + ")", type}, type).text);
  w.line("for " + item + " in " + part + (w.chance(30) ? "[::-1]" : "") + ": " + sum + " = " + sum +
         (w.chance(50) ? " + " : " - ") + item);
  w.add_variable(sum, type);
}

}  // namespace pykc::random_test
