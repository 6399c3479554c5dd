// Types of variables. Each is the join of the types of all that is assigned to it, so they depend on each other: a site
// (an assignment, a loop, a return) is evaluated again when a variable that it reads has changed its type. Types only
// ever widen, so this ends; and only dependents are evaluated again, so long functions stay cheap.
//
// A float that only literals have decided stays weak while others may still decide it; what is weak in the end is f64.
#include <algorithm>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

void Body::declare_locals() {
  session_.read_types(*function_);
  const LocalTable& table = function_->locals;
  locals_.resize(table.list.size());
  for (std::size_t i = 0; i < locals_.size(); ++i) {
    Local& local = locals_[i];
    local.decl = &table.list[i];
    if (!is_trial_) local.type = specialization_->locals[i];
    if (local.decl->is_parameter) {
      if (is_trial_) local.type = specialization_->arguments[i];
      local.bound = constant_parameter(specialization_->arguments[i].type);
      const bool is_stated = rules_->has_weak_literals || local.decl->annotation;  // not by Numba's signature alone
      local.is_fixed =
          is_stated && function_->parameter_types[i].has_value() && !function_->parameter_types[i]->is_array();
    } else if (local.decl->annotation) {
      // Types are names of the module: a variable of the same name does not hide them.
      const std::optional<checked::Type> stated = Body(session_, scope_).annotation(*local.decl->annotation);
      specialization_->mentions_double |= stated == checked::Type::of(ScalarType::F64);
      local.is_fixed = stated && !stated->is_array();
      if (local.is_fixed && is_trial_) local.type = InferredType::of(*stated);
    }
  }
}

void Body::infer() {
  declare_locals();
  InferredType& result = specialization_->result;
  if (function_->result_type) result = InferredType::of(*function_->result_type);
  for (std::size_t i = 0; i < function_->locals.sites.size(); ++i) pending_.insert(static_cast<int>(i));
  run_pending();
  for (Local& local : locals_) {
    if (local.decl->is_parameter && local.decl->assignments == 0) continue;
    InferredType settled = local.type;
    settle(settled);
    if (settled == local.type) continue;
    local.type = std::move(settled);
    pending_.insert(local.readers.begin(), local.readers.end());
  }
  run_pending();
  if (!returns_value_ && !function_->result_type) result = InferredType::of(checked::Type::none());
  if (result.type.is_tuple()) settle(result);
  for (Local& local : locals_) specialization_->locals.push_back(local.type);
}

/// Where the function calls itself, what it returns decides further types.
void Body::contribute_to_result(const InferredType& type) {
  InferredType joined = specialization_->result;
  if (!join_into(joined, type, *rules_) || joined == specialization_->result) return;
  specialization_->result = std::move(joined);
  pending_.insert(specialization_->result_readers.begin(), specialization_->result_readers.end());
}

void Body::run_pending() {
  while (!pending_.empty()) {
    site_ = *pending_.begin();
    pending_.erase(pending_.begin());
    const std::size_t mark = session_.scratch().size();
    const Site& site = function_->locals.sites[static_cast<std::size_t>(site_)];
    under_guards(site.guard, [&] { infer_site(*site.stmt); });
    session_.release_scratch(mark);
  }
  site_ = -1;
}

void Body::infer_site(const ast::Stmt& stmt) {
  if (const auto* node = stmt.as<ast::Assign>()) {
    const Value given = value(*node->value);
    for (const ast::ExprPtr& target : node->targets) contribute(*target, given);
  } else if (const auto* node = stmt.as<ast::AnnotatedAssign>()) {
    if (node->value) contribute(*node->target, value(*node->value));
  } else if (const auto* node = stmt.as<ast::AugmentedAssign>()) {
    if (node->target->as<ast::Name>())
      contribute(*node->target, binary(node->op, value(*node->target), value(*node->value), stmt.range));
  } else if (const auto* node = stmt.as<ast::For>()) {
    contribute_items(*node);
  } else if (const auto* node = stmt.as<ast::Return>()) {
    if (!node->value || node->value->as<ast::NoneLiteral>()) return;
    returns_value_ = true;
    const Value given = value(*node->value);
    if (!function_->result_type) contribute_to_result(inferred_type(given));
  }
}

