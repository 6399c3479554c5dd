// One walk forward, which meets every value before its uses, and one backward, which meets every use before its value.
//
// Forward: operands are replaced by what they turned out to be, instructions on constants become constants, identities
// become the operand that they give back, a comparison that the ranges of its operands decide becomes a constant. A
// branch on a constant becomes the branch taken, a region that is left at its end in its first turn becomes its body,
// and what stands behind a jump goes. Jumps are counted as they are kept, so that a region knows its own when its
// body has been walked.
//
// Backward: instructions that only give a value are kept where a kept instruction uses it; branches left empty go.
//
// Floats: only identities that hold for every number, zeros and infinities included (x + 0.0 is not one: it makes +0
// of -0). Both walks are linear; the ranges look a bounded depth into the operands.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/float_bits.h"
#include "ir/analysis/control_flow.h"
#include "ir/analysis/value_range.h"
#include "ir/evaluate/evaluate.h"
#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

using Instructions = std::vector<Instruction*>;

enum class Side : std::uint8_t { Right, Either };
enum class Gives : std::uint8_t { OtherOperand, TheConstant };

/// `opcode` with `constant` on `side` gives one of its operands.
struct Identity {
  Opcode opcode;
  bool is_float;
  Side side;
  double constant;  // -1 for integers: all bits
  Gives gives;
};

constexpr Identity kIdentities[] = {
    {Opcode::Add, false, Side::Either, 0, Gives::OtherOperand},
    {Opcode::Sub, false, Side::Right, 0, Gives::OtherOperand},
    {Opcode::Mul, false, Side::Either, 1, Gives::OtherOperand},
    {Opcode::Mul, false, Side::Either, 0, Gives::TheConstant},
    {Opcode::FloorDiv, false, Side::Right, 1, Gives::OtherOperand},
    {Opcode::And, false, Side::Either, -1, Gives::OtherOperand},
    {Opcode::And, false, Side::Either, 0, Gives::TheConstant},
    {Opcode::Or, false, Side::Either, 0, Gives::OtherOperand},
    {Opcode::Or, false, Side::Either, -1, Gives::TheConstant},
    {Opcode::Xor, false, Side::Either, 0, Gives::OtherOperand},
    {Opcode::Shl, false, Side::Right, 0, Gives::OtherOperand},
    {Opcode::Shr, false, Side::Right, 0, Gives::OtherOperand},
    {Opcode::ElementPointer, false, Side::Right, 0, Gives::OtherOperand},
    {Opcode::Add, true, Side::Either, -0.0, Gives::OtherOperand},
    {Opcode::Sub, true, Side::Right, 0.0, Gives::OtherOperand},
    {Opcode::Mul, true, Side::Either, 1, Gives::OtherOperand},
    {Opcode::Div, true, Side::Right, 1, Gives::OtherOperand},
};

bool is_constant(const Instruction* value) { return value->opcode == Opcode::Constant; }

bool is_constant_of(const Instruction* value, const Identity& identity) {
  if (!is_constant(value) || is_float(value->type.scalar) != identity.is_float) return false;
  const ScalarType type = value->type.scalar;
  const std::uint64_t bits =
      identity.is_float ? float_to_bits(type, identity.constant)
                        : wrap_into(type, static_cast<std::uint64_t>(static_cast<std::int64_t>(identity.constant)));
  return value->constant == bits;
}

/// Whether two instructions surely give the same value. Parameters are read anew at each use.
bool are_same(const Instruction* a, const Instruction* b) {
  return a == b || (a->opcode == Opcode::Parameter && b->opcode == Opcode::Parameter && a->index == b->index);
}

/// Whether an instruction is there for its value alone.
bool only_gives_value(const Instruction* instruction) {
  if (instruction->opcode == Opcode::Builtin) {
    const Effect effect = info(instruction->builtin).effect;
    return effect == Effect::Pure || effect == Effect::Thread || effect == Effect::Block;
  }
  const OpcodeEffect effect = info(instruction->opcode).effect;
  return effect == OpcodeEffect::Pure || effect == OpcodeEffect::Read;
}

