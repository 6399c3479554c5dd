// What a `for` goes through: ranges, arrays, tuples, places of arrays, and what enumerate, zip, reversed and unroll
// make of them.
//
// An iteration is counted, a loop over numbers of which each gives an item; or unrolled, a list of items that are known
// while compiling, as those of a tuple are, which may differ in type.
#include "frontend/check/statements/iterate.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/view.h"
#include "frontend/check/calls/builtin.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/statements/loop.h"
#include "frontend/check/statements/statement.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {

using checked::BinaryOp;

namespace {

constexpr std::string_view kAdvice =
    "a kernel loops over ranges, arrays and tuples, by way of `enumerate`, `zip`, `reversed` and `unroll` too";

/// A literal becomes a number of a type of its own; floats still take the type of what they meet.
Value as_item(const Value& value) {
  return {value.expr, value.weak == Weak::Int ? Weak::No : value.weak, value.elements};
}

/// The i64 that a loop counts with: of a u64 that none holds, an error, where a wrapped one would end the loop at once.
Value as_counted(FunctionChecker& checker, const Value& bound) {
  if (!bound.known() || bound.scalar() != ScalarType::U64) return bound;
  constexpr Int128 largest = std::numeric_limits<std::int64_t>::max();
  const SourceRange place = bound.range();
  if (bound.is_constant() && integer_of(*bound.expr) > largest) {
    checker.report(place, DiagnosticId::LiteralOutOfRange, checker.scope.file().text(place), to_string(ScalarType::I64))
        .note("`range` counts in i64: count from 0, and add where the numbers start, as a u64");
    return {};
  }
  if (bound.is_constant() || checker.is_trial) return TreeBuilder::strong(checker.tree.convert(bound, ScalarType::I64));
  const int fault = add_fault(checker, "OverflowError: a bound of a range does not fit i64, in which it counts", place);
  return TreeBuilder::strong(with_temporary(checker, bound.expr, [&](const Expr* kept) {
    const Expr* limit = checker.tree.integer(largest, ScalarType::U64, place);
    const Expr* counted = checker.tree.convert({kept, bound.weak, {}}, ScalarType::I64);
    const Expr* is_counted = checker.tree.compare(checked::CompareOp::Le, kept, limit, place);
    return checker.tree.make(counted->type, place, checked::Guarded{is_counted, fault, {}, counted});
  }));
}

std::optional<Iteration> over_range(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  std::optional<std::array<Value, 3>> bounds = range_arguments(checker, call, range);
  if (!bounds) return std::nullopt;
  Iteration result;
  for (Value& bound : *bounds) bound = stored_once(checker, as_counted(checker, bound), range);
  if (!std::ranges::all_of(*bounds, &Value::known)) return std::nullopt;
  result.range = std::move(*bounds);
  result.counts_itself = true;
  result.item = [](const Value& counter) { return counter; };
  return result;
}

Iteration over_array(FunctionChecker& checker, const Value& array, SourceRange range) {
  Iteration result;
  result.range = {checker.tree.weak_integer(0, range), extent(checker, array, 0, range),
                  checker.tree.weak_integer(1, range)};
  result.item = [=, &checker](const Value& counter) {
    return select(checker, array, {{IndexItem::Kind::Position, counter, {}, range}}, range);
  };
  return result;
}

Iteration over_tuple(FunctionChecker& checker, const Value& tuple) {
  Iteration result;
  result.is_unrolled = true;
  for (const Value& element : take_apart(checker, tuple)) result.turns.push_back(as_item(element));
  return result;
}

/// How many numbers a range has.
Value range_length(FunctionChecker& checker, const std::array<Value, 3>& bounds, SourceRange range) {
  const auto number = [&](Int128 value) {
    return TreeBuilder::strong(checker.tree.integer(value, ScalarType::I64, range));
  };
  const auto as_index = [&](const Value& value) {
    return TreeBuilder::strong(checker.tree.convert(value, ScalarType::I64));
  };
  const Value start = as_index(bounds[0]), stop = as_index(bounds[1]), step = as_index(bounds[2]);
  const auto length = [&](const Value& span, const Value& stride) {
    const Value last = arithmetic(checker, BinaryOp::Sub, span, number(1), range);
    const Expr* rest = checker.tree.binary(BinaryOp::FloorDiv, last.expr, stride.expr, range);
    const Value count = arithmetic(checker, BinaryOp::Add, TreeBuilder::strong(rest), number(1), range);
    const Value is_empty = compare(checker, ast::CompareOp::Le, span, number(0), range);
    return choose(checker, is_empty.expr, number(0), count, range);
  };
  const Value up = length(arithmetic(checker, BinaryOp::Sub, stop, start, range), step);
  if (step.is_constant() && integer_of(*step.expr) > 0) return up;
  const Value down =
      length(arithmetic(checker, BinaryOp::Sub, start, stop, range), unary(checker, ast::UnaryOp::Negate, step, range));
  if (step.is_constant() && integer_of(*step.expr) < 0) return down;
  const Value is_up = compare(checker, ast::CompareOp::Gt, step, number(0), range);
  const Value is_none = compare(checker, ast::CompareOp::Eq, step, number(0), range);
  return choose(checker, is_none.expr, number(0), choose(checker, is_up.expr, up, down, range), range);
}

/// An iteration over the same items whose position counts from 0 in steps of 1.
Iteration from_zero(FunctionChecker& checker, Iteration source, SourceRange range) {
  const auto is = [](const Value& value, Int128 number) {
    return value.is_constant() && integer_of(*value.expr) == number;
  };
  source.counts_itself = false;
  if (is(source.range[0], 0) && is(source.range[2], 1)) return source;
  std::array<Value, 3> bounds = source.range;
  for (Value& bound : bounds) bound = kept_apart(checker, bound, range);
  source.range = {checker.tree.weak_integer(0, range),
                  stored_once(checker, range_length(checker, bounds, range), range),
                  checker.tree.weak_integer(1, range)};
  source.item = [=, &checker, item = std::move(source.item)](const Value& counter) {
    const Value steps = binary(checker, ast::BinaryOp::Mul, counter, bounds[2], range);
    return item(binary(checker, ast::BinaryOp::Add, bounds[0], steps, range));
  };
  return source;
}

std::optional<Iteration> over_enumerate(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"iterable", "start"};
  const auto arguments =
      bind_arguments(checker, call, range, "enumerate", kParameters, 1, info(LanguageFunction::Enumerate).signature);
  if (!arguments) return std::nullopt;
  std::optional<Iteration> source = iteration(checker, *(*arguments)[0]);
  Value start = checker.tree.weak_integer(0, range);
  if ((*arguments)[1]) start = checker.value(*(*arguments)[1]);
  if (!source || !start.known()) return std::nullopt;
  const Expr* first = index_number(checker, start);
  if (!first) return std::nullopt;
  const Value from = kept_apart(checker, TreeBuilder::strong(first), range);
  const auto numbered = [=, &checker](const Value& counter, const Value& item) {
    return checker.tree.tuple({binary(checker, ast::BinaryOp::Add, from, counter, range), item}, range);
  };
  if (source->is_unrolled) {
    for (std::size_t i = 0; i < source->turns.size(); ++i)
      source->turns[i] = numbered(checker.tree.weak_integer(static_cast<Int128>(i), range), source->turns[i]);
    return source;
  }
  source = from_zero(checker, std::move(*source), range);
  source->item = [=, item = std::move(source->item)](const Value& counter) { return numbered(counter, item(counter)); };
  return source;
}

