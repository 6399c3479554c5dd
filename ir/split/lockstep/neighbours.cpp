// How the addresses of a loop change: from one thread to the next along x, and from one turn of the loop to the next.
//
//   for j in range(m): out[j, i] = x[j, i]      i = grid(1): neighbours stand side by side, a thread's turns do not
//   for j in range(m): out[i, j] = x[i, j]      the other way round
#include "ir/split/split.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

enum class Slope : std::uint8_t { None, Near, Far };  // Far: or not known

/// The slope of values, by that of the values which they are made of.
class Slopes {
 public:
  virtual ~Slopes() = default;

  Slope of(const Instruction* value) {
    const auto known = known_.find(value);
    if (known != known_.end()) return known->second;
    const std::optional<Slope> given = given_for(value);
    const Slope slope = given ? *given : work_out(*value);
    return known_[value] = slope;
  }

 private:
  virtual std::optional<Slope> given_for(const Instruction* value) const = 0;

  Slope work_out(const Instruction& value) {
    const auto operand = [&](std::size_t n) { return of(value.operands[n]); };
    switch (value.opcode) {
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::ElementPointer:
        if (operand(0) == Slope::None) return operand(1);
        return operand(1) == Slope::None ? operand(0) : Slope::Far;
      case Opcode::Cast:
      case Opcode::FieldPointer:
        return operand(0);
      case Opcode::Select:  // as a rule of an index and the same from the end of an array
        if (operand(1) == operand(2)) return operand(1);
        break;
      default:
        break;
    }
    bool is_constant = info(value.opcode).effect == OpcodeEffect::Pure || has_builtin_effect(&value, Effect::Pure);
    for (const Instruction* i : value.operands) is_constant &= of(i) == Slope::None;
    return is_constant ? Slope::None : Slope::Far;
  }

  std::unordered_map<const Instruction*, Slope> known_;
};

class SlopesAlongThreads final : public Slopes {
 public:
  SlopesAlongThreads(const Uniformity& uniformity, UniformValues& values) : uniformity_(uniformity), values_(values) {}

 private:
  std::optional<Slope> given_for(const Instruction* value) const override {
    if (uniformity_.is_uniform(value) || values_.is_uniform(value)) return Slope::None;
    if (!has_builtin_effect(value, Effect::Thread)) return std::nullopt;
    if (value->builtin == BuiltinId::ThreadIdxX) return Slope::Near;
    return value->builtin == BuiltinId::ThreadIdxY || value->builtin == BuiltinId::ThreadIdxZ ? Slope::None
                                                                                              : Slope::Far;
  }

  const Uniformity& uniformity_;
  UniformValues& values_;
};

class SlopesAlongTurns final : public Slopes {
 public:
  explicit SlopesAlongTurns(const Instruction& loop) {
    for (const Block& block : loop.blocks)
      for_each_instruction(block, [&](const Instruction* i) {
        inside_.insert(i);
        if (i->opcode == Opcode::LocalStore) changing_.insert(i->local);
      });
  }

 private:
  std::optional<Slope> given_for(const Instruction* value) const override {
    if (!inside_.contains(value)) return Slope::None;
    if (value->opcode != Opcode::LocalLoad) return std::nullopt;
    return changing_.contains(value->local) ? Slope::Near : Slope::None;
  }

  std::unordered_set<const Instruction*> inside_;
  std::unordered_set<const Local*> changing_;
};

bool is_access(const Instruction& i) {
  return i.opcode == Opcode::Load || i.opcode == Opcode::Store || i.opcode == Opcode::HintedLoad ||
         i.opcode == Opcode::HintedStore;
}

}  // namespace

Accesses accesses_of(const Instruction& loop, const Uniformity& uniformity, UniformValues& values) {
  SlopesAlongThreads along_threads(uniformity, values);
  SlopesAlongTurns along_turns(loop);
  Accesses accesses;
  for_each_instruction(loop.blocks[0], [&](const Instruction* i) {
    if (!is_access(*i)) return;
    const bool is_global = i->operands[0]->type.space == AddressSpace::Global;
    const Slope slope = along_threads.of(i->operands[0]);
    accesses.have_neighbours |= is_global && slope == Slope::Near;
    accesses.are_spread |= slope == Slope::Far;
    accesses.follow_turns |= is_global && slope == Slope::Far && along_turns.of(i->operands[0]) == Slope::Near;
  });
  return accesses;
}

}  // namespace pykc::ir::split
