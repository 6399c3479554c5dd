// What Python's operators mean for values of every kind: numbers and arrays go to elementwise.h, strings and sequences
// are done here.
#pragma once

#include "frontend/syntax/ast.h"
#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

Outcome<Value> apply_operator(ast::BinaryOp op, const Value& left, const Value& right);
Outcome<Value> apply_operator(ast::UnaryOp op, const Value& operand);
Outcome<Value> compare(ast::CompareOp op, const Value& left, const Value& right);
/// `left op= right`: arrays and lists change where they are; gives the value to bind.
Outcome<Value> apply_in_place(ast::BinaryOp op, const Value& left, const Value& right);

}  // namespace pykc::script