/// Items that are known while compiling, looked up by a number.
Iteration counted(FunctionChecker& checker, Iteration source, SourceRange range) {
  Iteration result;
  const auto count = static_cast<Int128>(source.turns.size());
  const Value tuple = checker.tree.tuple(std::move(source.turns), range);
  result.range = {checker.tree.weak_integer(0, range), checker.tree.weak_integer(count, range),
                  checker.tree.weak_integer(1, range)};
  result.item = [=, &checker](const Value& counter) { return index_by_variable(checker, tuple, counter, range); };
  return result;
}

/// The loop over `zip(…)` has as many turns as the shortest sequence has items. Tuples alone are unrolled; beside a
/// counted one, a tuple is indexed.
std::optional<Iteration> over_zip(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  std::vector<Iteration> sources;
  bool all_known = has_no_keywords(checker, call, "`zip`");
  for (const ast::ExprPtr& argument : call.arguments) {
    std::optional<Iteration> source = iteration(checker, *argument);
    all_known &= source.has_value();
    if (source) sources.push_back(std::move(*source));
  }
  if (!all_known) return std::nullopt;
  if (sources.empty()) {
    checker.report(range, DiagnosticId::ArgumentCount, "`zip`", "at least 1 argument", "0");
    return std::nullopt;
  }
  Iteration result;
  result.is_unrolled =
      std::all_of(sources.begin(), sources.end(), [](const auto& source) { return source.is_unrolled; });
  if (result.is_unrolled) {
    std::size_t count = sources.front().turns.size();
    for (const Iteration& source : sources) count = std::min(count, source.turns.size());
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Value> items;
      for (const Iteration& source : sources) items.push_back(source.turns[i]);
      result.turns.push_back(checker.tree.tuple(std::move(items), range));
    }
    return result;
  }
  Value count;
  for (Iteration& source : sources) {
    source =
        source.is_unrolled ? counted(checker, std::move(source), range) : from_zero(checker, std::move(source), range);
    const Value length = TreeBuilder::strong(checker.tree.convert(source.range[1], ScalarType::I64));
    count = count.known() ? builtin_result(checker, BuiltinId::Min, {count.expr, length.expr}, ScalarType::I64, range)
                          : length;
  }
  result.range = {checker.tree.weak_integer(0, range), count, checker.tree.weak_integer(1, range)};
  result.item = [=, &checker, sources = std::move(sources)](const Value& counter) {
    std::vector<Value> items;
    for (const Iteration& source : sources) items.push_back(source.item(counter));
    return checker.tree.tuple(std::move(items), range);
  };
  return result;
}

