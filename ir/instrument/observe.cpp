// What is watched is what the source says, before anything is optimised for a target: an access that the optimiser
// would leave out, or make of two, is one that another compiler may do.
//
// Every function has a copy that is watched; the other stays as it is, for launches that need no watching.
#include "ir/instrument/observe.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/builder.h"
#include "ir/instrument/predictability.h"
#include "ir/instrument/watched_copies.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

using Kind = ObservedSite::Kind;

class Observing {
 public:
  Observing(Module& module, Function& function, const Predictability& predictability)
      : module_(module), function_(function), predictability_(predictability), builder_(function) {
    has_warp_operations_ = std::ranges::any_of(module.functions, [](const auto& any) {
      return any_instruction(any->body, [](const Instruction* i) { return has_builtin_effect(i, Effect::Warp); });
    });
  }

  void run() { walk(function_.body); }

 private:
  void walk(Block& block) {
    const std::vector<Instruction*> instructions = std::exchange(block.instructions, {});
    builder_.enter(block);
    for (Instruction* instruction : instructions) {
      for (Block& nested : instruction->blocks) walk(nested);
      observe(*instruction);
      block.instructions.push_back(instruction);
    }
    builder_.leave();
  }

  void observe(const Instruction& instruction) {
    builder_.set_range(instruction.range);
    if (instruction.opcode == Opcode::CopyAsync) return observe_copy(instruction);
    if (instruction.opcode == Opcode::Builtin) return observe_builtin(instruction);
    const std::optional<Kind> kind = access_to_watch(instruction);
    if (!kind) return;
    Instruction* address = instruction.operands[0];
    ObservedSite site = access(instruction, *kind, *address, size_in_bytes(address->type.scalar));
    if (site.is_atomic()) {
      const MemoryOrder order = instruction.order;
      const bool is_both = order == MemoryOrder::AcquireRelease || order == MemoryOrder::SequentiallyConsistent;
      site.acquires = is_both || order == MemoryOrder::Acquire;
      site.releases = is_both || order == MemoryOrder::Release;
      site.is_for_block = instruction.scope == MemoryScope::Block;
    }
    const bool has_value = *kind == Kind::Store || *kind == Kind::AtomicSwap;
    Instruction* value = has_value ? bits_of(instruction.operands[1]) : nullptr;
    Instruction* observed = add(std::move(site), {address});
    if (value != nullptr) observed->operands.push_back(value);
  }

  void observe_copy(const Instruction& copy) {
    Instruction *to = copy.operands[0], *from = copy.operands[1];
    const auto bytes = static_cast<int>(copy.index);
    add(access(copy, Kind::Load, *from, bytes), {from});
    add(access(copy, Kind::Store, *to, bytes), {to});
  }

  void observe_builtin(const Instruction& builtin) {
    ObservedSite site = at(builtin);
    switch (builtin.builtin) {
      case BuiltinId::ThreadfenceBlock:
        site.is_for_block = true;
        [[fallthrough]];
      case BuiltinId::Threadfence:
      case BuiltinId::ThreadfenceSystem:
        site.kind = Kind::Fence;
        add(std::move(site), {});
        return;
      default:
        break;
    }
    if (is_barrier(&builtin) && has_warp_operations_) {
      site.kind = Kind::Barrier;
      add(std::move(site), {});
      return;
    }
    const bool has_mask = has_builtin_effect(&builtin, Effect::Warp) && builtin.builtin != BuiltinId::Activemask;
    if (!has_mask) return;
    site.kind = Kind::Warp;
    add(std::move(site), {builder_.cast(builtin.operands[0], ScalarType::I64)});
  }

  ObservedSite at(const Instruction& instruction) const {
    return {.place = source_of(module_, function_, &instruction).place(instruction.range)};
  }
  ObservedSite access(const Instruction& instruction, Kind kind, const Instruction& address, int bytes) const {
    ObservedSite site = at(instruction);
    site.kind = kind;
    site.is_shared = address.type.space == AddressSpace::Shared;
    site.is_packed = is_packed_address(address);
    site.is_predictable = predictability_.is_reached(&instruction) && predictability_.has_value(&address);
    site.bytes = static_cast<std::uint8_t>(bytes);
    return site;
  }

  /// The bits of a scalar, in an i64.
  Instruction* bits_of(Instruction* value) {
    constexpr ScalarType kSameSize[] = {ScalarType::U16, ScalarType::U32, ScalarType::U64};
    const ScalarType type = value->type.scalar;
    if (is_float(type))
      value = builder_.emit_typed(Opcode::Bitcast, Type::of(kSameSize[size_in_bytes(type) / 4]), {value});
    return builder_.cast(value, ScalarType::I64);
  }

  Instruction* add(ObservedSite site, std::initializer_list<Instruction*> operands) {
    Instruction* observed = builder_.emit(Opcode::Observe, operands);
    observed->index = static_cast<std::int64_t>(module_.observed.size());
    module_.observed.push_back(std::move(site));
    return observed;
  }

  Module& module_;
  Function& function_;
  const Predictability& predictability_;
  bool has_warp_operations_ = false;
  Builder builder_;
};

/// Whether the instruction is `if … { fault }`.
bool is_check(const Instruction* instruction) {
  return instruction->opcode == Opcode::If && instruction->blocks[1].empty() && !instruction->blocks[0].empty() &&
         instruction->blocks[0].instructions.back()->opcode == Opcode::Fault;
}
bool asks_for_faults(const Instruction* check) { return check->operands[0]->opcode == Opcode::AnyFault; }

template <typename Predicate>
void drop_checks(Block& block, const Predicate& is_dropped) {
  std::erase_if(block.instructions, [&](const Instruction* i) { return is_check(i) && is_dropped(i); });
  for (Instruction* instruction : block.instructions)
    for (Block& nested : instruction->blocks) drop_checks(nested, is_dropped);
}

/// A launch that is not watched any more has been, with the same outcome of all checks that depend on the launch alone.
void drop_settled_checks(Function& plain, const Predictability& predictability) {
  drop_checks(plain.body, [&](const Instruction* check) {
    return !asks_for_faults(check) && predictability.has_value(check->operands[0]) && predictability.is_reached(check);
  });
  const bool has_checks =
      any_instruction(plain.body, [](const Instruction* i) { return is_check(i) && !asks_for_faults(i); });
  if (!has_checks) drop_checks(plain.body, asks_for_faults);
}

}  // namespace

void observe(Module& module, Sanitize what, const Diagnostics& comments) {
  Module copies = copy_to_watch(module);
  const Predictability predictability(copies);
  for (const auto& copy : copies.functions) {
    if (copy->is_kernel) copy->kernel.watched = {.looks_for = what, .is_predictable = predictability.has_order(*copy)};
    Observing(module, *copy, predictability).run();
  }
  constexpr std::string_view kCodes[] = {"E0601", "E0602", "E0603", "E0604"};
  for (ObservedSite& site : module.observed)
    for (std::size_t i = 0; i < std::size(kCodes); ++i)
      if (comments.is_silenced_by_name(kCodes[i], site.place)) site.ignored |= static_cast<std::uint8_t>(1U << i);
  const Predictability of_plain(module);
  for (const auto& plain : module.functions) drop_settled_checks(*plain, of_plain);
  add_copies(module, std::move(copies));
}

}  // namespace pykc::ir
