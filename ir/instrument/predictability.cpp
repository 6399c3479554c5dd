// From what is unknown (loads, floats among the arguments) to what depends on it, until nothing more is found. A
// variable is unknown if anything that is ever stored to it is, or if it depends on data whether that is stored.
#include "ir/instrument/predictability.h"

#include <algorithm>

#include "ir/walk.h"

namespace pykc::ir {

Predictability::Predictability(const Module& module, By by) : by_(by) {
  do {
    has_changed_ = false;
    for (const auto& function : module.functions)
      walk(*function, function->body, !doubtful_functions_.contains(function.get()));
    has_changed_ |= motions_.has_changed();
  } while (has_changed_);
}

void Predictability::walk(const Function& function, const Block& block, bool is_certain) {
  is_certain = is_certain && !left_functions_.contains(&function);
  for (const Instruction* instruction : block.instructions) {
    spend_time();
    examine(function, instruction, is_certain);
    const bool is_decided = instruction->opcode != Opcode::If || has_value(instruction->operands[0]);
    for (const Block& nested : instruction->blocks)
      walk(function, nested, is_certain && is_decided && !left_.contains(instruction));
  }
}

void Predictability::examine(const Function& function, const Instruction* instruction, bool is_certain) {
  if (!is_certain) note(doubtful_, instruction);
  if (gives_unknown(function, instruction)) note(unknown_, instruction);
  const auto is_unknown = [this](const Instruction* operand) { return !has_value(operand); };
  const bool has_unknown = std::ranges::any_of(instruction->operands, is_unknown);
  const bool by_way = by_ == By::Way;
  if (by_way && has_value(instruction) && !motions_.examine(function, *instruction)) note(unknown_, instruction);
  switch (instruction->opcode) {
    case Opcode::LocalStore:
      if (!is_certain || has_unknown || (by_way && !motions_.set(instruction->local, instruction->operands[0])))
        note(unknown_locals_, instruction->local);
      return;
    case Opcode::Break:
    case Opcode::Continue:
      if (!is_certain) note(left_, instruction->target);
      return;
    case Opcode::Return:
      if (!is_certain && !doubtful_functions_.contains(&function)) note(left_functions_, &function);
      if (!is_certain || has_unknown || (by_way && !set_results(function, *instruction)))
        note(unknown_results_, &function);
      return;
    case Opcode::Call:
      if (!is_certain) note(doubtful_functions_, instruction->callee);
      for (std::size_t i = 0; i < instruction->operands.size(); ++i)
        if (is_unknown(instruction->operands[i]) ||
            (by_way && !motions_.set(instruction->callee, static_cast<std::int64_t>(i), instruction->operands[i])))
          note(unknown_parameters_[instruction->callee], static_cast<std::int64_t>(i));
      return;
    default:
      return;
  }
}

bool Predictability::set_results(const Function& function, const Instruction& exit) {
  bool is_known = true;
  for (std::size_t i = 0; i < exit.operands.size(); ++i)
    is_known &= motions_.set_result(&function, static_cast<std::int64_t>(i), exit.operands[i]);
  return is_known;
}

/// Whether an instruction gives a value that is not the launch's, or the source's.
bool Predictability::gives_unknown(const Function& function, const Instruction* instruction) const {
  const auto has_unknown_operand = [&] {
    return std::ranges::any_of(instruction->operands,
                               [this](const Instruction* operand) { return !has_value(operand); });
  };
  switch (instruction->opcode) {
    case Opcode::Parameter: {
      const auto unknown = unknown_parameters_.find(&function);
      const bool is_number = instruction->type.is_scalar() && is_float(instruction->type.scalar);
      return (function.is_kernel && (by_ == By::Source || is_number)) ||
             (unknown != unknown_parameters_.end() && unknown->second.contains(instruction->index));
    }
    case Opcode::Load:
      return by_ == By::Source || instruction->operands[0]->type.space != AddressSpace::Parameter ||
             has_unknown_operand();
    case Opcode::LaunchSharedBytes:
      return by_ == By::Source;
    case Opcode::HintedLoad:
    case Opcode::AtomicLoad:
    case Opcode::AtomicRmw:
    case Opcode::AtomicCas:
    case Opcode::Foreign:
    case Opcode::AnyFault:
      return true;
    case Opcode::LocalLoad:
      return unknown_locals_.contains(instruction->local);
    case Opcode::Extract: {
      const Instruction& call = *instruction->operands[0];
      return call.opcode == Opcode::Foreign || unknown_results_.contains(call.callee);
    }
    case Opcode::Builtin:
      switch (info(instruction->builtin).effect) {
        case Effect::Thread:
        case Effect::Block:
          return by_ == By::Source || has_unknown_operand();
        case Effect::Pure:
        case Effect::Barrier:
          return has_unknown_operand();
        case Effect::Warp:
          return instruction->builtin == BuiltinId::Activemask || has_unknown_operand();
        default:
          return true;
      }
    default:
      return has_unknown_operand();
  }
}

namespace {

/// Whether it orders threads in a way that depends on who was first. What a thread copies is its own business.
bool orders_by_chance(const Instruction* instruction) {
  const bool is_fence = has_builtin_effect(instruction, Effect::Fence) &&
                        instruction->builtin != BuiltinId::MemcpyAsyncCommit &&
                        instruction->builtin != BuiltinId::MemcpyAsyncWait;
  return is_fence || instruction->order != MemoryOrder::Relaxed;
}

}  // namespace

bool Predictability::has_order(const Function& kernel) const {
  bool is_known = true;
  for_each_instruction_reached(kernel, [&](const Instruction* instruction) {
    is_known &= !orders_by_chance(instruction);
    if (is_meeting_point(instruction))
      is_known &= is_reached(instruction) && std::ranges::all_of(instruction->operands, [&](const auto* operand) {
                    return !operand->type.is(ScalarType::U32) || has_value(operand);  // a mask
                  });
  });
  return is_known;
}

}  // namespace pykc::ir