std::optional<Iteration> over_reversed(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"sequence"};
  const auto arguments =
      bind_arguments(checker, call, range, "reversed", kParameters, 1, info(LanguageFunction::Reversed).signature);
  std::optional<Iteration> source = arguments ? iteration(checker, *(*arguments)[0]) : std::nullopt;
  if (!source) return std::nullopt;
  if (source->is_unrolled) {
    std::reverse(source->turns.begin(), source->turns.end());
    return source;
  }
  source = from_zero(checker, std::move(*source), range);
  const Value last = stored_once(
      checker, binary(checker, ast::BinaryOp::Sub, source->range[1], checker.tree.weak_integer(1, range), range),
      range);
  source->range = {last, checker.tree.weak_integer(-1, range), checker.tree.weak_integer(-1, range)};
  return source;
}

/// The places of an array with these extents, the last axis first, and what `item` makes of each.
Iteration over_places(FunctionChecker& checker, const std::vector<Value>& extents, SourceRange range,
                      std::function<Value(std::vector<Value> place)> item) {
  Iteration result;
  Value count = TreeBuilder::strong(checker.tree.integer(1, ScalarType::I64, range));
  for (const Value& extent : extents) count = arithmetic(checker, BinaryOp::Mul, count, extent, range);
  result.range = {checker.tree.weak_integer(0, range), stored_once(checker, count, range),
                  checker.tree.weak_integer(1, range)};
  result.item = [=, &checker, item = std::move(item)](Value rest) {
    std::vector<Value> place(extents.size());
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      place[axis] = axis == 0 ? rest : binary(checker, ast::BinaryOp::Mod, rest, extents[axis], range);
      rest = binary(checker, ast::BinaryOp::FloorDiv, rest, extents[axis], range);
    }
    return item(std::move(place));
  };
  return result;
}