class Folding {
 public:
  explicit Folding(const Function& function) : function_(function) {}

  void fold(Block& block) {
    const Instructions source = std::move(block.instructions);
    block.instructions.clear();
    append(source, block.instructions);
  }

 private:
  /// Folds `source` to the end of `kept`, up to the first jump.
  void append(const Instructions& source, Instructions& kept) {
    for (Instruction* instruction : source) {
      for (Instruction*& operand : instruction->operands) operand = replacement_of(operand);
      visit(instruction, kept);
      if (!kept.empty() && is_terminator(kept.back()->opcode)) return;
    }
  }

  void visit(Instruction* instruction, Instructions& kept) {
    switch (instruction->opcode) {
      case Opcode::If:
        return visit_if(instruction, kept);
      case Opcode::Loop:
      case Opcode::Scope:
        return visit_region(instruction, kept);
      case Opcode::ThreadLoop:
        fold(instruction->blocks[0]);
        break;
      case Opcode::Break:
      case Opcode::Continue:
        ++jumps_[instruction->target];
        break;
      case Opcode::Assume:
        if (is_constant(instruction->operands[0]) && instruction->operands[0]->constant != 0) return;
        break;
      default:
        Instruction* value = simplified(instruction);
        if (value != instruction) {
          replacements_[instruction] = value;
          return;
        }
    }
    kept.push_back(instruction);
  }

  void visit_if(Instruction* branch, Instructions& kept) {
    const Instruction* condition = branch->operands[0];
    if (is_constant(condition)) return append(branch->blocks[condition->constant != 0 ? 0 : 1].instructions, kept);
    for (Block& block : branch->blocks) fold(block);
    kept.push_back(branch);
  }

  void visit_region(Instruction* region, Instructions& kept) {
    for (Block& block : region->blocks) fold(block);
    if (!runs_once(region)) {
      kept.push_back(region);
      return;
    }
    Instructions& body = region->blocks[0].instructions;
    if (ends_in_break_of(region)) body.pop_back();
    kept.insert(kept.end(), body.begin(), body.end());
  }

  static bool ends_in_break_of(const Instruction* region) {
    const Instructions& body = region->blocks[0].instructions;
    return !body.empty() && body.back()->opcode == Opcode::Break && body.back()->target == region;
  }

  /// Whether the region is its body: no jump goes to it but one at the very end, and a loop cannot come round.
  bool runs_once(const Instruction* region) {
    const Instructions& body = region->blocks[0].instructions;
    const bool is_left = !body.empty() && is_terminator(body.back()->opcode);
    if (region->opcode == Opcode::Loop && !is_left) return false;
    return jumps_[region] == (ends_in_break_of(region) ? 1 : 0);
  }

  /// The instruction, made a constant where it is one, or the earlier value that it equals.
  Instruction* simplified(Instruction* instruction) {
    if (fold_on_constants(instruction)) return instruction;
    switch (instruction->opcode) {
      case Opcode::Select:
        return simplified_select(instruction);
      case Opcode::Cast:
        return instruction->operands[0]->type == instruction->type ? instruction->operands[0] : instruction;
      case Opcode::Not:
      case Opcode::Neg:
        return without_double(instruction);
      case Opcode::Eq:
      case Opcode::Ne:
      case Opcode::Lt:
      case Opcode::Le:
      case Opcode::Gt:
      case Opcode::Ge:
        decide_by_range(instruction);
        return instruction;
      default:
        return simplified_binary(instruction);
    }
  }

  static void become_constant(Instruction* instruction, std::uint64_t bits) {
    instruction->opcode = Opcode::Constant;
    instruction->constant = bits;
    instruction->operands.clear();
    instruction->no_wrap = false;
  }

