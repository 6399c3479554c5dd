#include "tests/random/loops.h"

#include "tests/random/expressions.h"
#include "tests/random/memory.h"
#include "tests/random/statements.h"

namespace pykc::random_test {
namespace {

/// How many turns: few, or where the program has long loops, many in the outermost one.
std::string turns(Writer& w, bool uniform) {
  const bool is_long = w.is_enabled(Feature::LongLoops) && w.place.loops.size() == 1 && w.chance(50);
  const int most = is_long ? 3 << (2 + w.number(3)) : 4;
  if (w.chance(50)) return std::to_string(w.number(most + 1));
  const int mask = is_long ? 31 : 3;
  if (uniform) return "(" + uniform_integer(w) + ") & " + std::to_string(mask);
  return "i64(" + any(w, 1).text + ") & " + std::to_string(mask);
}

void for_range(Writer& w, bool uniform) {
  const std::string name = w.fresh("r"), stop = turns(w, uniform);
  std::string range = stop;
  if (w.chance(30)) range = std::to_string(w.number(4) - 2) + ", " + stop;
  if (w.chance(20)) range = "0, " + stop + ", " + std::to_string(2 + w.number(3));
  if (w.chance(20)) range = std::to_string(w.number(6)) + ", -2, -" + std::to_string(1 + w.number(3));
  if (w.chance(15))
    range = std::to_string(w.number(6)) + ", " + stop + ", " +
            (uniform ? "(" + uniform_integer(w) + ")" : "i64(" + any(w, 1).text + ")") + " % 5 - 2";
  w.place.variables.push_back({name, ScalarType::I64, uniform});
  nested(w, "for " + name + " in " + (w.chance(10) ? "reversed(range(" + range + "))" : "range(" + range + ")") + ":",
         uniform);
}

void for_unrolled(Writer& w, bool uniform) {
  const std::string name = w.fresh("r");
  w.place.variables.push_back({name, ScalarType::I64, uniform});
  nested(w, "for " + name + " in unroll(range(" + std::to_string(1 + w.number(4)) + ")):", uniform);
}

/// The body is compiled for each element; a cast gives them one type.
void for_tuple(Writer& w, bool uniform) {
  const std::string item = w.fresh("e"), name = w.fresh("t");
  std::string items;
  for (int i = 2 + w.number(2); i-- > 0;) items += any(w, 1).text + ", ";
  const ScalarType type = w.any_type();
  const bool outer = w.place.uniform;
  w.place.uniform = outer && uniform;
  w.line("for " + item + " in (" + items + "):");
  w.indented([&] {
    w.line(name + " = " + converted({item, type}, type).text);
    w.place.variables.push_back({name, type});
    block(w, 1 + w.number(2));
  });
  w.place.uniform = outer;
}

/// Over a view of an input, or two side by side, or numbered.
void for_elements(Writer& w, bool uniform) {
  const ScalarType type = w.any_type(), other = w.any_type();
  const std::string x = w.fresh("t"), y = w.fresh("t"), items = view(w, type, 4);
  w.place.variables.push_back({x, type});
  switch (w.number(4)) {
    case 0:
      w.place.variables.push_back({y, other});
      return nested(w, "for " + x + ", " + y + " in zip(" + items + ", " + view(w, other, 8) + "):", uniform);
    case 1:
      w.place.variables.push_back({y, ScalarType::I64, uniform});
      return nested(w, "for " + y + ", " + x + " in enumerate(" + items + "):", uniform);
    case 2:
      return nested(w, "for " + x + " in reversed(" + items + "):", uniform);
    default:
      return nested(w, "for " + x + " in " + items + ":", uniform);
  }
}

/// It counts, so that it ends whatever its condition says.
void while_counting(Writer& w, bool uniform) {
  const std::string name = w.fresh("w"), start = turns(w, uniform);
  const bool counts_in_32_bits = w.chance(30);
  w.line(name + (counts_in_32_bits ? ": i32 = i32(" + start + ")" : " = " + start));
  const std::string test = w.chance(50) ? "" : " and " + (uniform ? uniform_condition(w) : condition(w, 1));
  const bool outer = w.place.uniform;
  w.place.uniform = outer && uniform;
  const bool leaves_inside = w.chance(25);
  w.line(leaves_inside ? "while True:" : "while " + name + " > 0" + test + ":");
  w.indented([&] {
    if (leaves_inside) w.line("if not (" + name + " > 0" + test + "): break");
    w.line(name + " -= 1");
    block(w, 1 + w.number(3));
  });
  w.place.uniform = outer;
}

}  // namespace

void branch(Writer& w) {
  const bool uniform = w.place.uniform && w.chance(60);
  const auto test = [&] { return uniform ? uniform_condition(w) : condition(w, 2); };
  nested(w, "if " + test() + ":", uniform);
  while (w.chance(20)) nested(w, "elif " + test() + ":", uniform);
  if (w.chance(50)) nested(w, "else:", uniform);
}

void loop(Writer& w) {
  const bool uniform = w.place.uniform && w.chance(60);
  const std::size_t outer = w.place.variables.size();
  w.place.loops.push_back({uniform});
  if (w.is_enabled(Feature::ElementLoops) && w.place.in_kernel && w.chance(25))
    for_elements(w, uniform);
  else if (w.is_enabled(Feature::Unrolled) && w.chance(25))
    for_unrolled(w, uniform);
  else if (w.is_enabled(Feature::Unrolled) && w.chance(20))
    for_tuple(w, uniform);
  else if (w.chance(60))
    for_range(w, uniform);
  else
    while_counting(w, uniform);
  w.place.loops.pop_back();
  w.place.variables.resize(outer);
  if (w.chance(25)) nested(w, "else:", uniform);
}

void leave_loop(Writer& w) {
  const bool uniform = w.place.loops.back().uniform;
  if (uniform && !w.place.uniform) return w.line("pass");  // nobody leaves alone a loop that all run alike
  w.line("if " + (uniform ? uniform_condition(w) : condition(w, 1)) + ": " + (w.chance(50) ? "break" : "continue"));
}

void return_early(Writer& w) { w.line("if " + condition(w, 1) + " and tid % 4 == 3: return"); }

}  // namespace pykc::random_test