/// `np.ndindex(x.shape)` or `np.ndindex(2, 3)`
std::optional<Iteration> over_ndindex(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  if (!has_no_keywords(checker, call, "`ndindex`")) return std::nullopt;
  std::vector<Value> given;
  for (const ast::ExprPtr& argument : call.arguments) {
    const auto* starred = argument->as<ast::Starred>();
    if (!starred) given.push_back(checker.value(*argument));
    if (starred ? !add_unpacked(checker, *starred, given) : !given.back().known()) return std::nullopt;
  }
  if (given.size() == 1 && given.front().is_tuple()) given = take_apart(checker, stored_once(checker, given[0], range));
  const Expr* none = checker.tree.integer(0, ScalarType::I64, range);
  for (Value& extent : given) {
    const Expr* number = index_number(checker, extent);
    if (!number) return std::nullopt;
    // Two that are negative have no places either.
    number = checker.tree.builtin(BuiltinId::Max, ScalarType::I64, {number, none}, range);
    extent = stored_once(checker, TreeBuilder::strong(number), range);
  }
  return over_places(checker, given, range,
                     [=, &checker](std::vector<Value> place) { return checker.tree.tuple(std::move(place), range); });
}

std::optional<Iteration> over_ndenumerate(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"arr"};
  const auto arguments = bind_arguments(checker, call, range, "ndenumerate", kParameters, 1,
                                        info(LanguageFunction::NumpyNdEnumerate).signature);
  if (!arguments) return std::nullopt;
  const Value given = checker.value(*(*arguments)[0]);
  if (!given.known()) return std::nullopt;
  if (!given.is_array() || given.type()->array.rank() == 0) {
    checker.report((*arguments)[0]->range, DiagnosticId::OperandType, "`ndenumerate`", describe(given));
    return std::nullopt;
  }
  const Value array = kept_apart(checker, given, range);
  std::vector<Value> extents;
  for (int axis = 0; axis < given.type()->array.rank(); ++axis) extents.push_back(extent(checker, array, axis, range));
  return over_places(checker, extents, range, [=, &checker](std::vector<Value> place) {
    std::vector<IndexItem> items;
    for (const Value& index : place) items.push_back({IndexItem::Kind::Position, index, {}, range});
    const Value element = select(checker, array, std::move(items), range);
    return checker.tree.tuple({checker.tree.tuple(std::move(place), range), element}, range);
  });
}

/// `unroll(range(8))`: each turn is compiled by itself, and its number is a constant in it.
std::optional<Iteration> over_unroll(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"iterable"};
  const auto arguments =
      bind_arguments(checker, call, range, "unroll", kParameters, 1, info(LanguageFunction::Unroll).signature);
  std::optional<Iteration> source = arguments ? iteration(checker, *(*arguments)[0]) : std::nullopt;
  if (!source || source->is_unrolled) return source;
  for (const Value& bound : source->range) {
    if (bound.is_constant()) continue;
    checker.report((*arguments)[0]->range, DiagnosticId::NotConstant, "the number of turns of `unroll`")
        .note("each turn is compiled by itself: use a range of constants, or leave `unroll` out");
    return std::nullopt;
  }
  const Int128 start = integer_of(*source->range[0].expr), stop = integer_of(*source->range[1].expr),
               step = integer_of(*source->range[2].expr);
  Iteration result;
  result.is_unrolled = true;
  for (Int128 i = start; step > 0 ? i < stop : step < 0 && i > stop; i += step) {
    if (static_cast<int>(result.turns.size()) >= checker.module.limits.unrolled_turns) {
      checker.report(range, DiagnosticId::TooManyTurns, checker.module.limits.unrolled_turns);
      return std::nullopt;
    }
    result.turns.push_back(source->item(TreeBuilder::strong(checker.tree.integer(i, ScalarType::I64, range))));
  }
  return result;
}