/// Runs `run` once for each way in which the statement is compiled: not at all in the side of an `if` that a constant
/// leaves out, once for each item of an unrolled loop around it.
void Body::under_guards(int number, const std::function<void()>& run) {
  if (number < 0) return run();
  const Guard& guard = function_->locals.guards[static_cast<std::size_t>(number)];
  under_guards(guard.outer, [&] {
    if (plain_guards_.contains(number)) return run();
    const auto* branch = guard.stmt->as<ast::If>();
    branch ? under_condition(number, *branch->condition, run) : under_loop(number, *guard.stmt->as<ast::For>(), run);
  });
}

/// Where nothing is known of the condition yet, the site comes again when there is.
void Body::under_condition(int number, const ast::Expr& test, const std::function<void()>& run) {
  const Expr* known = condition(test);
  if (!known) return;
  const auto* constant = known->as<checked::Constant>();
  const bool is_otherwise = function_->locals.guards[static_cast<std::size_t>(number)].is_otherwise;
  if (!constant && unrolled_bodies_ == 1) plain_guards_.insert(number);
  if (!constant || (constant->bits == 0) == is_otherwise) run();
}

void Body::under_loop(int number, const ast::For& loop, const std::function<void()>& run) {
  const auto* call = loop.iterable->as<ast::Call>();
  const bool is_range = call && special_of(*call) == Special::Range;
  const std::optional<Iteration> source = is_range ? std::nullopt : iteration(*loop.iterable);
  if (is_range || (source && !source->is_unrolled)) {
    if (unrolled_bodies_ == 1) plain_guards_.insert(number);
    return run();
  }
  if (!source) return;
  const int bodies_around = unrolled_bodies_;
  unrolled_bodies_ *= std::max<int>(2, static_cast<int>(source->turns.size()));
  for (const Value& item : source->turns) {
    if (unrolled_bodies_ > kMostUnrolledBodies) break;  // it will be reported
    bind_target(*loop.target, item, assigned_in(loop), false);
    run();
  }
  unbind_target(*loop.target);
  unrolled_bodies_ = bodies_around;
}

/// What the target of a loop may be.
void Body::contribute_items(const ast::For& loop) {
  const std::optional<Iteration> source = iteration(*loop.iterable);
  if (!source) return;
  const checked::Type number = checked::Type::of(ScalarType::I64);
  const Expr* counter = tree_.make(number, loop.target->range, checked::VariableRef{nullptr});
  if (!source->is_unrolled) contribute(*loop.target, source->item(TreeBuilder::strong(counter)));
  for (const Value& item : source->turns) contribute(*loop.target, item);
}

void Body::contribute(const ast::Expr& target, const Value& given) {
  if (const auto* starred = target.as<ast::Starred>()) return contribute(*starred->value, given);
  if (const auto* name = target.as<ast::Name>()) {
    const std::optional<int> index = local_index(name->id, target.range);
    if (index && given.is_record() && shares_record(*given.expr)) specialization_->copied_records.insert(*index);
    if (index) contribute_to(*index, inferred_type(given));
    return;
  }
  const std::vector<ast::ExprPtr>* targets = targets_of(target);
  if (!targets || !given.is_tuple()) return;
  const std::optional<std::vector<Value>> parts = parts_for(*targets, given);
  for (std::size_t i = 0; parts && i < targets->size(); ++i) contribute(*(*targets)[i], (*parts)[i]);
}

void Body::contribute_to(int index, const InferredType& type) {
  Local& local = locals_[static_cast<std::size_t>(index)];
  if (local.is_fixed) return;
  InferredType joined = local.type;
  if (!join_into(joined, type, *rules_) || joined == local.type) return;
  local.type = std::move(joined);
  pending_.insert(local.readers.begin(), local.readers.end());
}

}  // namespace pykc::checker
