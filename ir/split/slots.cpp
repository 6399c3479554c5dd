// Locals in regions.
//
// A local that is live where no region begins or ends is private to a turn and stays a Local, a separate one for each
// region. A local that crosses has a slot. Inside a region it is still a Local, so that code generation can keep it in
// a register: loaded from the slot at the start of the region if it is read or may be left as it was, stored to the
// slot at the end if it was set and is read later. Two cases need no Local: one that is only read is the value loaded,
// one that is only set is stored to the slot at once.
//
// Masks are loaded and stored by every thread, in front of and behind the guard; other locals only by those inside it.
// In a lockstep turn every thread loads and stores all of them, for vectors of plain stores are faster than stores
// under a mask. So the ends of turns in the middle of a region become exits from a Scope with these stores behind it.
#include "ir/split/slots.h"

#include "ir/builder.h"
#include "ir/split/regions.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

/// How one local is used in one region, and what becomes of it there.
struct Usage {
  Local* local = nullptr;
  bool is_for_all = false;  // loaded and stored by every thread
  bool is_loaded = false;
  int stores = 0;
  bool comes_in = false;           // the slot's value may be needed
  bool goes_out = false;           // the value set here may be needed later
  Local* own = nullptr;            // the region's own Local, or
  Instruction* loaded = nullptr;   // the value of the slot, for one that is only read, or
  bool is_stored_at_once = false;  // for one that is only set

  bool is_stored() const { return stores > 0; }
};

class SlotAssigner {
 public:
  SlotAssigner(Function& kernel, Regions& regions)
      : kernel_(kernel), regions_(regions), liveness_(kernel, &regions.effects), builder_(kernel) {}

  void run() {
    std::vector<Instruction*> thread_loops;
    for_each_instruction(kernel_.body, [&](Instruction* instruction) {
      if (instruction->opcode == Opcode::ThreadLoop) thread_loops.push_back(instruction);
    });
    for (Instruction* loop : thread_loops) assign(*loop);
  }

 private:
  void assign(Instruction& loop);
  void collect(const Instruction& loop);
  void decide(const Instruction& loop, Usage& usage);
  Block build_prologue(bool for_all);
  void append_epilogue(Block& to, bool for_all, const LocalSet* live);
  void rewrite(Block& block);
  void append_common_epilogue(Instruction& loop);
  Usage& usage_of(const Local* local) { return usages_[indices_.at(local)]; }
  std::int64_t slot_of(const Local* local);
  Instruction* create(Opcode opcode, Type type) { return kernel_.create(opcode, type, {}); }

  Function& kernel_;
  Regions& regions_;
  Liveness liveness_;
  Builder builder_;
  std::unordered_set<const Local*> taken_;  // locals that a region has for its own
  // What is known of the current region:
  std::vector<Usage> usages_;  // in the order of the text
  std::unordered_map<const Local*, std::size_t> indices_;
  std::unordered_map<const Instruction*, Instruction*> values_;  // for loads of locals that are only read
  bool has_exits_ = false;
};

void SlotAssigner::assign(Instruction& loop) {
  collect(loop);
  for (Usage& usage : usages_) decide(loop, usage);
  Block& body = regions_.body_of(&loop);
  const Block common_prologue = build_prologue(true);
  const Block prologue = build_prologue(false);
  rewrite(loop.blocks[0]);
  if (!is_terminated(body)) append_epilogue(body, false, nullptr);
  body.instructions.insert(body.instructions.begin(), prologue.instructions.begin(), prologue.instructions.end());
  append_common_epilogue(loop);
  loop.blocks[0].instructions.insert(loop.blocks[0].instructions.begin(), common_prologue.instructions.begin(),
                                     common_prologue.instructions.end());
}

void SlotAssigner::collect(const Instruction& loop) {
  usages_.clear();
  indices_.clear();
  values_.clear();
  has_exits_ = false;
  for_each_instruction(loop.blocks[0], [&](const Instruction* instruction) {
    has_exits_ |= instruction->opcode == Opcode::Return;
    if (instruction->local == nullptr) return;
    const auto [entry, is_new] = indices_.try_emplace(instruction->local, usages_.size());
    if (is_new) usages_.push_back({.local = instruction->local});
    Usage& usage = usages_[entry->second];
    usage.is_loaded |= instruction->opcode == Opcode::LocalLoad;
    usage.stores += instruction->opcode == Opcode::LocalStore ? 1 : 0;
  });
}