/// The target itself counts where it is an i64 that goes through a range; else a variable of the loop's own.
void counted_loop(FunctionChecker& checker, const ast::For& node, const Iteration* source, SourceRange range) {
  const FlowState before = checker.flow;
  enter_loop(checker, node.body, node.target.get());
  FlowState exhausted = checker.flow;
  checked::ForRange result{};
  checked::Suite counting;
  checked::Suite* const outer = std::exchange(checker.suite, &counting);
  if (source) {
    const checked::Type number = checked::Type::of(ScalarType::I64);
    const auto* name = node.target->as<ast::Name>();
    const std::optional<int> index =
        name && source->counts_itself ? local_index(checker, name->id, node.target->range) : std::nullopt;
    Local* local = index ? &checker.locals[static_cast<std::size_t>(*index)] : nullptr;
    const bool is_own = local && local->type.known && local->type.type == number;
    result.variable = is_own ? variable_of(checker, *local) : temporary(checker, number, node.target->range);
    const Expr* counter = checker.tree.make(number, node.target->range, checked::VariableRef{result.variable});
    if (is_own)
      mark_defined(checker, *index);
    else
      assign(checker, *node.target, source->item(TreeBuilder::strong(counter)), node.target->range);
  } else {
    assign(checker, *node.target, {}, node.target->range);
  }
  checker.suite = outer;
  const checked::Suite rest = suite(checker, node.body);
  counting.insert(counting.end(), rest.begin(), rest.end());
  if (source && runs_at_least_once(source->range) && checker.flow.is_reachable) exhausted = checker.flow;
  leave_loop(checker, std::move(exhausted), node.otherwise, result.otherwise);
  const FlowState after = std::exchange(checker.flow, before);
  if (source) {
    result.start = checker.tree.convert(source->range[0], ScalarType::I64);
    result.stop = checker.tree.convert(source->range[1], ScalarType::I64);
    result.step = checker.tree.convert(source->range[2], ScalarType::I64);
    result.body = std::move(counting);
    append(checker, std::move(result), range);
  }
  checker.flow = after;
}

/// Whether the names of the target can be variables that hold every one of the items.
bool all_fit(const FunctionChecker& checker, const ast::Expr& target, const std::vector<Value>& items) {
  if (const auto* name = target.as<ast::Name>()) {
    const std::optional<int> index = local_index(checker, name->id, target.range);
    return index && std::all_of(items.begin(), items.end(), [&](const Value& item) {
             const InferredType& type = checker.locals[static_cast<std::size_t>(*index)].type;
             InferredType joined = type;
             return join_into(joined, inferred_type(item), *checker.rules, checker.types) && joined.type == type.type;
           });
  }
  const std::vector<ast::ExprPtr>* parts = targets_of(target);
  for (std::size_t i = 0; parts && i < parts->size(); ++i) {
    std::vector<Value> column;
    for (const Value& item : items)
      if (item.elements.size() == parts->size()) column.push_back(item.elements[i]);
    if (column.size() != items.size() || !all_fit(checker, *(*parts)[i], column)) return false;
  }
  return true;
}

int count_reads(const ast::Expr& expr, std::string_view name) {
  const auto* read = expr.as<ast::Name>();
  int count = read && read->id == name ? 1 : 0;
  ast::for_each_child(expr, [&](const ast::Expr& child) { count += count_reads(child, name); });
  return count;
}

int count_reads(const ast::Stmt& stmt, std::string_view name) {
  int count = 0;
  ast::for_each_expression(stmt, [&](const ast::Expr& expr) { count += count_reads(expr, name); });
  ast::for_each_nested(stmt, [&](const ast::Stmt& child) { count += count_reads(child, name); });
  return count;
}

