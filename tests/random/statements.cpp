#include "tests/random/statements.h"

#include "tests/random/atomics.h"
#include "tests/random/expressions.h"
#include "tests/random/functions.h"
#include "tests/random/loops.h"
#include "tests/random/memory.h"
#include "tests/random/owned.h"
#include "tests/random/threads.h"
#include "tests/random/values.h"

namespace pykc::random_test {
namespace {

const Variable* assignable_scalar(Writer& w) {
  std::vector<const Variable*> fitting;
  for (const Variable& variable : w.place.variables)
    if (variable.assignable && variable.type.is_scalar()) fitting.push_back(&variable);
  return fitting.empty() ? nullptr : w.random.pick(fitting);
}

/// To a variable that is there, plainly or in place; or to a new one, whose type is inferred.
void assign(Writer& w) {
  const Variable* found = w.chance(25) ? nullptr : assignable_scalar(w);
  if (!found) {
    const Expression value = operation(w, 2);
    const std::string name = w.fresh("t");
    w.line(name + " = " + value.text);
    w.place.variables.push_back({name, value.type});
    return;
  }
  const Variable variable = *found;
  const ScalarType type = variable.type.scalar;
  if (variable.uniform) {
    w.line(w.place.uniform ? variable.name + " = " + uniform_integer(w) : "pass");
  } else if (w.chance(30) && type != ScalarType::Bool) {
    w.line(variable.name + in_place(w, type));
  } else if (w.chance(50)) {
    const Expression value = operation(w, 3);  // converts; in Numba's dialect, the variable may become what it is given
    w.line(variable.name + " = " + (w.is_enabled(Feature::NumbaDialect) ? converted(value, type) : value).text);
  } else {
    w.line(variable.name + " = " + expression(w, type, 3).text);
  }
}

/// `a, b = b, a` of one type, or a tuple bound to a name and taken apart.
void assign_tuple(Writer& w) {
  const Variable* found = assignable_scalar(w);
  if (found && !found->uniform && w.chance(50)) {
    const Variable a = *found;
    const std::string b = expression(w, a.type.scalar, 1).text, rest = w.fresh("t");
    w.line(a.name + ", " + rest + " = " + b + ", " + a.name);
    w.place.variables.push_back({rest, a.type});
    return;
  }
  const Expression first = any(w, 1), second = any(w, 1);
  const std::string pair = w.fresh("pair"), x = w.fresh("t"), y = w.fresh("t");
  w.line(pair + " = (" + first.text + ", " + second.text + ")");
  if (w.chance(30)) {
    w.line(x + ", *" + pair + "rest = " + pair);
    w.line(y + " = " + pair + "rest[0]");
  } else if (w.chance(50)) {
    w.line(x + ", " + y + " = " + pair);
  } else {
    w.line(x + " = " + pair + "[0]");
    w.line(y + " = " + pair + "[-1]");
  }
  w.place.variables.push_back({x, first.type});
  w.place.variables.push_back({y, second.type});
}

/// What is assigned on one path only starts as 0.
void assign_on_one_path(Writer& w) {
  const Variable* tested = assignable_scalar(w);
  if (!tested) return w.line("pass");
  const ScalarType type = w.any_type();
  const std::string name = w.fresh("z"), test = tested->name + " != " + literal(w.random, tested->type.scalar).text;
  w.line("if " + test + ":");  // not known while compiling
  w.line("    " + name + " = " + converted(expression(w, type, 1), type).text);
  w.place.variables.push_back({name, type});
}

void promise(Writer& w) {
  const std::string x = expression(w, w.any_of(kIntegers), 1).text;
  static constexpr const char* kTrue[] = {"tid >= 0", "tid < threads", "gid < total", "gid >= tid"};
  if (w.place.in_kernel && w.chance(40))
    return w.line(w.chance(50) ? std::string("assume(") + w.random.pick(kTrue) + ")"
                               : std::string("assert ") + w.random.pick(kTrue));
  w.line("assert (i64(" + x + ") & 15) < 16, \"a remainder\"");
}

void begin_likely(Writer& w) {
  nested(w, std::string("if ") + (w.chance(50) ? "likely(" : "unlikely(") + condition(w, 1) + "):", false);
}

bool may_meet(const Writer& w) { return w.place.in_kernel && w.place.uniform; }
/// Threads of several blocks.
bool all_may_meet(const Writer& w) { return may_meet(w) && w.place.depth == 1; }

struct StatementRow {
  int weight;
  Feature feature;
  bool (*allowed)(const Writer&);
  void (*write)(Writer&);
};

constexpr StatementRow kStatementRows[] = {
    {30, Feature::Always, always, assign},
    {6, Feature::Always, always, assign_tuple},
    {10, Feature::Always, has_composed, assign_value},
    {6, Feature::Records, always, assign_field},
    {12, Feature::Branches, [](const Writer& w) { return w.place.depth < 5; }, branch},
    {3, Feature::Promises, [](const Writer& w) { return w.place.depth < 5; }, begin_likely},
    {12, Feature::Loops, [](const Writer& w) { return w.place.depth < 4; }, loop},
    {8, Feature::Loops, [](const Writer& w) { return !w.place.loops.empty(); }, leave_loop},
    {6, Feature::FunctionValues, in_kernel, use_closure},
    {3, Feature::FunctionValues, in_kernel, loop_through_functions},
    {5, Feature::Always, in_kernel, record},
    {8, Feature::LocalArrays, in_kernel, use_local_array},
    {6, Feature::ArrayStatements, in_kernel, assign_array},
    {6, Feature::Slices, in_kernel, go_through_slice},
    {10, Feature::SharedArrays, may_meet, exchange_through_shared_memory},
    {4, Feature::BlockVotes, may_meet, vote_in_block},
    {8, Feature::Warps, may_meet, exchange_in_warp},
    {6, Feature::Warps, may_meet, vote_in_warp},
    {8, Feature::PartialWarps, may_meet, exchange_in_part_of_warp},
    {10, Feature::Atomics, in_kernel, change_atomically},
    {8, Feature::AtomicResults, in_kernel, use_atomic_result},
    {12, Feature::OwnElements, in_kernel, use_own_elements},
    {8, Feature::OwnRows, in_kernel, use_own_rows},
    {6, Feature::GridSync, all_may_meet, exchange_through_grid},
    {12, Feature::Clusters, all_may_meet, exchange_through_cluster},
    {6, Feature::WarpsApart, in_kernel, [](Writer& w) { w.line("wait_turn()"); }},
    {3, Feature::EarlyReturns, in_kernel, return_early},
    {5, Feature::Unassigned, always, assign_on_one_path},
    {4, Feature::Promises, always, promise},
};

}  // namespace

void block(Writer& w, int statements) {
  const std::size_t variables = w.place.variables.size();
  w.line("pass");
  for (int i = 0; i < statements; ++i) statement(w);
  w.place.variables.resize(variables);  // what is assigned first in a block may not be assigned on other paths
}

void nested(Writer& w, const std::string& header, bool uniform) {
  const bool outer = w.place.uniform;
  w.place.uniform = outer && uniform;
  w.line(header);
  w.indented([&] { block(w, 1 + w.number(3)); });
  w.place.uniform = outer;
}

void statement(Writer& w) {
  if (w.budget-- <= 0) return;
  const StatementRow* row = w.random.pick_weighted(
      std::span<const StatementRow>(kStatementRows),
      [&](const StatementRow& candidate) { return w.is_enabled(candidate.feature) && candidate.allowed(w); });
  row->write(w);
}

}  // namespace pykc::random_test