void SlotAssigner::decide(const Instruction& loop, Usage& usage) {
  const std::size_t number = liveness_.number_of(usage.local);
  const bool is_mask = regions_.effects.masks.contains(usage.local);
  usage.is_for_all = is_mask || regions_.unmasked.contains(&loop);
  const auto guard = regions_.guards.find(&loop);
  const Instruction* entry = usage.is_for_all || guard == regions_.guards.end() ? &loop : guard->second;
  usage.comes_in = liveness_.at_start(entry, 0).contains(number);
  usage.goes_out = usage.is_stored() && liveness_.after(&loop).contains(number);
  if (usage.comes_in && !usage.is_stored()) {
    usage.loaded = create(Opcode::SlotLoad, usage.local->type);
    usage.loaded->index = slot_of(usage.local);
  } else if (usage.goes_out && !usage.comes_in && !usage.is_loaded &&
             (!usage.is_for_all || (is_mask && usage.stores == 1))) {
    usage.is_stored_at_once = true;  // a mask that is stored once: by every thread, for no thread leaves before
  } else {
    const bool is_first = taken_.insert(usage.local).second;
    usage.own = is_first ? usage.local : kernel_.create_local_like(*usage.local, usage.local->name);
  }
}

std::int64_t SlotAssigner::slot_of(const Local* local) {
  const auto [slot, is_new] = regions_.slots.try_emplace(local, static_cast<std::int64_t>(kernel_.slots.size()));
  if (is_new) kernel_.slots.push_back(local->type);
  return slot->second;
}

Block SlotAssigner::build_prologue(bool for_all) {
  Block block;
  builder_.enter(block);
  for (Usage& usage : usages_) {
    if (usage.is_for_all != for_all || !usage.comes_in) continue;
    Instruction* load = usage.loaded;
    if (load != nullptr) {
      block.instructions.push_back(load);
      continue;
    }
    load = builder_.emit_typed(Opcode::SlotLoad, usage.local->type, {});
    load->index = slot_of(usage.local);
    builder_.store_local(usage.own, load);
  }
  builder_.leave();
  return block;
}

/// Stores to the slots what goes out; where `live` is given, what of it is live there.
void SlotAssigner::append_epilogue(Block& to, bool for_all, const LocalSet* live) {
  builder_.enter(to);
  for (const Usage& usage : usages_) {
    if (usage.is_for_all != for_all || !usage.goes_out || usage.own == nullptr) continue;
    if (live != nullptr && !live->contains(liveness_.number_of(usage.local))) continue;
    builder_.emit(Opcode::SlotStore, {builder_.load_local(usage.own)})->index = slot_of(usage.local);
  }
  builder_.leave();
}

/// Puts the region's own locals and slots in place of the locals, and what goes out in front of each end of a turn.
void SlotAssigner::rewrite(Block& block) {
  Block to;
  for (Instruction* instruction : block.instructions) {
    for (Instruction*& operand : instruction->operands)
      if (const auto value = values_.find(operand); value != values_.end()) operand = value->second;
    for (Block& nested : instruction->blocks) rewrite(nested);
    switch (instruction->opcode) {
      case Opcode::LocalLoad:
        if (Usage& usage = usage_of(instruction->local); usage.loaded != nullptr) {
          values_[instruction] = usage.loaded;
          continue;
        } else {
          instruction->local = usage.own;
        }
        break;
      case Opcode::LocalStore:
        if (const Usage& usage = usage_of(instruction->local); usage.is_stored_at_once) {
          instruction->opcode = Opcode::SlotStore;
          instruction->index = slot_of(usage.local);
          instruction->local = nullptr;
        } else {
          instruction->local = usage.own;
        }
        break;
      case Opcode::Return:
        append_epilogue(to, false, &liveness_.after(instruction));
        break;
      default:
        break;
    }
    to.instructions.push_back(instruction);
  }
  block = std::move(to);
}

/// Puts the stores of every thread behind everything, where every end of a turn comes past.
void SlotAssigner::append_common_epilogue(Instruction& loop) {
  Block& body = loop.blocks[0];
  Block epilogue;
  append_epilogue(epilogue, true, nullptr);
  if (epilogue.empty()) return;
  if (has_exits_) {
    Instruction* scope = create(Opcode::Scope, Type::none());
    scope->blocks.push_back(std::move(body));
    for_each_instruction(scope->blocks[0], [&](Instruction* instruction) {
      if (instruction->opcode != Opcode::Return) return;
      instruction->opcode = Opcode::Break;
      instruction->target = scope;
    });
    body.instructions = {scope};
  }
  body.instructions.insert(body.instructions.end(), epilogue.instructions.begin(), epilogue.instructions.end());
}

}  // namespace

void assign_slots(Function& kernel, Regions& regions) { SlotAssigner(kernel, regions).run(); }

}  // namespace pykc::ir::split