int count_reads(const ast::Suite& suite, std::string_view name) {
  int count = 0;
  for (const ast::StmtPtr& stmt : suite) count += count_reads(*stmt, name);
  return count;
}

bool is_read_outside(const FunctionChecker& checker, const ast::For& node) {
  bool is_read = false;
  const std::function<void(const ast::Expr&)> look = [&](const ast::Expr& target) {
    if (const auto* name = target.as<ast::Name>())
      if (const std::optional<int> index = local_index(checker, name->id, target.range))
        is_read |= checker.locals[static_cast<std::size_t>(*index)].decl->reads > count_reads(node.body, name->id);
    if (const std::vector<ast::ExprPtr>* parts = targets_of(target))
      for (const ast::ExprPtr& part : *parts) look(*part);
  };
  look(*node.target);
  return is_read;
}

/// The body once for each item. In it the target stands for the item itself, which may be a constant.
void unrolled_loop(FunctionChecker& checker, const ast::For& node, const std::vector<Value>& turns, SourceRange range) {
  const int bodies_around = std::exchange(checker.unrolled_bodies,
                                          checker.unrolled_bodies * std::max<int>(1, static_cast<int>(turns.size())));
  if (checker.unrolled_bodies > checker.module.limits.unrolled_statements) {
    checker.report(range, DiagnosticId::TooManyTurns, checker.module.limits.unrolled_statements);
    checker.unrolled_bodies = bodies_around;
    return;
  }
  const FlowState before = checker.flow;
  const LocalSet& assigned = assigned_in(checker, node);
  const bool keeps_last = is_read_outside(checker, node) && all_fit(checker, *node.target, turns);
  checker.loops.emplace_back();
  checked::Unrolled result;
  for (const Value& item : turns) {
    const int errors = checker.module.diagnostics(false).error_count();
    checked::Suite turn;
    checked::Suite* const outer = std::exchange(checker.suite, &turn);
    bind_target(checker, *node.target, item, assigned, keeps_last);
    checker.suite = outer;
    const checked::Suite rest = suite(checker, node.body);
    unbind_target(checker, *node.target);
    turn.insert(turn.end(), rest.begin(), rest.end());
    result.turns.push_back(std::move(turn));
    FlowState& continued = checker.loops.back().on_continue;
    checker.flow.meet(continued);
    continued.is_reachable = false;
    if (before.is_reachable && !checker.flow.is_reachable) break;          // nothing runs the others
    if (checker.module.diagnostics(false).error_count() != errors) break;  // the others would repeat them
  }
  checker.unrolled_bodies = bodies_around;
  leave_loop(checker, checker.flow, node.otherwise, result.otherwise);
  const FlowState after = std::exchange(checker.flow, before);
  append(checker, std::move(result), range);
  checker.flow = after;
}

}  // namespace

std::optional<LanguageFunction> language_function_of(FunctionChecker& checker, const ast::Call& call) {
  if (!call.function->as<ast::Name>() && !call.function->as<ast::Attribute>()) return std::nullopt;
  const Entity callee = checker.entity(*call.function);
  const auto* named = std::get_if<LanguageFunctionRef>(&callee);
  return named ? std::optional(named->id) : std::nullopt;
}