  static bool fold_on_constants(Instruction* instruction) {
    if (!is_pure(instruction) || !instruction->type.is_scalar()) return false;
    std::vector<Scalar> operands;
    for (const Instruction* operand : instruction->operands) {
      if (!is_constant(operand)) return false;
      operands.push_back({operand->type.scalar, operand->constant});
    }
    const std::optional<std::uint64_t> bits = instruction->opcode == Opcode::Builtin
                                                  ? evaluate(instruction->builtin, operands)
                                                  : evaluate(instruction->opcode, instruction->type.scalar, operands);
    if (bits) become_constant(instruction, *bits);
    return bits.has_value();
  }

  static Instruction* simplified_select(Instruction* select) {
    Instruction* const condition = select->operands[0];
    if (is_constant(condition)) return select->operands[condition->constant != 0 ? 1 : 2];
    return are_same(select->operands[1], select->operands[2]) ? select->operands[1] : select;
  }

  /// not not x and - - x are x.
  static Instruction* without_double(Instruction* outer) {
    const Instruction* inner = outer->operands[0];
    return inner->opcode == outer->opcode ? inner->operands[0] : outer;
  }

  static Instruction* simplified_binary(Instruction* instruction) {
    if (instruction->operands.size() != 2) return instruction;
    Instruction* const left = instruction->operands[0];
    Instruction* const right = instruction->operands[1];
    for (const Identity& identity : kIdentities) {
      if (identity.opcode != instruction->opcode) continue;
      const bool gives_other = identity.gives == Gives::OtherOperand;
      if (is_constant_of(right, identity)) return gives_other ? left : right;
      if (identity.side == Side::Either && is_constant_of(left, identity)) return gives_other ? right : left;
    }
    return are_same(left, right) ? simplified_on_equal(instruction) : instruction;
  }

  /// x op x.
  static Instruction* simplified_on_equal(Instruction* instruction) {
    const bool is_exact = instruction->type.is_scalar() && !is_float(instruction->type.scalar);
    switch (instruction->opcode) {
      case Opcode::And:
      case Opcode::Or:
        return instruction->operands[0];
      case Opcode::Sub:
      case Opcode::Xor:
        if (is_exact) become_constant(instruction, 0);
        return instruction;
      default:
        return instruction;
    }
  }

  /// Comparisons with a constant: `blockDim.x > 0`, or `threadIdx.x < 0` where a negative index would wrap.
  void decide_by_range(Instruction* comparison) {
    const Instruction* left = comparison->operands[0];
    const Instruction* right = comparison->operands[1];
    if (!left->type.is_scalar() || !is_integer(left->type.scalar)) return;
    if (!is_constant(left) && !is_constant(right)) return;
    const std::optional<bool> holds = decide_by_ranges(comparison, function_);
    if (holds) become_constant(comparison, *holds);
  }

  Instruction* replacement_of(Instruction* value) const {
    const auto found = replacements_.find(value);
    return found == replacements_.end() ? value : found->second;
  }

  const Function& function_;
  std::unordered_map<const Instruction*, Instruction*> replacements_;
  std::unordered_map<const Instruction*, int> jumps_;  // kept Breaks and Continues to a region
};

class Sweep {
 public:
  void sweep(Block& block) {
    Instructions& instructions = block.instructions;
    for (auto place = instructions.rbegin(); place != instructions.rend(); ++place) {
      if (is_needed(*place)) {
        used_.insert((*place)->operands.begin(), (*place)->operands.end());
      } else {
        *place = nullptr;
      }
    }
    std::erase(instructions, nullptr);
  }

 private:
  bool is_needed(Instruction* instruction) {
    for (auto block = instruction->blocks.rbegin(); block != instruction->blocks.rend(); ++block) sweep(*block);
    switch (instruction->opcode) {
      case Opcode::If:
      case Opcode::Scope:
      case Opcode::ThreadLoop:
        return !std::ranges::all_of(instruction->blocks, &Block::empty);
      default:
        return !only_gives_value(instruction) || used_.contains(instruction);
    }
  }

  std::unordered_set<const Instruction*> used_;
};

}  // namespace

void fold_constants(Function& function) {
  Folding(function).fold(function.body);
  Sweep().sweep(function.body);
}

}  // namespace pykc::ir
