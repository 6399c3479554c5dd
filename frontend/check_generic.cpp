// A kernel without types cannot be checked until somebody asks for it with types. What can be said before: whether the
// names that it uses exist, and whether it uses syntax that kernels have not.
#include "frontend/ast_walk.h"
#include "frontend/check_body.h"

namespace pykc::checker {

void Body::check_names(const FunctionDecl& function) {
  for (const ast::StmtPtr& stmt : function.def->body) check_names(*stmt);
}

void Body::check_names(const ast::Stmt& stmt) {
  if (const auto* unsupported = stmt.as<ast::UnsupportedStmt>()) check(*unsupported, stmt);
  if (const auto* with = stmt.as<ast::With>()) check(*with, stmt);
  if (const auto* type = stmt.as<ast::ClassDef>()) check(*type, stmt);
  ast::for_each_expression(stmt, [&](const ast::Expr& expr) { check_names(expr); });
  ast::for_each_nested(stmt, [&](const ast::Stmt& child) { check_names(child); });
}

void Body::check_names(const ast::Expr& expr) {
  if (expr.as<ast::Lambda>()) return;  // its names are those of a function of its own
  if (const auto* other = expr.as<ast::Unsupported>()) {
    check(*other, expr);
  } else if (const auto* comprehension = expr.as<ast::Comprehension>()) {
    check(*comprehension, expr);
  } else if (expr.as<ast::Name>() || expr.as<ast::Attribute>()) {
    static_entity(expr);
  } else {
    ast::for_each_child(expr, [&](const ast::Expr& child) { check_names(child); });
  }
}

/// What a dotted name stands for, where that depends on no variable; Unknown otherwise.
Entity Body::static_entity(const ast::Expr& expr) {
  if (const auto* name = expr.as<ast::Name>())
    return local_index(name->id) ? Entity(Unknown{}) : resolve(name->id, expr.range);
  const auto* attribute = expr.as<ast::Attribute>();
  if (!attribute) {
    check_names(expr);
    return Unknown{};
  }
  const Entity base = static_entity(*attribute->value);
  const auto* space = std::get_if<NamespaceRef>(&base);
  return space ? member(*space, attribute->name, attribute->name_range) : Entity(Unknown{});
}

}  // namespace pykc::checker