std::optional<Iteration> iteration(FunctionChecker& checker, const ast::Expr& iterable) {
  if (const auto* call = iterable.as<ast::Call>()) {
    const std::optional<LanguageFunction> named = language_function_of(checker, *call);
    if (named == LanguageFunction::Range) return over_range(checker, *call, iterable.range);
    if (named == LanguageFunction::Enumerate) return over_enumerate(checker, *call, iterable.range);
    if (named == LanguageFunction::Zip) return over_zip(checker, *call, iterable.range);
    if (named == LanguageFunction::Reversed) return over_reversed(checker, *call, iterable.range);
    if (named == LanguageFunction::NumpyNdIndex) return over_ndindex(checker, *call, iterable.range);
    if (named == LanguageFunction::NumpyNdEnumerate) return over_ndenumerate(checker, *call, iterable.range);
    if (named == LanguageFunction::Unroll) return over_unroll(checker, *call, iterable.range);
  }
  const Entity found = checker.entity(iterable);
  if (std::holds_alternative<Unknown>(found)) return std::nullopt;
  const auto* value = std::get_if<Value>(&found);
  const bool is_table = std::holds_alternative<TableRef>(found);
  if (value && value->is_tuple()) return over_tuple(checker, kept_apart(checker, *value, iterable.range));
  const bool is_array = value && value->is_array() && value->type()->array.rank() > 0;
  if (is_array && !require_length(checker, *value, iterable.range)) return std::nullopt;
  if (is_table || is_array)
    return over_array(checker, kept_apart(checker, to_value(checker, found, iterable.range), iterable.range),
                      iterable.range);
  auto diagnostic = checker.report(iterable.range, DiagnosticId::NotIterable, describe(found));
  diagnostic.note(std::string(kAdvice));
  if (value && value->is_scalar() && is_integer(value->scalar()))
    diagnostic.fix("range(" + std::string(checker.scope.file().text(iterable.range)) + ")");
  return std::nullopt;
}

// ---- loops ----
void check(FunctionChecker& checker, const ast::For& node, const ast::Stmt& stmt) {
  std::optional<Iteration> source = iteration(checker, *node.iterable);
  if (source && source->is_unrolled) return unrolled_loop(checker, node, source->turns, stmt.range);
  counted_loop(checker, node, source ? &*source : nullptr, stmt.range);
}

/// Which variables the body may assign.
const LocalSet& assigned_in(FunctionChecker& checker, const ast::For& node) {
  const auto [entry, is_new] = checker.assigned_in.try_emplace(&node, checker.locals.size());
  if (is_new) mark_assigned(checker, node.body, entry->second);
  return entry->second;
}

/// In the turn of an unrolled loop: the target's names stand for the item, or are assigned it where the body changes
/// them. With `keeps` they are variables too, which hold the last item after the loop.
void bind_target(FunctionChecker& checker, const ast::Expr& target, const Value& item, const LocalSet& assigned,
                 bool keeps) {
  if (const auto* name = target.as<ast::Name>()) {
    const std::optional<int> index = local_index(checker, name->id, target.range);
    if (!index) return;
    const bool changes = assigned.contains(*index);
    if (!checker.is_trial && (changes || keeps)) assign_local(checker, *index, item, target.range);
    if (!changes) checker.locals[static_cast<std::size_t>(*index)].bound = item;
    return;
  }
  const std::vector<ast::ExprPtr>* parts = targets_of(target);
  if (parts && item.is_tuple() && item.type()->elements.size() == parts->size()) {
    const std::vector<Value> items = take_apart(checker, item);
    for (std::size_t i = 0; i < parts->size(); ++i) bind_target(checker, *(*parts)[i], items[i], assigned, keeps);
  } else if (!checker.is_trial) {
    assign(checker, target, item, target.range);
  }
}

void unbind_target(FunctionChecker& checker, const ast::Expr& target) {
  if (const auto* name = target.as<ast::Name>())
    if (const std::optional<int> index = local_index(checker, name->id, target.range))
      checker.locals[static_cast<std::size_t>(*index)].bound.reset();
  if (const std::vector<ast::ExprPtr>* parts = targets_of(target))
    for (const ast::ExprPtr& part : *parts) unbind_target(checker, *part);
}

const std::vector<ast::ExprPtr>* targets_of(const ast::Expr& target) {
  if (const auto* tuple = target.as<ast::Tuple>()) return &tuple->elements;
  if (const auto* list = target.as<ast::List>()) return &list->elements;
  return nullptr;
}

}  // namespace pykc::checker
