// What is watched is what the source says, before anything is optimised for a target: an access that the optimiser
// would leave out, or make of two, is one that another compiler may do.
//
// Every function has a copy that is watched; the other stays as it is, for launches that need no watching.
#include "ir/instrument/observe.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/instrument/predictability.h"
#include "ir/instrument/watched_copies.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

using Kind = ObservedSite::Kind;

/// Which values nobody uses: those that go nowhere, or to functions that do not use them.
class Uses {
 public:
  explicit Uses(const Module& module) {
    for (const auto& function : module.functions)
      for_each_instruction(function->body, [&](const Instruction* user) {
        if (user->opcode == Opcode::Parameter) parameters_[{function.get(), user->index}].push_back(user);
        for (const Instruction* operand : user->operands) users_[operand].push_back(user);
      });
  }

  bool has_any(const Instruction* value) {
    const auto users = users_.find(value);
    return users != users_.end() && std::ranges::any_of(users->second, [&](const Instruction* user) {
             if (user->opcode != Opcode::Call) return true;
             for (std::size_t i = 0; i < user->operands.size(); ++i)
               if (user->operands[i] == value && uses_parameter(user->callee, static_cast<std::int64_t>(i)))
                 return true;
             return false;
           });
  }

 private:
  using Place = std::pair<const Function*, std::int64_t>;
  /// A function that calls itself is taken to use what it is passed.
  bool uses_parameter(const Function* function, std::int64_t number) {
    const auto [known, is_new] = is_used_.try_emplace({function, number}, true);
    if (!is_new) return known->second;
    const auto found = parameters_.find({function, number});
    const bool is_used = found != parameters_.end() &&
                         std::ranges::any_of(found->second, [&](const Instruction* value) { return has_any(value); });
    return is_used_[{function, number}] = is_used;
  }

  std::unordered_map<const Instruction*, std::vector<const Instruction*>> users_;
  std::map<Place, std::vector<const Instruction*>> parameters_;
  std::map<Place, bool> is_used_;
};

class Observing {
 public:
  Observing(Module& module, Function& function, Sanitize what, const Predictability& predictability, Uses& uses)
      : module_(module),
        function_(function),
        what_(what),
        predictability_(predictability),
        uses_(uses),
        builder_(function) {
    has_warp_operations_ = std::ranges::any_of(module.functions, [](const auto& any) {
      return any_instruction(any->body, [](const Instruction* i) { return has_builtin_effect(i, Effect::Warp); });
    });
  }

  void run() {
    walk(function_.body);
    if (what_.uninitialised) begin_local_arrays();
  }

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
    if (instruction.opcode == Opcode::Foreign) return observe_foreign(instruction);
    const std::optional<Kind> kind = access_of(instruction);
    if (!kind || !is_watched(instruction.operands[0])) return;
    Instruction* address = instruction.operands[0];
    ObservedSite site = access(instruction, *kind, *address, size_in_bytes(address->type.scalar));
    if (site.is_atomic()) {
      const MemoryOrder order = instruction.order;
      const bool is_both = order == MemoryOrder::AcquireRelease || order == MemoryOrder::SequentiallyConsistent;
      site.acquires = is_both || order == MemoryOrder::Acquire;
      site.releases = is_both || order == MemoryOrder::Release;
      site.is_for_block = instruction.scope == MemoryScope::Block;
    }
    site.is_dropped = *kind == Kind::Load && !uses_.has_any(&instruction);
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

  /// Nobody tells of what it writes.
  void observe_foreign(const Instruction& foreign) {
    for (Instruction* operand : foreign.operands) {
      if (!operand->type.is_pointer() || !is_watched(operand)) continue;
      ObservedSite site = access(foreign, Kind::Shown, *operand, 0);
      add(std::move(site), {operand});
    }
  }

  /// Whatever they were for another thread, or in another call, they hold nothing yet.
  void begin_local_arrays() {
    std::vector<Instruction*> rest = std::exchange(function_.body.instructions, {});
    builder_.enter(function_.body);
    builder_.set_range(function_.range);
    for (std::size_t i = 0; i < function_.local_arrays.size(); ++i) {
      const ArrayStorage& array = function_.local_arrays[i];
      ObservedSite site{.kind = Kind::Begin, .is_local = true};
      site.array = static_cast<std::int32_t>(module_.observed_arrays.size());
      module_.observed_arrays.push_back({array.name, 0, array.declared});
      Instruction* first = builder_.local_array(static_cast<int>(i));
      add(std::move(site), {first, builder_.constant_i64(array.count * size_in_bytes(array.element))});
    }
    builder_.leave();
    std::ranges::move(rest, std::back_inserter(function_.body.instructions));
  }

  bool is_watched(const Instruction* address) const {
    const AddressSpace space = address->type.space;
    return space == AddressSpace::Global || space == AddressSpace::Shared ||
           (space == AddressSpace::Local && what_.uninitialised);
  }

  ObservedSite at(const Instruction& instruction) const {
    return {.place = source_of(module_, function_, &instruction).place(instruction.range)};
  }
  ObservedSite access(const Instruction& instruction, Kind kind, const Instruction& address, int bytes) const {
    ObservedSite site = at(instruction);
    site.kind = kind;
    site.is_shared = address.type.space == AddressSpace::Shared;
    site.is_local = address.type.space == AddressSpace::Local;
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
  const Sanitize what_;
  const Predictability& predictability_;
  Uses& uses_;
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
  Uses uses(copies);
  for (const auto& copy : copies.functions) {
    if (copy->is_kernel) copy->kernel.watched = {.looks_for = what, .is_predictable = predictability.has_order(*copy)};
    Observing(module, *copy, what, predictability, uses).run();
  }
  constexpr std::string_view kCodes[] = {"E0601", "E0602", "E0603", "E0604", "E0605", "E0606", "E0607"};
  for (ObservedSite& site : module.observed)
    for (std::size_t i = 0; i < std::size(kCodes); ++i)
      if (comments.is_silenced_by_name(kCodes[i], site.place)) site.ignored |= static_cast<std::uint8_t>(1U << i);
  const Predictability of_plain(module);
  for (const auto& plain : module.functions) drop_settled_checks(*plain, of_plain);
  add_copies(module, std::move(copies));
}

}  // namespace pykc::ir
