// Builds the block-level program: regions (ThreadLoops), and the scalars and control flow between them.
//
// Instructions that run once a thread gather in the pending region. Where threads meet, or block-level control begins
// or ends, the pending region is flushed: it becomes a ThreadLoop. Scalars go straight to block level, in front of the
// pending region: they depend on nothing in it.
//
// Masks. A frame stands for each block-level construct around the current place, the function itself first. A frame may
// have a mask: a bool per thread that says whether the thread is in the construct. Masks nest: whoever is in an inner
// one is in all outer ones. So the innermost mask alone guards a region.
//
//   function  `alive`   set at the start, cleared when the thread returns
//   Scope     `inside`  set on entry, cleared by a Break
//   Loop      `looping` set on entry, cleared by a Break; the Loop goes on while it holds for any thread
//   If        `then`    set to the condition on entry; `otherwise` to its opposite
//
// A thread that leaves a construct clears the masks of all frames that it leaves and ends its turn. A mask that is set
// in a region is first cleared for all threads, for those that do not get so far.
//
// When threads have returned, the block looks whether any is left before it goes on: in front of whatever comes next,
// of every exit and at the end of a turn of a loop, so that a loop that can only be left by returning ends. When a
// thread has faulted, the launch has failed: its block ends behind the region, so faults need no masks.
#include "ir/split/regions.h"

#include <array>
#include <string>
#include <utility>

#include "ir/builder.h"
#include "ir/passes/clone.h"
#include "ir/split/plan.h"
#include "ir/walk.h"
#include "pykc/kernel_abi.h"

namespace pykc::ir::split {
namespace {

constexpr const char* kBarrierFault = "syncthreads() is reached by only some of the threads of a block";

/// Messages of what goes wrong at a barrier at which the warps of a block wait one by one, as abi::BarrierFault has
/// them.
std::array<std::string, abi::kBarrierFaults> barrier_messages(const Instruction* barrier) {
  const std::string name(pykc::info(barrier->builtin).name);
  if (is_cluster_barrier(barrier))
    return {name + "() waits for ever: no warp of the cluster can go on",
            name + "(): `cluster_arrive` and `cluster_wait` take turns, and `cluster_sync` is both"};
  if (!is_named_barrier(barrier)) return {name + "() waits for ever: no warp of the block can go on"};
  const std::string call = name + "({0}, {1})";
  return {call + " waits for ever: {2} threads have come, and no warp of the block can go on",
          call + ": barriers have numbers from 1 to 15, and counts are multiples of 32, up to 1024",
          call + ": another warp waits there for {2} threads"};
}

/// A block-level construct around the current place; the function's own has none. The mask is null where no thread can
/// leave it alone.
struct Frame {
  const Instruction* construct;
  Local* mask;
};

/// Where arguments number `position` of warp exchanges wait.
struct ArgumentLocal {
  std::size_t position;
  Local* local;
};

struct Pending {
  std::vector<Local*> masks;  // set by the region for those that come to its end
  Block body;
  bool has_exits = false;
  bool ends_threads = false;
  bool can_fault = false;
};

class RegionBuilder {
 public:
  RegionBuilder(Function& kernel, Module& module, const Plan& plan)
      : kernel_(kernel), module_(module), plan_(plan), builder_(kernel) {}
  Regions run();

 private:
  void build(const Block& source);
  void build(Instruction* instruction);
  void build_into(Block& block, const Block& source, Frame frame);
  void build_meeting_point(Instruction* instruction);
  void observe(abi::Meeting meeting);
  void build_exchange(Instruction* instruction);
  void add_barrier_faults(Instruction* barrier);
  Local* argument_local(std::size_t position, const Instruction* argument);
  void check_that_all_are_here(const Instruction* barrier);
  void build_construct(Instruction* instruction);
  void build_uniform(Instruction* instruction);
  void build_masked_if(Instruction* branch);
  void build_masked_branch(Frame frame, const Block& source);
  void build_masked_region(Instruction* region);
  void build_exit(Instruction* exit);

  void add_to_region(Instruction* instruction);
  void adapt(Block& block);
  void append_exit(const Instruction* target, SourceRange range, Block& to);
  void clear_masks(const Instruction* target, Block& to);
  void flush();
  void flush_and_start();
  Instruction* begin_thread_loop();
  void fill_thread_loop(Instruction* loop);
  void end_block_if_nobody_is_left();
  void end_block_if(Instruction* condition);

