#include "frontend/lower/read_only.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace pykc::lowering {
namespace {

using ir::Instruction;
using ir::Opcode;
using Flags = std::vector<bool>;  // one for each parameter

/// Ors `from` into `into`; whether that changed anything.
bool merge(Flags& into, const Flags& from) {
  bool changed = false;
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    changed = changed || (from[i] && !into[i]);
    into[i] = into[i] || from[i];
  }
  return changed;
}

using WrittenParameters = std::unordered_map<const ir::Function*, Flags>;

/// Looks through a function once more with what is known so far. Facts only grow, so repeating ends.
class Tracker {
 public:
  Tracker(const ir::Function& function, WrittenParameters& written) : function_(function), written_(written) {}

  /// Whether something new was learnt.
  bool run() {
    changed_ = false;
    visit(function_.body);
    return changed_;
  }

 private:
  void visit(const ir::Block& block) {
    for (const Instruction* instruction : block.instructions) {
      visit(*instruction);
      for (const ir::Block& inner : instruction->blocks) visit(inner);
    }
  }

  void visit(const Instruction& instruction) {
    switch (instruction.opcode) {
      case Opcode::Parameter:
        return reaches(instruction, parameter(instruction.index));
      case Opcode::ElementPointer:
      case Opcode::FieldPointer:
      case Opcode::ClusterPointer:
      case Opcode::Select:
      case Opcode::Extract:
        if (!instruction.type.is_pointer()) return;
        for (const Instruction* operand : instruction.operands) reaches(instruction, roots_[operand]);
        return;
      case Opcode::LocalLoad:
        return reaches(instruction, locals_[instruction.local]);
      case Opcode::LocalStore:
        if (instruction.local->type.is_pointer())
          changed_ |= merge(locals_[instruction.local], roots_[instruction.operands[0]]);
        return;
      case Opcode::Store:
      case Opcode::AtomicRmw:
      case Opcode::AtomicCas:
      case Opcode::AtomicLoad:  // it reads what others write
      case Opcode::AtomicStore:
      case Opcode::HintedStore:
        return write(roots_[instruction.operands[0]]);
      case Opcode::Foreign:
        for (const Instruction* operand : instruction.operands) write(roots_[operand]);
        return;
      case Opcode::TensorMap:
        if (function_.tensor_maps[static_cast<std::size_t>(instruction.index)].is_written)
          write(roots_[instruction.operands[0]]);
        return;
      case Opcode::Call:
        return call(instruction);
      default:
        return;
    }
  }

  Flags parameter(std::int64_t index) const {
    Flags flags(function_.parameters.size());
    flags[static_cast<std::size_t>(index)] = true;
    return flags;
  }

  /// A result of a call may be any address that was passed.
  void call(const Instruction& call) {
    const Flags written = written_[call.callee];
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      const Flags roots = roots_[call.operands[i]];
      reaches(call, roots);
      if (i < written.size() && written[i]) write(roots);
    }
  }

  void reaches(const Instruction& value, const Flags& roots) { changed_ |= merge(roots_[&value], roots); }
  void write(const Flags& roots) { changed_ |= merge(written_[&function_], roots); }

  const ir::Function& function_;
  WrittenParameters& written_;
  std::unordered_map<const Instruction*, Flags> roots_;  // the parameters that a value may come from
  std::unordered_map<const ir::Local*, Flags> locals_;
  bool changed_ = false;
};

}  // namespace

void mark_read_only_parameters(ir::Module& module) {
  WrittenParameters written;
  std::vector<Tracker> trackers;
  for (const auto& function : module.functions) trackers.emplace_back(*function, written);
  bool changed = true;
  while (changed) {
    changed = false;
    for (Tracker& tracker : trackers) changed |= tracker.run();
  }
  for (const auto& function : module.functions) {
    Flags& flags = written[function.get()];
    flags.resize(function->parameters.size());
    for (std::size_t i = 0; i < flags.size(); ++i) {
      ir::Parameter& parameter = function->parameters[i];
      parameter.read_only = function->is_kernel && parameter.type.is_pointer() && !flags[i];
    }
  }
}

}  // namespace pykc::lowering
