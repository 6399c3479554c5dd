// Types of variables. Each is the join of the types of all that is assigned to it, so they depend on each other: a site
// (an assignment, a loop, a return) is evaluated again when a variable that it reads has changed its type. Types only
// ever widen, so this ends; and only dependents are evaluated again, so long functions stay cheap.
//
// A float that only literals have decided stays weak while others may still decide it; what is weak in the end is f64.
#include "frontend/check/types/infer.h"

#include <algorithm>

#include "frontend/check/arrays/index.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/statements/iterate.h"
#include "frontend/check/types/annotation.h"
#include "frontend/check/types/closure.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {
namespace {

/// Where the function calls itself, what it returns decides further types.
void contribute_to_result(FunctionChecker& checker, const InferredType& type) {
  InferredType joined = checker.specialization->result;
  if (!join_into(joined, type, *checker.rules, checker.types) || joined == checker.specialization->result) return;
  checker.specialization->result = std::move(joined);
  checker.pending.insert(checker.specialization->result_readers.begin(), checker.specialization->result_readers.end());
}

void widen(FunctionChecker& checker, Local& local, InferredType type) {
  if (type == local.type) return;
  local.type = std::move(type);
  checker.pending.insert(local.readers.begin(), local.readers.end());
}

void contribute_to(FunctionChecker& checker, int index, const InferredType& type) {
  Local& local = checker.locals[static_cast<std::size_t>(index)];
  if (local.is_fixed) return;
  InferredType joined = local.type;
  if (join_into(joined, type, *checker.rules, checker.types)) widen(checker, local, std::move(joined));
}

/// A variable that is given nothing but elements of arrays can stand for them; one that is given other records, too,
/// holds a copy.
void contribute_record(FunctionChecker& checker, int index, const Value& given) {
  Specialization& specialization = *checker.specialization;
  Local& local = checker.locals[static_cast<std::size_t>(index)];
  if (is_record_of_array(given) && !specialization.copied_records.contains(index) &&
      may_refer_to_record(checker, index, given.type()->record)) {
    InferredType joined = local.type;
    if (join_into(joined, inferred_type(reference_to(checker, given, given.range())), *checker.rules, checker.types)) {
      specialization.record_references.insert(index);
      return widen(checker, local, std::move(joined));
    }
  }
  const bool was_reference = specialization.record_references.erase(index) != 0;
  if (was_reference || shares_record(*given.expr)) specialization.copied_records.insert(index);
  if (was_reference) return widen(checker, local, inferred_type(given));
  contribute_to(checker, index, inferred_type(given));
}

void contribute(FunctionChecker& checker, const ast::Expr& target, const Value& given) {
  if (const auto* starred = target.as<ast::Starred>()) return contribute(checker, *starred->value, given);
  if (const auto* name = target.as<ast::Name>()) {
    const std::optional<int> index = local_index(checker, name->id, target.range);
    if (!index) return;
    if (given.is_record()) return contribute_record(checker, *index, given);
    return contribute_to(checker, *index, inferred_type(given));
  }
  const std::vector<ast::ExprPtr>* targets = targets_of(target);
  if (!targets || !(given.is_tuple() || given.is_array())) return;
  const std::optional<std::vector<Value>> parts = parts_for(checker, *targets, given);
  for (std::size_t i = 0; parts && i < targets->size(); ++i) contribute(checker, *(*targets)[i], (*parts)[i]);
}

/// Notes where a result is no new record, as who calls the function may not change the fields of such a one.
void note_shared_records(FunctionChecker& checker, const ast::Expr& result, const Value& given) {
  Specialization& specialization = *checker.specialization;
  const auto* tuple = result.as<ast::Tuple>();
  if (tuple && given.is_tuple()) {
    const std::vector<Value> parts = take_apart(checker, given);
    for (std::size_t i = 0; i < std::min(parts.size(), tuple->elements.size()); ++i)
      note_shared_records(checker, *tuple->elements[i], parts[i]);
    return;
  }
  if (!given.known() || !(given.is_record() || given.is_tuple())) return;
  const auto* name = result.as<ast::Name>();
  const std::optional<int> index = name ? local_index(checker, name->id, result.range) : std::nullopt;
  if (!index)
    specialization.gives_shared_record |= shares_record(*given.expr);
  else if (checker.locals[static_cast<std::size_t>(*index)].decl->is_parameter)
    specialization.given_parameters.insert(*index);
  else
    specialization.gives_shared_record |=
        specialization.record_references.contains(*index) || specialization.copied_records.contains(*index);
}

/// What the target of a loop may be.
void contribute_items(FunctionChecker& checker, const ast::For& loop) {
  const std::optional<Iteration> source = iteration(checker, *loop.iterable);
  if (!source) return;
  const checked::Type number = checked::Type::of(ScalarType::I64);
  const Expr* counter = checker.tree.make(number, loop.target->range, checked::VariableRef{nullptr});
  if (!source->is_unrolled) contribute(checker, *loop.target, source->item(TreeBuilder::strong(counter)));
  for (const Value& item : source->turns) contribute(checker, *loop.target, item);
}

void infer_site(FunctionChecker& checker, const ast::Stmt& stmt) {
  if (const auto* node = stmt.as<ast::Assign>()) {
    const Value given = checker.value(*node->value);
    for (const ast::ExprPtr& target : node->targets) {
      contribute(checker, *target, given);
      note_numbers(checker, *target, given);
    }
  } else if (const auto* node = stmt.as<ast::AnnotatedAssign>()) {
    if (node->value) contribute(checker, *node->target, checker.value(*node->value));
  } else if (const auto* node = stmt.as<ast::AugmentedAssign>()) {
    if (node->target->as<ast::Name>())
      contribute(checker, *node->target,
                 binary(checker, node->op, checker.value(*node->target), checker.value(*node->value), stmt.range));
  } else if (const auto* node = stmt.as<ast::For>()) {
    contribute_items(checker, *node);
  } else if (const auto* node = stmt.as<ast::Return>()) {
    if (!node->value || node->value->as<ast::NoneLiteral>()) return;
    checker.returns_value = true;
    const Value given = checker.value(*node->value);
    note_shared_records(checker, *node->value, given);
    if (!checker.function->result_type) contribute_to_result(checker, inferred_type(given));
  }
}

/// Where nothing is known of the condition yet, the site comes again when there is; but one behind the `if` may be what
/// the condition waits for.
void under_condition(FunctionChecker& checker, int number, const ast::Expr& test, const std::function<void()>& run) {
  const Guard& guard = checker.function->locals.guards[static_cast<std::size_t>(number)];
  const Expr* known = condition(checker, test);
  if (!known && !guard.is_behind) return;
  const auto* constant = known ? known->as<checked::Constant>() : nullptr;
  if (!constant && checker.unrolled_bodies == 1) checker.plain_guards.insert(number);
  if (!constant || (constant->bits == 0) == guard.is_otherwise) run();
}

void under_loop(FunctionChecker& checker, int number, const ast::For& loop, const std::function<void()>& run) {
  const auto* call = loop.iterable->as<ast::Call>();
  const bool is_range = call && language_function_of(checker, *call) == LanguageFunction::Range;
  const std::optional<Iteration> source = is_range ? std::nullopt : iteration(checker, *loop.iterable);
  if (is_range || (source && !source->is_unrolled)) {
    if (checker.unrolled_bodies == 1) checker.plain_guards.insert(number);
    return run();
  }
  if (!source) return;
  const int bodies_around = checker.unrolled_bodies;
  checker.unrolled_bodies *= std::max<int>(2, static_cast<int>(source->turns.size()));
  for (const Value& item : source->turns) {
    if (checker.unrolled_bodies > checker.module.limits.unrolled_statements) break;  // it will be reported
    bind_target(checker, *loop.target, item, assigned_in(checker, loop), false);
    run();
  }
  unbind_target(checker, *loop.target);
  checker.unrolled_bodies = bodies_around;
}

/// Runs `run` once for each way in which the statement is compiled: not at all in the side of an `if` that a constant
/// leaves out, once for each item of an unrolled loop around it.
void under_guards(FunctionChecker& checker, int number, const std::function<void()>& run) {
  if (number < 0) return run();
  const Guard& guard = checker.function->locals.guards[static_cast<std::size_t>(number)];
  under_guards(checker, guard.outer, [&] {
    if (checker.plain_guards.contains(number)) return run();
    const auto* branch = guard.stmt->as<ast::If>();
    branch ? under_condition(checker, number, *branch->condition, run)
           : under_loop(checker, number, *guard.stmt->as<ast::For>(), run);
  });
}

void run_pending(FunctionChecker& checker) {
  while (!checker.pending.empty()) {
    checker.site = *checker.pending.begin();
    checker.pending.erase(checker.pending.begin());
    const std::size_t mark = checker.module.scratch.size();
    const Site& site = checker.function->locals.sites[static_cast<std::size_t>(checker.site)];
    under_guards(checker, site.guard, [&] { infer_site(checker, *site.stmt); });
    checker.module.release_scratch(mark);
  }
  checker.site = -1;
}

}  // namespace