  Local* guard() const;
  Local* create_slot_local(const char* name, Type type);
  Local* create_mask(const char* name);
  void set_mask(Local* mask, Instruction* value);
  Instruction* any(const Local* mask) { return ask(Opcode::SlotAny, mask); }
  Instruction* many(const Local* mask) { return ask(Opcode::SlotMany, mask); }
  Instruction* ask(Opcode question, const Local* mask);

  Function& kernel_;
  Module& module_;
  const Plan& plan_;
  Builder builder_;  // stands in the current block of the block-level program
  Regions regions_;
  std::vector<Frame> frames_;
  Pending pending_;
  std::vector<ArgumentLocal> argument_locals_;
  Local* alive_ = nullptr;
  bool is_alive_set_ = false;
  bool is_in_lockstep_ = false;    // in a loop that threads leave at different times though nobody meets in it
  bool has_lost_threads_ = false;  // since the last look whether any is left
};

Regions RegionBuilder::run() {
  if (plan_.needs_alive_mask()) alive_ = create_mask("alive");
  frames_.push_back({nullptr, alive_});
  const Block source = std::exchange(kernel_.body, {});
  build(source);
  return std::move(regions_);
}

void RegionBuilder::build(const Block& source) {
  for (Instruction* instruction : source.instructions) build(instruction);
  flush();
}

void RegionBuilder::build(Instruction* instruction) {
  builder_.set_range(instruction->range);
  if (is_meeting_point(instruction))
    build_meeting_point(instruction);
  else if (plan_.is_scalar(instruction))
    builder_.block().instructions.push_back(instruction);
  else if (plan_.is_block_level(instruction))
    build_construct(instruction);
  else if (instruction->opcode == Opcode::Break || instruction->opcode == Opcode::Return)
    build_exit(instruction);
  else
    add_to_region(instruction);
}

/// Builds `source` into a block of a construct, with the construct's frame around it.
void RegionBuilder::build_into(Block& block, const Block& source, Frame frame) {
  builder_.enter(block);
  frames_.push_back(frame);
  build(source);
  frames_.pop_back();
  builder_.leave();
}

// --- What threads meet at -------------------------------------------------------------------------------------------

void RegionBuilder::build_meeting_point(Instruction* instruction) {
  if (instruction->builtin == BuiltinId::Syncwarp) {
    flush();
    return observe(abi::Meeting::Warp);
  }
  if (kernel_.runs_warps_apart && (is_barrier(instruction) || is_named_barrier(instruction))) {
    add_barrier_faults(instruction);
    return build_exchange(instruction);
  }
  if (instruction->builtin == BuiltinId::Syncthreads) {
    flush();
    check_that_all_are_here(instruction);
    return observe(abi::Meeting::Block);
  }
  if (instruction->builtin == BuiltinId::GridSync) {
    flush_and_start();
    check_that_all_are_here(instruction);
    builder_.block().instructions.push_back(instruction);
    return observe(abi::Meeting::Grid);
  }
  const bool is_for_block = is_barrier(instruction);
  build_exchange(instruction);
  observe(is_for_block ? abi::Meeting::Block : abi::Meeting::Warp);
}

/// Tells the sanitizer, where there is one, that the threads have met; not where none of them has come.
void RegionBuilder::observe(abi::Meeting meeting) {
  if (!kernel_.is_watched) return;
  if (guard() != nullptr) builder_.enter(builder_.if_(any(guard()))->blocks[0]);
  builder_.emit(Opcode::ObserveMeeting, {})->index = static_cast<std::int64_t>(meeting);
  if (guard() != nullptr) builder_.leave();
}

/// What the runtime reports where the barrier is never opened.
void RegionBuilder::add_barrier_faults(Instruction* barrier) {
  barrier->index = static_cast<std::int64_t>(module_.faults.size());
  for (std::string& message : barrier_messages(barrier))
    if (!message.empty())
      add_fault_site(module_, std::move(message), source_of(module_, kernel_, barrier), barrier->range);
}

/// The instruction becomes a WarpExchange; its arguments and its result, where threads have their own, live in slots.
void RegionBuilder::build_exchange(Instruction* instruction) {
  LocalEffects::Access& access = regions_.effects.accesses[instruction];
  std::vector<Instruction*> shared_arguments;
  std::vector<std::int64_t> slots;
  for (Instruction* argument : instruction->operands) {
    if (plan_.is_scalar(argument)) {
      shared_arguments.push_back(argument);
      slots.push_back(-1);
      continue;
    }
    Local* local = argument_local(slots.size(), argument);
    builder_.enter(pending_.body);
    builder_.store_local(local, argument);
    builder_.leave();
    slots.push_back(regions_.slots[local]);
    access.reads.push_back(local);
  }
  flush_and_start();
  if (is_barrier(instruction) || is_named_barrier(instruction)) check_that_all_are_here(instruction);
  slots.push_back(guard() == nullptr ? -1 : regions_.slots[guard()]);
  if (guard() != nullptr) access.reads.push_back(guard());
  slots.push_back(-1);
  if (!is_barrier(instruction) && !instruction->type.is_none()) {
    Local* result = create_slot_local("result", instruction->type);
    slots.back() = regions_.slots[result];
    access.writes.push_back(result);
    regions_.homes[instruction] = result;
    instruction->type = Type::none();
  }
  instruction->opcode = Opcode::WarpExchange;
  instruction->operands = std::move(shared_arguments);
  instruction->slots = std::move(slots);
  builder_.block().instructions.push_back(instruction);
}

/// Exchanges come one after the other, so they share the slots of their arguments.
Local* RegionBuilder::argument_local(std::size_t position, const Instruction* argument) {
  const auto home = regions_.homes.find(argument);  // another exchange has no type of its own any more
  const Type type = home == regions_.homes.end() ? argument->type : home->second->type;
  for (const ArgumentLocal& known : argument_locals_)
    if (known.position == position && known.local->type == type) return known.local;
  return argument_locals_.emplace_back(ArgumentLocal{position, create_slot_local("argument", type)}).local;
}

/// All who live, of the block or of the warp, must be in the innermost mask; the first who is not reports it, and the
/// block ends.
void RegionBuilder::check_that_all_are_here(const Instruction* barrier) {
  if (guard() == alive_) return;
  Local* missing = create_mask("missing");
  builder_.enter(builder_.if_(any(guard()))->blocks[0]);
  builder_.enter(begin_thread_loop()->blocks[0]);
  Instruction* is_missing = builder_.emit(Opcode::Not, {builder_.load_local(guard())});
  if (alive_ != nullptr) is_missing = builder_.emit(Opcode::And, {builder_.load_local(alive_), is_missing});
  builder_.store_local(missing, is_missing);
  builder_.leave();
  builder_.enter(builder_.if_(any(missing))->blocks[0]);
  builder_.enter(begin_thread_loop()->blocks[0]);
  builder_.enter(builder_.if_(builder_.load_local(missing))->blocks[0]);
  std::string message = kBarrierFault;
  if (kernel_.runs_warps_apart)
    message = std::string(pykc::info(barrier->builtin).name) + "() is reached by only some of the threads of a warp";
  builder_.fault(add_fault_site(module_, std::move(message), source_of(module_, kernel_, barrier), barrier->range), {});
  builder_.leave();
  builder_.leave();
  builder_.return_();
  builder_.leave();
  builder_.leave();
}

// --- Control flow ---------------------------------------------------------------------------------------------------

void RegionBuilder::build_construct(Instruction* instruction) {
  if (!plan_.is_masked(instruction)) {
    flush_and_start();
    return build_uniform(instruction);
  }
  if (instruction->opcode == Opcode::If) return build_masked_if(instruction);
  build_masked_region(instruction);
}

void RegionBuilder::build_uniform(Instruction* instruction) {
  end_block_if_nobody_is_left();
  builder_.block().instructions.push_back(instruction);
  bool has_lost_threads = false;  // in any of the blocks
  for (Block& block : instruction->blocks) {
    const Block source = std::exchange(block, {});
    build_into(block, source, {instruction, nullptr});
    has_lost_threads |= std::exchange(has_lost_threads_, false);
  }
  has_lost_threads_ = has_lost_threads;
  if (instruction->opcode != Opcode::Loop || is_terminated(instruction->blocks[0])) return;
  builder_.enter(instruction->blocks[0]);
  end_block_if_nobody_is_left();
  builder_.leave();
}

void RegionBuilder::build_masked_if(Instruction* branch) {
  Instruction* condition = branch->operands[0];  // an exchange, whose result is in a local, has no type any more
  Local* then = create_mask("then");
  Local* otherwise = nullptr;
  builder_.enter(pending_.body);
  set_mask(then, condition);
  if (!branch->blocks[1].empty()) {
    otherwise = create_mask("otherwise");
    set_mask(otherwise, builder_.emit_typed(Opcode::Not, Type::of(ScalarType::Bool), {condition}));
  }
  builder_.leave();
  flush_and_start();
  build_masked_branch({branch, then}, branch->blocks[0]);
  if (otherwise != nullptr) build_masked_branch({branch, otherwise}, branch->blocks[1]);
}

void RegionBuilder::build_masked_branch(Frame frame, const Block& source) {
  end_block_if_nobody_is_left();
  Instruction* branch = builder_.if_(any(frame.mask));
  build_into(branch->blocks[0], source, frame);
}

/// A Loop that goes on while any thread is in it, or a Scope.
void RegionBuilder::build_masked_region(Instruction* region) {
  const bool is_loop = region->opcode == Opcode::Loop;
  // Nobody meets in it, so the last few threads may go on by themselves, one after the other.
  const bool is_lockstep = plan_.is_lockstep(region);
  Instruction* rest = is_lockstep ? Cloner(kernel_).clone(region) : nullptr;
  Local* mask = create_mask(is_loop ? "looping" : "inside");
  builder_.enter(pending_.body);
  set_mask(mask, builder_.constant_int(ScalarType::Bool, 1));
  builder_.leave();
  flush_and_start();
  end_block_if_nobody_is_left();
  builder_.block().instructions.push_back(region);
  Block& body = region->blocks[0];
  const Block source = std::exchange(body, {});
  if (is_loop) {
    builder_.enter(body);
    Instruction* is_over = builder_.emit(Opcode::Not, {is_lockstep ? many(mask) : any(mask)});
    builder_.enter(builder_.if_(is_over)->blocks[0]);
    builder_.break_(region);
    builder_.leave();
    builder_.leave();
  }
  is_in_lockstep_ = is_lockstep;
  build_into(body, source, {region, mask});
  is_in_lockstep_ = false;
  if (!is_lockstep) return;
  frames_.push_back({region, mask});
  add_to_region(rest);
  flush();
  frames_.pop_back();
}

void RegionBuilder::build_exit(Instruction* exit) {
  if (!plan_.is_direct(exit)) return append_exit(exit->target, exit->range, pending_.body);
  flush();
  end_block_if_nobody_is_left();
  builder_.block().instructions.push_back(exit);
}

// --- Regions --------------------------------------------------------------------------------------------------------

void RegionBuilder::add_to_region(Instruction* instruction) {
  Block block{{instruction}};
  adapt(block);
  pending_.body.instructions.insert(pending_.body.instructions.end(), block.instructions.begin(),
                                    block.instructions.end());
}

/// Makes code fit for a region: exits from block-level constructs clear masks and end the turn, and scalar locals are
/// read at block level.
void RegionBuilder::adapt(Block& block) {
  const Block source = std::exchange(block, {});
  for (Instruction* instruction : source.instructions) {
    switch (instruction->opcode) {
      case Opcode::LocalLoad: {
        Block& to = plan_.is_scalar(instruction->local) ? builder_.block() : block;
        to.instructions.push_back(instruction);
        break;
      }
      case Opcode::Break:
      case Opcode::Continue:
        if (plan_.is_block_level(instruction->target))
          append_exit(instruction->target, instruction->range, block);
        else
          block.instructions.push_back(instruction);
        break;
      case Opcode::Return:
        append_exit(nullptr, instruction->range, block);
        break;
      default:
        pending_.can_fault |= plan_.can_fault(instruction);
        for (Block& nested : instruction->blocks) adapt(nested);
        block.instructions.push_back(instruction);
    }
  }
}

void RegionBuilder::append_exit(const Instruction* target, SourceRange range, Block& to) {
  clear_masks(target, to);
  builder_.enter(to);
  builder_.set_range(range);
  regions_.effects.exits[builder_.return_()] = target;
  builder_.leave();
}

/// Takes the thread out of `target` and all constructs in it; out of the function where that is null.
void RegionBuilder::clear_masks(const Instruction* target, Block& to) {
  pending_.has_exits = true;
  pending_.ends_threads |= target == nullptr;
  builder_.enter(to);
  for (std::size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].mask != nullptr) builder_.store_local(frames_[i].mask, builder_.constant_int(ScalarType::Bool, 0));
    if (frames_[i].construct == target) break;
  }
  builder_.leave();
}

