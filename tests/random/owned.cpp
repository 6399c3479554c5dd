#include "tests/random/owned.h"

#include <algorithm>
#include <utility>

#include "tests/random/expressions.h"
#include "tests/random/memory.h"
#include "tests/random/statements.h"
#include "tests/random/values.h"

namespace pykc::random_test {
namespace {

/// The names of the element `i` that this thread owns.
void add_element(Writer& w, const OwnedArray& array, const std::string& i) {
  w.add_variable(array.name + "[" + i + "]", array.element);
  if (array.alias.empty()) return;
  const std::string behind = array.offset == 0 ? i : i + " - " + std::to_string(array.offset);
  w.add_variable(array.alias + "[" + behind + "]", array.element);
}

void change(Writer& w, const Variable& element) {
  const bool has_operators = element.type.is_scalar() && element.type.scalar != ScalarType::Bool;
  const bool is_in_place = has_operators && w.chance(40);
  w.line(element.name + (is_in_place ? in_place(w, element.type.scalar) : " = " + value(w, element.type, 2)));
}

/// Writes, does other things, reads again.
void use_element(Writer& w, const OwnedArray& array, const std::string& i) {
  const std::size_t first = w.place.variables.size();
  add_element(w, array, i);
  const std::size_t end = w.place.variables.size();
  const auto own = [&] {
    return w.place.variables[first + static_cast<std::size_t>(w.number(static_cast<int>(end - first)))];
  };
  change(w, own());
  if (w.chance(60)) statement(w);
  if (w.chance(50)) change(w, own());
}

}  // namespace

void begin_owned_arrays(Writer& w) {
  if (!w.is_enabled(Feature::OwnElements)) return;
  const int total = w.launch.blocks * w.launch.threads;
  for (int i = 1 + w.number(2); i-- > 0;) {
    const int lengths[] = {total, total, total + 7, total / 2 + 1, 2 * total + 3, 3 * total};
    const int length = w.random.pick(lengths);
    OwnedArray array{w.fresh("data"), {}, storable_type(w), 0, {}};
    const std::string type = spelling(array.element);
    const std::size_t argument = w.parameters.size() + 2;  // behind the outputs
    w.parameters.push_back({array.name, type + "[:]", filling(w) + (" " + type) + "[" + std::to_string(length) + "]"});
    const std::string sizes[] = {"len(" + array.name + ")", array.name + ".shape[0]", array.name + ".size"};
    array.bound = w.random.pick(sizes);
    if (w.chance(60)) {
      const int bound = w.chance(50) ? length : w.number(length + 1);
      const ScalarType scalar = w.random.pick({ScalarType::I32, ScalarType::I64, ScalarType::I64, ScalarType::U32});
      array.bound = add_parameter(w, "n", spelling(scalar), std::to_string(bound));
    }
    if (w.is_enabled(Feature::Aliases)) {
      array.offset = w.chance(50) ? 0 : 1 + w.number(length - 1);
      array.alias = add_parameter(w, "alias", type + "[:]",
                                  "same " + std::to_string(argument) + " " + type + "[" +
                                      std::to_string(length - array.offset) + "] from " + std::to_string(array.offset));
    }
    w.owned.push_back(array);
  }
}

/// `plane`: its elements belong to the threads of grid(2), or its rows to those of grid(1).
void begin_owned_matrix(Writer& w) {
  if (!w.is_enabled(Feature::OwnRows)) return;
  static constexpr const char* kLayouts[][2] = {{"[:, :]", ""}, {"[::1, :]", " columns"}, {"[::, ::]", " spread"}};
  const auto& layout = w.random.pick(kLayouts);
  const ScalarType type = w.any_type();
  const int rows = 1 + w.number(40), columns = 1 + w.number(20);
  w.parameters.push_back({"plane", spelling(type) + layout[0],
                          filling(w) + (" " + spelling(type)) + "[" + std::to_string(rows) + ", " +
                              std::to_string(columns) + "]" + layout[1]});
}

void use_own_rows(Writer& w) {
  const auto plane = std::ranges::find(w.parameters, "plane", &Parameter::name);
  const ScalarType type = *find_scalar_type(plane->annotation.substr(0, plane->annotation.find('[')));
  const OwnedArray array{"plane", {}, type, 0, {}};
  const std::string row = w.fresh("row"), column = w.fresh("column");
  const bool outer = std::exchange(w.place.uniform, false), by_rows = w.launch.dimensions != 2;
  if (by_rows) {
    w.line("for " + row + " in range(gid, plane.shape[0], total):");
    w.place.loops.push_back({false});
  } else {
    w.line(column + ", " + row + " = grid(2)");
    w.line("if " + column + " < plane.shape[1] and " + row + " < plane.shape[0]:");
  }
  w.indented([&] {
    if (!by_rows) return use_element(w, array, row + ", " + column);
    w.line("for " + column + " in range(plane.shape[1]):");
    w.indented([&] { use_element(w, array, row + ", " + column); });
  });
  if (by_rows) w.place.loops.pop_back();
  w.place.uniform = outer;
}

void use_own_elements(Writer& w) {
  const OwnedArray array = w.random.pick(w.owned);
  const std::string offset = std::to_string(array.offset);
  const bool outer = std::exchange(w.place.uniform, false);
  const std::string i = w.fresh("own");
  const bool strides = w.is_enabled(Feature::GridStrides) && w.chance(60);
  if (strides) {
    w.line("for " + i + " in range(gid, " + array.bound + ", total):");
    w.place.loops.push_back({false});
  } else {
    w.line(i + " = gid");
    const std::string test = i + " < " + array.bound;
    w.line("if " + (array.offset > 0 ? i + " >= " + offset + " and " + test : test) + ":");
  }
  w.indented([&] {
    w.place.variables.push_back({i, ScalarType::I64});
    if (strides && array.offset > 0) w.line("if " + i + " < " + offset + ": continue");
    use_element(w, array, i);
  });
  if (strides) w.place.loops.pop_back();
  w.place.uniform = outer;
}

void record(Writer& w) {
  if (w.rows >= kMostRows / 2) return w.line("pass");
  const Expression value = any(w, 2);
  const bool is_real = is_float(value.type);
  w.line((is_real ? "out_f[" : "out_i[") + std::to_string(++w.rows) + ", gid] = " + (is_real ? "f64(" : "i64(") +
         value.text + ")");
}

}  // namespace pykc::random_test