void declare_locals(FunctionChecker& checker) {
  read_types(checker.module, *checker.function);
  const LocalTable& table = checker.function->locals;
  checker.locals.resize(table.list.size());
  for (std::size_t i = 0; i < checker.locals.size(); ++i) {
    Local& local = checker.locals[i];
    local.decl = &table.list[i];
    if (!checker.is_trial) local.type = checker.specialization->locals[i];
    if (local.decl->is_parameter) {
      if (checker.is_trial) local.type = checker.specialization->arguments[i];
      local.bound = constant_parameter(checker, checker.specialization->arguments[i].type);
      const bool is_stated =
          checker.rules->has_weak_literals || local.decl->annotation;  // not by Numba's signature alone
      local.is_fixed = is_stated && checker.function->parameter_types[i].has_value() &&
                       !checker.function->parameter_types[i]->is_array();
    } else if (local.decl->annotation) {
      // Types are names of the module: a variable of the same name does not hide them.
      FunctionChecker for_type(checker.module, checker.scope);
      const std::optional<checked::Type> stated = annotation(for_type, *local.decl->annotation);
      checker.specialization->mentions_double |= stated == checked::Type::of(ScalarType::F64);
      local.is_fixed = stated && !stated->is_array();
      if (local.is_fixed && checker.is_trial) local.type = InferredType::of(*stated);
    }
  }
}

void infer(FunctionChecker& checker) {
  declare_locals(checker);
  InferredType& result = checker.specialization->result;
  if (checker.function->result_type) result = InferredType::of(*checker.function->result_type);
  for (std::size_t i = 0; i < checker.function->locals.sites.size(); ++i) checker.pending.insert(static_cast<int>(i));
  run_pending(checker);
  for (Local& local : checker.locals) {
    if (local.decl->is_parameter && local.decl->assignments == 0) continue;
    InferredType settled = local.type;
    settle(settled);
    if (settled == local.type) continue;
    local.type = std::move(settled);
    checker.pending.insert(local.readers.begin(), local.readers.end());
  }
  run_pending(checker);
  if (!checker.returns_value && !checker.function->result_type) result = InferredType::of(checked::Type::none());
  if (result.type.is_tuple()) settle(result);
  for (Local& local : checker.locals) checker.specialization->locals.push_back(local.type);
}

}  // namespace pykc::checker