/// Makes the pending region a ThreadLoop.
void RegionBuilder::flush() {
  if (pending_.body.empty()) return;
  end_block_if_nobody_is_left();
  fill_thread_loop(begin_thread_loop());
  has_lost_threads_ |= pending_.ends_threads && alive_ != nullptr;
  if (pending_.can_fault) end_block_if(builder_.emit(Opcode::AnyFault, {}));
  pending_ = {};
}

/// The same; afterwards `alive` is set, so that what follows may stand in a loop.
void RegionBuilder::flush_and_start() {
  flush();
  if (alive_ != nullptr && !is_alive_set_) fill_thread_loop(begin_thread_loop());
}

Instruction* RegionBuilder::begin_thread_loop() {
  Instruction* loop = builder_.emit(Opcode::ThreadLoop, {});
  loop->blocks.resize(1);
  return loop;
}

void RegionBuilder::fill_thread_loop(Instruction* loop) {
  builder_.enter(loop->blocks[0]);
  const bool is_start = alive_ != nullptr && !is_alive_set_;
  const bool is_guarded = guard() != nullptr && !is_start;
  if (is_start) builder_.store_local(alive_, builder_.constant_int(ScalarType::Bool, 1));
  is_alive_set_ = true;
  if (is_guarded || pending_.has_exits)
    for (Local* mask : pending_.masks) builder_.store_local(mask, builder_.constant_int(ScalarType::Bool, 0));
  if (is_in_lockstep_) regions_.unmasked.insert(loop);
  if (is_guarded) regions_.guards[loop] = builder_.if_(builder_.load_local(guard()));
  Block& body = regions_.body_of(loop);
  body.instructions.insert(body.instructions.end(), pending_.body.instructions.begin(),
                           pending_.body.instructions.end());
  builder_.leave();
}

