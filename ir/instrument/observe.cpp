// What is watched is what the source says, before anything is optimised for a target: an access that the optimiser
// would leave out, or make of two, is one that another compiler may do.
//
// Every function has a copy that is watched; the other stays as it is, for launches that need no watching.
#include "ir/instrument/observe.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/instrument/library_calls.h"
#include "ir/instrument/predictability.h"
#include "ir/instrument/watched_copies.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

using Kind = ObservedSite::Kind;

/// Which loaded values nobody uses: those that go nowhere, or to functions that do not use them.
class Uses {
 public:
  explicit Uses(const Module& module) {
    for (const auto& function : module.functions)
      for_each_instruction(function->body, [&](const Instruction* user) {
        if (user->opcode == Opcode::Parameter) parameters_[{function.get(), user->index}].push_back(user);
        for (const Instruction* operand : user->operands)
          if (access_of(*operand) || operand->opcode == Opcode::Parameter) users_[operand].push_back(user);
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

/// What an address leads into.
const Instruction& root_of(const Instruction& address) {
  const Instruction* root = &address;
  while (root->opcode == Opcode::ElementPointer || root->opcode == Opcode::FieldPointer) root = root->operands[0];
  return *root;
}

/// Whether a branch leaves a loop, goes on with its next turn, leaves the function, or sets what may decide of that.
bool may_steer_loops(const Instruction& branch) {
  return std::ranges::any_of(branch.blocks, [](const Block& block) {
    return any_instruction(block, [](const Instruction* i) {
      return i->opcode == Opcode::LocalStore || (is_terminator(i) && i->opcode != Opcode::Fault);
    });
  });
}

bool is_atomic(const Instruction* instruction) {
  const std::optional<Kind> kind = access_of(*instruction);
  return kind && ObservedSite{.kind = *kind}.is_atomic();
}

/// A load of what the kernel may write meanwhile.
bool loads_what_changes(const Function& function, const Instruction* instruction) {
  const bool is_load = instruction->opcode == Opcode::Load || instruction->opcode == Opcode::HintedLoad;
  if (!is_load || instruction->operands[0]->type.space != AddressSpace::Global) return false;
  const Instruction& root = root_of(*instruction->operands[0]);
  return root.opcode != Opcode::Parameter || !function.is_kernel ||
         !function.parameters[static_cast<std::size_t>(root.index)].read_only;
}

/// The values on which depends what a function does, or where: conditions, indices, and whatever goes to other threads
/// or functions. The rest is computed, and left in global memory at most. Or those alone on which it depends how often
/// a loop turns.
enum class Decision : std::uint8_t { Any, Turns };
std::unordered_set<const Instruction*> deciding_values(const Function& function, Decision decision) {
  std::unordered_set<const Instruction*> deciding;
  std::vector<const Instruction*> open;
  const auto decide = [&](const Instruction* value) {
    if (deciding.insert(value).second) open.push_back(value);
  };
  std::unordered_map<const Local*, std::vector<const Instruction*>> stores;
  for_each_instruction(function.body, [&](const Instruction* i) {
    const auto& operands = i->operands;
    if (i->opcode == Opcode::LocalStore) return stores[i->local].push_back(operands[0]);
    if (decision == Decision::Turns) {
      if (i->opcode == Opcode::Return || (i->opcode == Opcode::If && may_steer_loops(*i)))
        std::ranges::for_each(operands, decide);
      return;
    }
    if (i->opcode == Opcode::Select) return decide(operands[0]);
    if (i->opcode == Opcode::ElementPointer) return decide(operands[1]);
    const bool leaves = i->opcode == Opcode::Store && operands[0]->type.space == AddressSpace::Global;
    if (!is_pure(i) && i->opcode != Opcode::Load && !leaves) std::ranges::for_each(operands, decide);
  });
  while (!open.empty()) {
    const Instruction* const value = open.back();
    open.pop_back();
    std::ranges::for_each(value->operands, decide);
    if (value->opcode == Opcode::LocalLoad) std::ranges::for_each(stores[value->local], decide);
  }
  return deciding;
}

/// What is known of the copies before anything is added to them.
struct Known {
  const std::unordered_map<const Function*, SourcePlace> library_calls;
  const Predictability by_launch, by_way;
  const Diagnostics& comments;
};

/// The numbers by which something moves from block to block, each with its site.
class Steps {
 public:
  explicit Steps(Module& module) : module_(module) {}
  std::int32_t site_of(const LaunchNumber& step) {
    const auto known = std::ranges::find(sites_, step, &Site::first);
    if (known != sites_.end()) return known->second;
    sites_.emplace_back(step, static_cast<std::int32_t>(module_.observed.size()));
    module_.observed.push_back({.kind = Kind::Step});
    return sites_.back().second;
  }
  /// The first thread of each block tells of those that the kernel knows.
  void tell(Function& kernel) const {
    const std::vector<Instruction*> rest = std::exchange(kernel.body.instructions, {});
    Builder builder(kernel);
    builder.enter(kernel.body);
    builder.set_range(kernel.range);
    Instruction* number = builder.constant_i64(0);
    for (const BuiltinId index : {BuiltinId::ThreadIdxX, BuiltinId::ThreadIdxY, BuiltinId::ThreadIdxZ})
      number = builder.emit(Opcode::Or, {number, builder.builtin(index, Type::of(ScalarType::I64), {})});
    Instruction* const is_first = builder.if_(builder.emit(Opcode::Eq, {number, builder.constant_i64(0)}));
    builder.enter(is_first->blocks[0]);
    for (const auto& [step, site] : sites_)
      if (step.is_known_in(kernel)) builder.emit(Opcode::Observe, {step.emit(builder)})->index = site;
    builder.leave();
    builder.leave();
    std::ranges::copy(rest, std::back_inserter(kernel.body.instructions));
  }

 private:
  using Site = std::pair<LaunchNumber, std::int32_t>;
  Module& module_;
  std::vector<Site> sites_;
};

class Observing {
 public:
  Observing(Module& module, Function& function, Sanitize what, const Known& known, Uses& uses, Steps& steps,
            bool has_warp_operations)
      : module_(module),
        function_(function),
        what_(what),
        known_(known),
        uses_(uses),
        steps_(steps),
        has_warp_operations_(has_warp_operations),
        builder_(function) {}

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
    observe_guards(instruction);
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
      site.decides = deciding_.contains(&instruction);
    }
    site.is_dropped = *kind == Kind::Load && !uses_.has_any(&instruction);
    const bool has_value = *kind == Kind::Store || *kind == Kind::AtomicSwap;
    Instruction* value = has_value ? bits_of(instruction.operands[1]) : nullptr;
    Instruction* observed = add(std::move(site), {address});
    if (value != nullptr) observed->operands.push_back(value);
  }

  void observe_guards(const Instruction& instruction) {
    if (!known_.by_way.is_reached(&instruction)) return;
    for (const BlockGuard& guard : guards_of(instruction, known_.by_way.motions())) {
      ObservedSite site = at(instruction);
      site.kind = Kind::Guard;
      site.splits_equal_from_less = guard.splits_equal_from_less;
      site.splits_equal_from_more = guard.splits_equal_from_more;
      site.is_alike = move_by_steps(site, *guard.moving);
      Instruction* const other = guard.other == nullptr ? builder_.constant_i64(0) : guard.other;
      if (site.is_alike) add(std::move(site), {guard.moving, other});
    }
  }

  void observe_copy(const Instruction& copy) {
    Instruction *to = copy.operands[0], *from = copy.operands[1];
    const auto bytes = static_cast<int>(copy.index);
    add(access(copy, Kind::Load, *from, bytes), {from});
    ObservedSite store = access(copy, Kind::Store, *to, bytes);
    store.is_async = true;
    add(std::move(store), {to});
  }

  void observe_builtin(const Instruction& builtin) {
    ObservedSite site = at(builtin);
    switch (builtin.builtin) {
      case BuiltinId::MemcpyAsyncCommit:
        site.kind = Kind::Commit;
        add(std::move(site), {});
        return;
      case BuiltinId::MemcpyAsyncWait:
        site.kind = Kind::Await;
        add(std::move(site), {builder_.cast(builtin.operands[0], ScalarType::I64)});
        return;
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
    const SourcePlace own = source_of(module_, function_, &instruction).place(instruction.range);
    const auto call = known_.library_calls.find(&function_);
    ObservedSite site{.place = call == known_.library_calls.end() ? own : call->second};
    constexpr std::string_view kCodes[] = {"E0601", "E0602", "E0603", "E0604", "E0605", "E0606", "E0607"};
    for (std::size_t i = 0; i < std::size(kCodes); ++i)
      for (const SourcePlace& place : {own, site.place})
        if (known_.comments.is_silenced_by_name(kCodes[i], place)) site.ignored |= static_cast<std::uint8_t>(1U << i);
    return site;
  }
  ObservedSite access(const Instruction& instruction, Kind kind, const Instruction& address, int bytes) {
    ObservedSite site = at(instruction);
    site.kind = kind;
    site.is_shared = address.type.space == AddressSpace::Shared;
    site.is_local = address.type.space == AddressSpace::Local;
    site.is_packed = is_packed_address(address);
    // What a swap does depends on what is there.
    site.is_predictable =
        kind != Kind::AtomicSwap && known_.by_launch.is_reached(&instruction) && known_.by_launch.has_value(&address);
    site.is_alike = site.is_predictable && known_.by_way.is_reached(&instruction) && move_by_steps(site, address);
    site.bytes = static_cast<std::uint8_t>(bytes);
    if (function_.is_kernel && !site.is_shared && !site.is_local) site.array = array_of(address);
    return site;
  }
  /// Gives whether it is known how the value moves.
  bool move_by_steps(ObservedSite& site, const Instruction& value) {
    const BlockMotion* const motion = known_.by_way.has_value(&value) ? known_.by_way.motions().of(&value) : nullptr;
    if (motion == nullptr) return false;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!motion->steps[axis].is_zero()) site.steps[axis] = steps_.site_of(motion->steps[axis]);
    return true;
  }
  /// The number of the array that the address leads into, among the kernel's; -1 where that is not known.
  std::int32_t array_of(const Instruction& address) const {
    const Instruction& root = root_of(address);
    if (root.opcode != Opcode::Parameter) return -1;
    const std::string& name = function_.parameters[static_cast<std::size_t>(root.index)].name;
    std::int32_t number = 0;
    for (const ParameterInfo& parameter : function_.kernel.parameters) {
      if (parameter.name == name) return parameter.is_array ? number : -1;
      if (parameter.is_array) ++number;
    }
    return -1;
  }

  /// The bits of a scalar, in an i64.
  Instruction* bits_of(Instruction* value) {
    constexpr ScalarType kSameSize[] = {ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64};
    const ScalarType type = value->type.scalar;
    if (is_float(type))
      value = builder_.emit_typed(
          Opcode::Bitcast, Type::of(kSameSize[std::countr_zero(static_cast<unsigned>(size_in_bytes(type)))]), {value});
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
  const Known& known_;
  Uses& uses_;
  Steps& steps_;
  const bool has_warp_operations_;  // the module
  const std::unordered_set<const Instruction*> deciding_ = any_instruction(function_.body, is_atomic)
                                                               ? deciding_values(function_, Decision::Any)
                                                               : std::unordered_set<const Instruction*>();
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

bool is_settled(const Instruction* check, const Predictability& predictability) {
  return !asks_for_faults(check) && predictability.has_value(check->operands[0]) && predictability.is_reached(check);
}

/// A launch that is not watched any more has been, with the same outcome of all checks that depend on the launch alone.
void drop_settled_checks(Function& plain, const Predictability& predictability) {
  drop_checks(plain.body, [&](const Instruction* check) { return is_settled(check, predictability); });
  const bool has_checks =
      any_instruction(plain.body, [](const Instruction* i) { return is_check(i) && !asks_for_faults(i); });
  if (!has_checks) drop_checks(plain.body, asks_for_faults);
}

/// Whether a loop may turn until another block writes something, so that blocks cannot run in any order.
bool may_wait(const Function& kernel) {
  bool waits = false;
  std::unordered_set<const Function*> functions = {&kernel};
  for_each_instruction_reached(kernel, [&](const Instruction* i) {
    if (i->opcode == Opcode::Call) functions.insert(i->callee);
  });
  for (const Function* function : functions) {
    const auto changes = [&](const Instruction* i) { return loads_what_changes(*function, i); };
    if (!any_instruction(function->body, changes)) continue;
    const std::unordered_set<const Instruction*> deciding = deciding_values(*function, Decision::Turns);
    waits |= std::ranges::any_of(deciding, changes);
  }
  return waits;
}

/// Whether a block may run unwatched, without its settled checks, where another has been watched that went the same
/// way: nothing that it does is seen but what is alike.
bool has_alike_blocks(const Function& kernel, const Known& known) {
  bool is_alike = known.by_way.has_order(kernel) && !may_wait(kernel);
  for_each_instruction_reached(kernel, [&](const Instruction* instruction) {
    is_alike &= instruction->opcode != Opcode::Print && instruction->opcode != Opcode::Foreign;
    if (is_check(instruction) && is_settled(instruction, known.by_launch))
      is_alike &= is_settled(instruction, known.by_way);
  });
  return is_alike;
}

/// What the sites of a kernel say of all of it. Who waits for an earlier block must not run before it.
void describe(WatchedKernel& watched, const Function& kernel, const std::vector<ObservedSite>& sites) {
  for_each_instruction_reached(kernel, [&](const Instruction* instruction) {
    if (instruction->opcode != Opcode::Observe) return;
    const ObservedSite& site = sites[static_cast<std::size_t>(instruction->index)];
    if (site.is_access() && !site.is_alike)
      watched.doubtful_sites.push_back(static_cast<std::int32_t>(instruction->index));
    if (site.decides) watched.has_alike_blocks = false;
  });
}

/// Kernels that have no watched copy, and what they call: they keep their checks.
std::unordered_set<const Function*> functions_of_unwatched(const Module& module) {
  std::unordered_set<const Function*> found;
  for (const auto& kernel : module.functions) {
    if (!kernel->is_kernel || !kernel->runs_warps_apart) continue;
    found.insert(kernel.get());
    for_each_instruction_reached(*kernel, [&](const Instruction* i) {
      if (i->opcode == Opcode::Call) found.insert(i->callee);
    });
  }
  return found;
}

}  // namespace

void observe(Module& module, Sanitize what, const Diagnostics& comments) {
  Module copies = copy_to_watch(module);
  const Known known{separate_library_calls(copies), Predictability(copies),
                    Predictability(copies, Predictability::By::Way), comments};
  Uses uses(copies);
  Steps steps(module);
  const bool has_warp_operations = std::ranges::any_of(copies.functions, [](const auto& any) {
    return any_instruction(any->body, [](const Instruction* i) { return has_builtin_effect(i, Effect::Warp); });
  });
  for (const auto& copy : copies.functions) {
    if (copy->is_kernel)
      copy->kernel.watched = {.looks_for = what,
                              .is_predictable = known.by_launch.has_order(*copy),
                              .has_alike_blocks = has_alike_blocks(*copy, known)};
    Observing(module, *copy, what, known, uses, steps, has_warp_operations).run();
  }
  for (const auto& copy : copies.functions) {
    if (!copy->is_kernel) continue;
    describe(copy->kernel.watched, *copy, module.observed);
    if (copy->kernel.watched.has_alike_blocks) steps.tell(*copy);
  }
  const Predictability of_plain(module);
  const std::unordered_set<const Function*> unwatched = functions_of_unwatched(module);
  for (const auto& plain : module.functions)
    if (!unwatched.contains(plain.get())) drop_settled_checks(*plain, of_plain);
  add_copies(module, std::move(copies));
}

}  // namespace pykc::ir
