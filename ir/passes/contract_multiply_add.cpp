// Which products and sums become one fma is decided here, for every target alike, and nowhere later: a back end that
// picked its own pairs would round differently from the other one. The rule, for f32 and f64:
//
//   a * b + c and c + a * b   become fma(a, b, c)
//   a * b - c                 becomes fma(a, b, -c)
//   c - a * b                 becomes fma(-a, b, c)
//
// where the product is used here and nowhere else, so that it vanishes: with a second use, `p - p` could stop being 0,
// and the multiplication would be done twice. If both sides are products, the left one is taken, and the right one is
// multiplied and rounded first. A cast or a bare negation between the product and the sum stops it, as the source shows
// two roundings there. Negation is exact, so each form is rounded exactly once.
//
// The product may stand in an outer block; it moves to its sum, which is right because values never change.
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

class Contraction {
 public:
  explicit Contraction(Function& function) : function_(function) {}

  void run() {
    for_each_instruction(function_.body, [&](const Instruction* instruction) {
      for (const Instruction* operand : instruction->operands) ++uses_[operand];
    });
    contract(function_.body);
    if (!contracted_.empty()) remove_products(function_.body);
  }

 private:
  void contract(Block& block) {
    std::vector<Instruction*> result;
    result.reserve(block.instructions.size());
    for (Instruction* instruction : block.instructions) {
      for (Block& nested : instruction->blocks) contract(nested);
      if (instruction->opcode == Opcode::Add) contract_sum(instruction);
      if (instruction->opcode == Opcode::Sub) contract_difference(instruction, result);
      result.push_back(instruction);
    }
    block.instructions = std::move(result);
  }

  bool is_lone_product(const Instruction* value) const {
    if (value->opcode != Opcode::Mul || uses_.at(value) != 1) return false;
    return value->type.is(ScalarType::F32) || value->type.is(ScalarType::F64);
  }

  void contract_sum(Instruction* sum) {
    Instruction* const left = sum->operands[0];
    Instruction* const right = sum->operands[1];
    if (is_lone_product(left)) {
      become_fma(sum, left, left->operands[0], right);
    } else if (is_lone_product(right)) {
      become_fma(sum, right, right->operands[0], left);
    }
  }

  void contract_difference(Instruction* difference, std::vector<Instruction*>& before) {
    Instruction* const left = difference->operands[0];
    Instruction* const right = difference->operands[1];
    if (is_lone_product(left)) {
      become_fma(difference, left, left->operands[0], negated(right, difference, before));
    } else if (is_lone_product(right)) {
      become_fma(difference, right, negated(right->operands[0], difference, before), left);
    }
  }

  Instruction* negated(Instruction* value, const Instruction* place, std::vector<Instruction*>& before) {
    Instruction* negation = function_.create(Opcode::Neg, value->type, place->range);
    negation->operands = {value};
    before.push_back(negation);
    return negation;
  }

  void become_fma(Instruction* sum, Instruction* product, Instruction* factor, Instruction* addend) {
    sum->opcode = Opcode::Fma;
    sum->operands = {factor, product->operands[1], addend};
    contracted_.insert(product);
  }

  void remove_products(Block& block) {
    std::erase_if(block.instructions, [&](const Instruction* value) { return contracted_.contains(value); });
    for (Instruction* instruction : block.instructions) {
      for (Block& nested : instruction->blocks) remove_products(nested);
    }
  }

  Function& function_;
  std::unordered_map<const Instruction*, int> uses_;
  std::unordered_set<const Instruction*> contracted_;
};

}  // namespace

void contract_multiply_add(Function& function) {
  if (function.contract) Contraction(function).run();
}

}  // namespace pykc::ir