void RegionBuilder::end_block_if_nobody_is_left() {
  if (!has_lost_threads_) return;
  has_lost_threads_ = false;
  end_block_if(builder_.emit(Opcode::Not, {any(alive_)}));
}

void RegionBuilder::end_block_if(Instruction* condition) {
  builder_.enter(builder_.if_(condition)->blocks[0]);
  builder_.return_();
  builder_.leave();
}

// --- Masks ----------------------------------------------------------------------------------------------------------

Local* RegionBuilder::guard() const {
  for (std::size_t i = frames_.size(); i-- > 0;)
    if (frames_[i].mask != nullptr) return frames_[i].mask;
  return nullptr;
}

Local* RegionBuilder::create_slot_local(const char* name, Type type) {
  Local* local = kernel_.create_local(name, type);
  regions_.slots[local] = static_cast<std::int64_t>(kernel_.slots.size());
  kernel_.slots.push_back(type);
  return local;
}

Local* RegionBuilder::create_mask(const char* name) {
  Local* mask = create_slot_local(name, Type::of(ScalarType::Bool));
  regions_.effects.masks.insert(mask);
  return mask;
}

/// Where the builder stands, in the pending region.
void RegionBuilder::set_mask(Local* mask, Instruction* value) {
  builder_.store_local(mask, value);
  pending_.masks.push_back(mask);
}

Instruction* RegionBuilder::ask(Opcode question, const Local* mask) {
  Instruction* answer = builder_.emit_typed(question, Type::of(ScalarType::Bool), {});
  answer->index = regions_.slots.at(mask);
  regions_.effects.accesses[answer].reads.push_back(mask);
  return answer;
}

}  // namespace

Regions build_regions(Function& kernel, Module& module, const Plan& plan) {
  return RegionBuilder(kernel, module, plan).run();
}

}  // namespace pykc::ir::split
