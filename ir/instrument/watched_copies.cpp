#include "ir/instrument/watched_copies.h"

#include <utility>

#include "ir/passes/clone.h"

namespace pykc::ir {

Module copy_to_watch(const Module& module) {
  Module copies = clone(module);
  for (std::size_t i = 0; i < copies.functions.size(); ++i) {
    Function& copy = *copies.functions[i];
    copy.symbol += ".watched";
    copy.is_watched = true;
    if (copy.is_kernel) copy.plain = module.functions[i].get();
  }
  std::erase_if(copies.functions, [](const auto& copy) { return copy->is_kernel && copy->runs_warps_apart; });
  return copies;
}

void add_copies(Module& module, Module copies) {
  for (auto& copy : copies.functions) module.functions.push_back(std::move(copy));
}

std::optional<ObservedSite::Kind> access_of(const Instruction& instruction) {
  using Kind = ObservedSite::Kind;
  switch (instruction.opcode) {
    case Opcode::Load:
      return Kind::Load;
    case Opcode::Store:
      return Kind::Store;
    // What must not be taken from a register, or kept in one, is one step for the other threads.
    case Opcode::HintedLoad:
      return instruction.hint == CacheHint::Volatile ? Kind::AtomicLoad : Kind::Load;
    case Opcode::HintedStore:
      return instruction.hint == CacheHint::Volatile ? Kind::AtomicStore : Kind::Store;
    case Opcode::AtomicLoad:
      return Kind::AtomicLoad;
    case Opcode::AtomicStore:
      return Kind::AtomicStore;
    case Opcode::AtomicRmw:
      return Kind::AtomicUpdate;
    case Opcode::AtomicCas:
      return Kind::AtomicSwap;
    default:
      return std::nullopt;
  }
}

std::optional<ObservedSite::Kind> access_to_watch(const Instruction& instruction) {
  const std::optional<ObservedSite::Kind> kind = access_of(instruction);
  if (!kind) return std::nullopt;
  const AddressSpace space = instruction.operands[0]->type.space;
  return space == AddressSpace::Global || space == AddressSpace::Shared ? kind : std::nullopt;
}

}  // namespace pykc::ir
