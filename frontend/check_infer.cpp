// Types of variables. Each is the join of the types of all that is assigned to it, so they depend on each other: a site
// (an assignment, a loop, a return) is evaluated again when a variable that it reads has changed its type. Types only
// ever widen, so this ends; and only dependents are evaluated again, so long functions stay cheap.
//
// A float that only literals have decided stays weak while others may still decide it; what is weak in the end is f64.
#include "frontend/check_body.h"

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
      local.is_fixed = function_->parameter_types[i].has_value();
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

void Body::run_pending() {
  while (!pending_.empty()) {
    site_ = *pending_.begin();
    pending_.erase(pending_.begin());
    const std::size_t mark = session_.scratch().size();
    infer_site(*function_->locals.sites[static_cast<std::size_t>(site_)]);
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
    contribute(*node->target, TreeBuilder::strong(tree_.integer(0, ScalarType::I64, stmt.range)));
  } else if (const auto* node = stmt.as<ast::Return>()) {
    if (!node->value || node->value->as<ast::NoneLiteral>()) return;
    returns_value_ = true;
    const Value given = value(*node->value);
    if (!function_->result_type) join_into(specialization_->result, inferred_type(given));
  }
}

void Body::contribute(const ast::Expr& target, const Value& given) {
  if (const auto* name = target.as<ast::Name>()) {
    if (const std::optional<int> index = local_index(name->id)) contribute_to(*index, inferred_type(given));
    return;
  }
  const auto* tuple = target.as<ast::Tuple>();
  const auto* list = target.as<ast::List>();
  if ((!tuple && !list) || !given.is_tuple()) return;
  const std::vector<ast::ExprPtr>& targets = tuple ? tuple->elements : list->elements;
  const std::vector<Value> parts = take_apart(given);
  for (std::size_t i = 0; i < targets.size() && i < parts.size(); ++i) contribute(*targets[i], parts[i]);
}

void Body::contribute_to(int index, const InferredType& type) {
  Local& local = locals_[static_cast<std::size_t>(index)];
  if (local.is_fixed) return;
  InferredType joined = local.type;
  if (!join_into(joined, type) || joined == local.type) return;
  local.type = std::move(joined);
  pending_.insert(local.readers.begin(), local.readers.end());
}

}  // namespace pykc::checker
