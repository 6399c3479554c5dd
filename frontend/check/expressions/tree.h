// Makes nodes of the checked tree, and folds what is constant on the way: with the rules of ir/evaluate/evaluate.h, so
// that a constant has the value that the device would compute.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "frontend/check/types/value.h"
#include "frontend/checked/tree.h"

namespace pykc::ir {
enum class Opcode : std::uint8_t;
}

namespace pykc::checker {

/// The number that a Constant of an integer type or bool stands for.
Int128 integer_of(const checked::Expr& constant);
/// The number that a Constant of any type stands for.
double real_of(const checked::Expr& constant);
/// Whether it may be evaluated again, or later, without a difference: a constant, a variable, an extent.
bool is_simple(const checked::Expr& expr);
/// Whether evaluating it may change memory, or takes other threads, so that it may not be left out.
bool has_effects(const checked::Expr& expr);
/// Whether it lies in an array: an element, or a field of one.
bool is_place(const checked::Expr& expr);
/// The element that such a field lies in; an element itself.
const checked::Expr& root_of(const checked::Expr& place);
/// Whether every literal that a weak integer may turn out to be fits the type.
bool literals_fit(const checked::Expr& weak, ScalarType type);

class TreeBuilder {
 public:
  TreeBuilder(checked::TypePool& types, std::deque<checked::Expr>& exprs) : types_(types), exprs_(exprs) {}

  /// Nodes that have been made since the mark was taken go again; nothing may point at them.
  std::size_t mark() const { return exprs_.size(); }
  void release(std::size_t mark) {
    while (exprs_.size() > mark) exprs_.pop_back();
  }

  template <typename Node>
  const checked::Expr* make(checked::Type type, SourceRange range, Node node) {
    exprs_.push_back({type, range, std::move(node)});
    return &exprs_.back();
  }
  template <typename Node>
  const checked::Expr* scalar(ScalarType type, SourceRange range, Node node) {
    return make(checked::Type::of(type), range, std::move(node));
  }

  const checked::Expr* bits(ScalarType type, std::uint64_t bits, SourceRange range);
  const checked::Expr* integer(Int128 value, ScalarType type, SourceRange range);  // wraps
  const checked::Expr* real(double value, ScalarType type, SourceRange range);
  const checked::Expr* boolean(bool value, SourceRange range) { return bits(ScalarType::Bool, value, range); }
  const checked::Expr* zero(checked::Type type, SourceRange range);  // of a scalar or a tuple of scalars

  Value weak_integer(Int128 value, SourceRange range);
  Value weak_real(double value, SourceRange range);
  static Value strong(const checked::Expr* expr) { return {expr, Weak::No, {}}; }
  Value tuple(std::vector<Value> elements, SourceRange range, std::vector<std::string> names = {});
  Value record(const RecordRef& type, std::vector<Value> fields, SourceRange range);
  Value complex(const checked::Expr* real, const checked::Expr* imaginary, Weak weak, SourceRange range);

  const checked::Expr* cast(const checked::Expr* expr, ScalarType to);
  /// The value as one of type `to`; a weak one is made anew from its literals, so that nothing is computed in f64
  /// first.
  const checked::Expr* convert(const Value& value, ScalarType to);

  const checked::Expr* binary(checked::BinaryOp op, const checked::Expr* left, const checked::Expr* right,
                              SourceRange range);
  const checked::Expr* unary(checked::UnaryOp op, const checked::Expr* operand, SourceRange range);
  const checked::Expr* compare(checked::CompareOp op, const checked::Expr* left, const checked::Expr* right,
                               SourceRange range);
  /// Of all operands, from left to right: a balanced tree, so that a long chain does not become a deep one.
  const checked::Expr* logical(bool is_and, std::vector<const checked::Expr*> operands);
  const checked::Expr* logical(bool is_and, const checked::Expr* left, const checked::Expr* right, SourceRange range);
  const checked::Expr* conditional(const checked::Expr* condition, const checked::Expr* then,
                                   const checked::Expr* otherwise);
  const checked::Expr* builtin(BuiltinId id, ScalarType result, std::vector<const checked::Expr*> arguments,
                               SourceRange range);

 private:
  const checked::Expr* retype(const checked::Expr* weak, ScalarType to);
  const checked::Expr* fold(ir::Opcode opcode, ScalarType result, std::initializer_list<const checked::Expr*> operands,
                            SourceRange range);
  checked::TypePool& types_;
  std::deque<checked::Expr>& exprs_;
};

}  // namespace pykc::checker
