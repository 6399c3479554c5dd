#include "tests/reference/stepper.h"

#include <algorithm>
#include <chrono>

#include "ir/walk.h"
#include "tests/reference/math.h"
#include "tests/reference/print_text.h"

namespace pykc::reference {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Scalar;

constexpr std::size_t kMaximumFrames = 2000;

Scalar scalar_of(ir::Type type, std::uint64_t bits) {
  return {type.is_scalar() ? type.scalar : ScalarType::U64, bits};  // addresses are compared and chosen as numbers
}

std::uint64_t load(ScalarType type, std::uint64_t address) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, std::bit_cast<const void*>(address), static_cast<std::size_t>(size_in_bytes(type)));
  return type == ScalarType::Bool ? bits != 0 : bits;
}

void store(ScalarType type, std::uint64_t address, std::uint64_t bits) {
  std::memcpy(std::bit_cast<void*>(address), &bits, static_cast<std::size_t>(size_in_bytes(type)));
}

std::size_t bytes_of(const ir::ArrayStorage& array) {
  return static_cast<std::size_t>(array.count * size_in_bytes(array.element));
}

bool is_at_least(Scalar a, Scalar b) { return ir::evaluate(Opcode::Ge, ScalarType::Bool, {{a, b}}) != 0; }

std::uint64_t binary(Opcode opcode, Scalar a, Scalar b) { return *ir::evaluate(opcode, a.type, {{a, b}}); }

std::uint64_t apply(ir::AtomicOp op, Scalar old, Scalar value) {
  const Scalar one = {old.type, 1};
  switch (op) {
    case ir::AtomicOp::Add:
      return binary(Opcode::Add, old, value);
    case ir::AtomicOp::Sub:
      return binary(Opcode::Sub, old, value);
    case ir::AtomicOp::Max:
      return *ir::evaluate(BuiltinId::Max, {{old, value}});
    case ir::AtomicOp::Min:
      return *ir::evaluate(BuiltinId::Min, {{old, value}});
    case ir::AtomicOp::And:
      return binary(Opcode::And, old, value);
    case ir::AtomicOp::Or:
      return binary(Opcode::Or, old, value);
    case ir::AtomicOp::Xor:
      return binary(Opcode::Xor, old, value);
    case ir::AtomicOp::Exchange:
      return value.bits;
    case ir::AtomicOp::Increment:
      return is_at_least(old, value) ? 0 : binary(Opcode::Add, old, one);
    case ir::AtomicOp::Decrement:
      return old.bits == 0 || !is_at_least(value, old) ? value.bits : binary(Opcode::Sub, old, one);
    case ir::AtomicOp::Raise:
      return ir::evaluate(Opcode::Gt, ScalarType::Bool, {{value, old}}) != 0 ? value.bits : old.bits;
    case ir::AtomicOp::Lower:
      return ir::evaluate(Opcode::Lt, ScalarType::Bool, {{value, old}}) != 0 ? value.bits : old.bits;
  }
  return 0;
}

/// What clock, clock64 and globaltimer give is different each time, but never goes back.
std::uint64_t read_clock() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

bool Stepper::waits(BuiltinId builtin) {
  const Effect effect = info(builtin).effect;
  return effect == Effect::Barrier || effect == Effect::Warp;
}

std::uint64_t Stepper::value(const Thread& thread, const Instruction* of) const {
  const Frame& frame = thread.frames.back();
  return frame.values[frame.numbering->of(of)];
}

void Stepper::set_value(Thread& thread, const Instruction* of, std::uint64_t bits) {
  Frame& frame = thread.frames.back();
  frame.values[frame.numbering->of(of)] = bits;
}

void Stepper::report_error(const Thread& thread, const std::string& what) {
  if (is_stopped()) return;
  const auto text = [](Dim3 place) {
    return "(" + std::to_string(place.x) + ", " + std::to_string(place.y) + ", " + std::to_string(place.z) + ")";
  };
  outcome_.error =
      "block " + text(block_->index) + ", thread " + text(index_of(thread.linear, launch_.block)) + ": " + what;
}

const Numbering& Stepper::numbering_of(const ir::Function& function) {
  return numberings_.try_emplace(&function, function).first->second;
}

void Stepper::start(Thread& thread, const ir::Function& kernel, const std::vector<std::uint64_t>& arguments) {
  push_frame(thread, kernel, nullptr, arguments);
}

void Stepper::push_frame(Thread& thread, const ir::Function& function, const Instruction* call,
                         std::vector<std::uint64_t> arguments) {
  const Numbering& numbering = numbering_of(function);
  Frame& frame = thread.frames.emplace_back(Frame{&function, &numbering, call, std::move(arguments), {}, {}, {}});
  frame.values.resize(numbering.size());
  frame.places.push_back({nullptr, &function.body});
  for (const ir::ArrayStorage& array : function.local_arrays) {
    const std::size_t copies = array.per_thread ? static_cast<std::size_t>(count(launch_.block)) : 1;
    frame.local_arrays.emplace_back(copies * bytes_of(array), std::byte{launch_.poison});
  }
}

std::vector<std::uint64_t> Stepper::operand_values(const Thread& thread, const Instruction& instruction) const {
  std::vector<std::uint64_t> values;
  for (const Instruction* operand : instruction.operands) values.push_back(value(thread, operand));
  return values;
}

std::vector<Scalar> Stepper::operand_scalars(const Thread& thread, const Instruction& instruction) const {
  std::vector<Scalar> scalars;
  for (const Instruction* operand : instruction.operands) {
    scalars.push_back(scalar_of(operand->type, value(thread, operand)));
  }
  return scalars;
}

void Stepper::step(Thread& thread) {
  Place& place = thread.frames.back().places.back();
  if (place.position == place.block->instructions.size()) return end_block(thread);
  execute(thread, *place.block->instructions[place.position++]);
}

void Stepper::execute(Thread& thread, const Instruction& instruction) {
  if (launch_.find_races) check_access(thread, instruction);
  const auto operand = [&](std::size_t i) { return value(thread, instruction.operands[i]); };
  const auto slot = [&]() -> std::uint64_t& {
    return block_->slots[static_cast<std::size_t>(instruction.index)][static_cast<std::size_t>(thread.linear)];
  };
  switch (instruction.opcode) {
    case Opcode::Builtin:
      return builtin(thread, instruction);
    case Opcode::LocalStore:
      return store_local(thread, instruction);
    case Opcode::Store:
    case Opcode::AtomicStore:
    case Opcode::HintedStore:
      return store(instruction.operands[0]->type.scalar, operand(0), operand(1));
    case Opcode::If:
      return enter(thread, instruction, operand(0) != 0 ? 0 : 1);
    case Opcode::Loop:
    case Opcode::Scope:
      return enter(thread, instruction, 0);
    case Opcode::Break:
      return leave(thread, instruction.target);
    case Opcode::Continue:
      return continue_at(thread, instruction.target);
    case Opcode::Return:
      return return_from(thread, operand_values(thread, instruction));
    case Opcode::Call:
      return call(thread, instruction);
    case Opcode::Fault:
      return fault(thread, instruction);
    case Opcode::Print: {
      const auto format = static_cast<std::size_t>(instruction.index);
      outcome_.printed +=
          print_text(thread.frames.back().function->print_formats[format].text, operand_scalars(thread, instruction));
      return;
    }
    case Opcode::Assume:
      return assume(thread, instruction);
    case Opcode::Prefetch:
      return;
    case Opcode::CopyAsync:
      std::memmove(std::bit_cast<void*>(operand(0)), std::bit_cast<const void*>(operand(1)),
                   static_cast<std::size_t>(instruction.index));
      return;
    case Opcode::Foreign:
      return report_error(thread, "foreign code has no meaning here");
    case Opcode::ThreadLoop:
      return begin_threads(thread, instruction);
    case Opcode::SlotStore:
      slot() = operand(0);
      return;
    case Opcode::WarpExchange:
      return exchange_warps(thread, instruction);
    default:
      set_value(thread, &instruction, compute(thread, instruction));
  }
}

/// The instructions that do nothing but give a value.
std::uint64_t Stepper::compute(Thread& thread, const Instruction& instruction) {
  const Frame& frame = thread.frames.back();
  const auto index = static_cast<std::size_t>(instruction.index);
  switch (instruction.opcode) {
    case Opcode::Constant:
      return instruction.constant;
    case Opcode::Parameter:
      return frame.arguments[index];
    case Opcode::LocalArray:
      return local_array(thread, instruction);
    case Opcode::SharedArray:
      return block_->shared.address(*frame.function, instruction.index);
    case Opcode::ConstantArray:
      return bits_of(module_.constant_arrays[index].bytes.data());
    case Opcode::LaunchSharedBytes:
      return static_cast<std::uint64_t>(launch_.launch_shared_bytes);
    case Opcode::LocalLoad:
      return frame.values[frame.numbering->of(instruction.local)];
    case Opcode::ElementPointer: {
      const auto size = static_cast<std::uint64_t>(size_in_bytes(instruction.type.scalar));
      return value(thread, instruction.operands[0]) + value(thread, instruction.operands[1]) * size;
    }
    case Opcode::FieldPointer:
      return value(thread, instruction.operands[0]) + static_cast<std::uint64_t>(instruction.index);
    case Opcode::ClusterPointer: {
      const BlockState& other = blocks_->at(value(thread, instruction.operands[1]));
      return value(thread, instruction.operands[0]) - block_->shared.begin() + other.shared.begin();
    }
    case Opcode::IsAligned:
      return value(thread, instruction.operands[0]) % static_cast<std::uint64_t>(instruction.index) == 0 ? 1 : 0;
    case Opcode::Load:
    case Opcode::AtomicLoad:
    case Opcode::HintedLoad:
      return load(instruction.type.scalar, value(thread, instruction.operands[0]));
    case Opcode::AtomicRmw:
      return atomic(thread, instruction);
    case Opcode::AtomicCas:
      return compare_and_swap(thread, instruction);
    case Opcode::Extract:
      return frame.values[frame.numbering->of(instruction.operands[0]) + index];
    case Opcode::SlotLoad:
      return block_->slots[index][static_cast<std::size_t>(thread.linear)];
    case Opcode::SlotAny:
      return std::ranges::any_of(block_->slots[index], [](std::uint64_t bits) { return bits != 0; });
    case Opcode::SlotMany: {
      const auto count = std::ranges::count_if(block_->slots[index], [](std::uint64_t bits) { return bits != 0; });
      return count >= 8 && 8 * count >= static_cast<std::ptrdiff_t>(block_->slots[index].size());
    }
    case Opcode::AnyFault:
      return 0;  // the first fault ends the run
    default: {
      const std::vector<Scalar> operands = operand_scalars(thread, instruction);
      if (instruction.no_wrap) check_no_wrap(thread, instruction, operands);
      const auto result = ir::evaluate(instruction.opcode, instruction.type.scalar, operands);
      if (!result) report_error(thread, "cannot compute " + std::string(ir::info(instruction.opcode).text));
      return result.value_or(0);
    }
  }
}

/// What the compiler was told about overflow must be so.
void Stepper::check_no_wrap(const Thread& thread, const Instruction& instruction, const std::vector<Scalar>& operands) {
  const auto a = static_cast<std::int64_t>(operands[0].bits), b = static_cast<std::int64_t>(operands[1].bits);
  std::int64_t result = 0;
  const bool wraps = instruction.opcode == Opcode::Add   ? __builtin_add_overflow(a, b, &result)
                     : instruction.opcode == Opcode::Sub ? __builtin_sub_overflow(a, b, &result)
                                                         : __builtin_mul_overflow(a, b, &result);
  if (wraps) report_error(thread, std::string(ir::info(instruction.opcode).text) + " no_wrap wraps");
}

/// What the compiler was told about a local must be so.
void Stepper::store_local(Thread& thread, const Instruction& instruction) {
  const ir::Local& local = *instruction.local;
  Frame& frame = thread.frames.back();
  const std::uint64_t bits = value(thread, instruction.operands[0]);
  const auto number = static_cast<std::int64_t>(bits);
  if (local.type.is(ScalarType::I64) && (number < local.minimum || number > local.maximum)) {
    report_error(thread, "local " + local.name + " leaves its range: " + std::to_string(number));
  }
  frame.values[frame.numbering->of(&local)] = bits;
}

std::uint64_t Stepper::local_array(const Thread& thread, const Instruction& instruction) const {
  const Frame& frame = thread.frames.back();
  const auto index = static_cast<std::size_t>(instruction.index);
  const ir::ArrayStorage& array = frame.function->local_arrays[index];
  const std::size_t before = array.per_thread ? static_cast<std::size_t>(thread.linear) : 0;
  return bits_of(frame.local_arrays[index].data() + before * bytes_of(array));
}

/// The barrier of a cluster is come to and waited at one after the other; whether there is nothing to wait for.
bool Stepper::is_done_at_cluster_barrier(Thread& thread, BuiltinId builtin) {
  Clock& clock = thread.clock;
  const bool arrives = builtin != BuiltinId::ClusterWait, has_arrived = clock.arrivals > clock.meetings;
  if (arrives == has_arrived) report_error(thread, std::string(info(builtin).name) + " is out of turn");
  if (arrives) ++clock.arrivals;
  return builtin == BuiltinId::ClusterArrive;
}

void Stepper::builtin(Thread& thread, const Instruction& instruction) {
  const BuiltinId id = instruction.builtin;
  if (waits(id)) {
    if (!block_->is_split && ir::is_cluster_barrier(&instruction) && is_done_at_cluster_barrier(thread, id)) return;
    if (block_->is_split) return report_error(thread, "a split kernel waits at " + std::string(info(id).name));
    thread.state = ThreadState::Waiting;
    thread.waits_at = &instruction;
    return;
  }
  if (info(id).effect == Effect::Fence || id == BuiltinId::Nanosleep || id == BuiltinId::Breakpoint) return;
  if (info(id).effect == Effect::Memory)
    return set_value(thread, &instruction, ir::wrap_into(instruction.type.scalar, read_clock()));
  const std::vector<Scalar> operands = operand_scalars(thread, instruction);
  std::optional<std::uint64_t> result = place_of_thread(thread, id);
  if (!result) result = ir::evaluate(id, operands);
  if (!result) result = evaluate_math(id, operands);
  if (!result) return report_error(thread, "cannot compute " + std::string(info(id).name));
  set_value(thread, &instruction, *result);
}

std::optional<std::uint64_t> Stepper::place_of_thread(const Thread& thread, BuiltinId builtin) const {
  const auto lane = static_cast<std::uint64_t>(thread.linear % kWarpSize);
  if (builtin == BuiltinId::LaneId) return lane;
  if (builtin == BuiltinId::ClusterRank) return block_->rank;
  if (builtin == BuiltinId::ClusterBlocks) return blocks_->size();
  const std::uint64_t own = std::uint64_t{1} << lane, below = own - 1, all = 0xffffffff;
  if (builtin == BuiltinId::LanemaskLt) return below;
  if (builtin == BuiltinId::LanemaskLe) return below | own;
  if (builtin == BuiltinId::LanemaskEq) return own;
  if (builtin == BuiltinId::LanemaskGe) return all & ~below;
  if (builtin == BuiltinId::LanemaskGt) return all & ~(below | own);
  const std::optional<LaunchCoordinate> coordinate = launch_coordinate(builtin);
  if (!coordinate) return std::nullopt;
  const auto along = [&](const Dim3& place) {
    const std::int64_t coordinates[] = {place.x, place.y, place.z};
    return static_cast<std::uint64_t>(coordinates[coordinate->axis]);
  };
  switch (coordinate->of) {
    case LaunchCoordinate::Of::ThreadIdx:
      return along(index_of(thread.linear, launch_.block));
    case LaunchCoordinate::Of::BlockIdx:
      return along(block_->index);
    case LaunchCoordinate::Of::BlockDim:
      return along(launch_.block);
    case LaunchCoordinate::Of::GridDim:
      return along(launch_.grid);
  }
  return std::nullopt;
}

/// Of memory that threads share.
void Stepper::check_race(const Thread& thread, ir::Type pointer, std::uint64_t address, std::size_t bytes,
                         RaceDetector::Kind kind) {
  const bool is_shared = pointer.space == ir::AddressSpace::Shared || pointer.space == ir::AddressSpace::Cluster;
  if (!is_shared && pointer.space != ir::AddressSpace::Global) return;
  const Dim3 at = block_->index, grid = launch_.grid;
  const auto number_of = [](Dim3 place, Dim3 extents) { return place.x + extents.x * (place.y + extents.y * place.z); };
  const std::int64_t block = number_of(at, grid);
  const std::int64_t cluster = number_of({at.x / cluster_.x, at.y / cluster_.y, at.z / cluster_.z},
                                         {grid.x / cluster_.x, grid.y / cluster_.y, grid.z / cluster_.z});
  const RaceDetector::Access* other =
      races_.touch(address, bytes, {cluster, block, thread.linear, is_shared, kind}, thread.clock);
  if (other != nullptr)
    report_error(thread, "a race with thread " + std::to_string(other->thread) + " of block " +
                             std::to_string(other->block) + " (both linear)");
}

void Stepper::check_access(const Thread& thread, const Instruction& instruction) {
  using Kind = RaceDetector::Kind;
  const auto check = [&](std::size_t operand, std::size_t bytes, Kind kind) {
    const Instruction* pointer = instruction.operands[operand];
    check_race(thread, pointer->type, value(thread, pointer), bytes, kind);
  };
  const auto check_element = [&](Kind kind) {
    check(0, static_cast<std::size_t>(size_in_bytes(instruction.operands[0]->type.scalar)), kind);
  };
  switch (instruction.opcode) {
    case Opcode::Load:
    case Opcode::HintedLoad:
      return check_element(Kind::Read);
    case Opcode::Store:
    case Opcode::HintedStore:
      return check_element(Kind::Write);
    case Opcode::AtomicLoad:
    case Opcode::AtomicStore:
    case Opcode::AtomicRmw:
    case Opcode::AtomicCas:
      return check_element(Kind::Atomic);
    case Opcode::CopyAsync:
      check(1, static_cast<std::size_t>(instruction.index), Kind::Read);
      return check(0, static_cast<std::size_t>(instruction.index), Kind::Write);
    default:
      return;
  }
}

std::uint64_t Stepper::atomic(Thread& thread, const Instruction& instruction) {
  const ScalarType type = instruction.type.scalar;
  const std::uint64_t address = value(thread, instruction.operands[0]);
  const std::uint64_t old = load(type, address);
  store(type, address, apply(instruction.atomic, {type, old}, {type, value(thread, instruction.operands[1])}));
  return old;
}

std::uint64_t Stepper::compare_and_swap(Thread& thread, const Instruction& instruction) {
  const ScalarType type = instruction.type.scalar;
  const std::uint64_t address = value(thread, instruction.operands[0]);
  const std::uint64_t old = load(type, address);
  if (old == value(thread, instruction.operands[1])) store(type, address, value(thread, instruction.operands[2]));
  return old;
}

void Stepper::call(Thread& thread, const Instruction& instruction) {
  if (thread.frames.size() == kMaximumFrames) return report_error(thread, "too many nested calls");
  push_frame(thread, *instruction.callee, &instruction, operand_values(thread, instruction));
}

void Stepper::return_from(Thread& thread, const std::vector<std::uint64_t>& results) {
  if (thread.frames.size() == 1) {
    if (!end_turn(thread)) thread.state = ThreadState::Finished;
    return;
  }
  const Instruction* call = thread.frames.back().call;
  thread.frames.pop_back();
  Frame& caller = thread.frames.back();
  std::ranges::copy(results, caller.values.begin() + static_cast<std::ptrdiff_t>(caller.numbering->of(call)));
}

void Stepper::fault(const Thread& thread, const Instruction& instruction) {
  FaultReport report{instruction.index, block_->index, index_of(thread.linear, launch_.block), {}};
  const std::vector<std::uint64_t> values = operand_values(thread, instruction);
  std::ranges::transform(values, report.values.begin(), [](std::uint64_t v) { return static_cast<std::int64_t>(v); });
  outcome_.fault = report;
}

void Stepper::assume(const Thread& thread, const Instruction& instruction) {
  if (value(thread, instruction.operands[0]) == 0) report_error(thread, "an assumption does not hold");
}

void Stepper::enter(Thread& thread, const Instruction& owner, std::size_t block) {
  thread.frames.back().places.push_back({&owner, &owner.blocks[block]});
}

void Stepper::end_block(Thread& thread) {
  std::vector<Place>& places = thread.frames.back().places;
  const Instruction* owner = places.back().owner;
  if (owner == nullptr) return return_from(thread, {});
  if (owner->opcode == Opcode::ThreadLoop) {
    end_turn(thread);
  } else if (owner->opcode == Opcode::Loop) {
    const bool was_body = places.back().block == &owner->blocks[0];
    places.back() = {owner, &owner->blocks[was_body ? 1 : 0]};
  } else {
    places.pop_back();
  }
}

void Stepper::leave(Thread& thread, const Instruction* region) {
  std::vector<Place>& places = thread.frames.back().places;
  while (places.back().owner != region) places.pop_back();
  places.pop_back();
}

void Stepper::continue_at(Thread& thread, const Instruction* loop) {
  leave(thread, loop);
  enter(thread, *loop, 1);
}

void Stepper::begin_threads(Thread& runner, const Instruction& loop) {
  runner.linear = 0;
  enter(runner, loop, 0);
  begin_turn(runner, loop);
}

/// Nothing private to a turn has a value when it starts.
void Stepper::begin_turn(Thread& runner, const Instruction& loop) {
  Frame& frame = runner.frames.back();
  ir::for_each_instruction(loop.blocks[0], [&](const Instruction* instruction) {
    if (instruction->local != nullptr) frame.values[frame.numbering->of(instruction->local)] = poison_value(launch_);
  });
  for (std::size_t i = 0; i < frame.local_arrays.size(); ++i) {
    if (!frame.function->local_arrays[i].per_thread)
      std::ranges::fill(frame.local_arrays[i], std::byte{launch_.poison});
  }
}

/// Ends the turn of the thread whose part the runner takes in a ThreadLoop, if it stands in one.
bool Stepper::end_turn(Thread& runner) {
  std::vector<Place>& places = runner.frames.back().places;
  const auto is_loop = [](const Place& place) {
    return place.owner != nullptr && place.owner->opcode == Opcode::ThreadLoop;
  };
  const auto loop = std::ranges::find_if(places, is_loop);
  if (loop == places.end()) return false;
  places.erase(loop + 1, places.end());
  loop->position = 0;
  if (++runner.linear == count(launch_.block)) {
    places.pop_back();
    runner.linear = 0;
  } else {
    begin_turn(runner, *loop->owner);
  }
  return true;
}

/// The arguments of all threads of the block, from slots or from operands; opcodes.def tells which.
std::vector<Lane> Stepper::gather_lanes(const Thread& runner, const Instruction& exchange) const {
  const std::size_t arguments = exchange.slots.size() - 2;
  const std::int64_t active = exchange.slots[arguments];
  std::vector<Lane> lanes(static_cast<std::size_t>(count(launch_.block)));
  for (std::size_t thread = 0; thread < lanes.size(); ++thread) {
    const auto slot = [&](std::int64_t index) { return block_->slots[static_cast<std::size_t>(index)][thread]; };
    lanes[thread].is_active = active < 0 || slot(active) != 0;
    std::size_t operand = 0;
    for (std::size_t i = 0; i < arguments; ++i) {
      const std::int64_t index = exchange.slots[i];
      lanes[thread].arguments[i] = index < 0 ? value(runner, exchange.operands[operand++]) : slot(index);
    }
  }
  return lanes;
}

void Stepper::exchange_warps(Thread& runner, const Instruction& instruction) {
  if (runner.frames.back().function->runs_warps_apart)
    return report_error(runner, "a split kernel whose warps run apart");
  std::vector<Lane> threads = gather_lanes(runner, instruction);
  if (info(instruction.builtin).effect == Effect::Barrier) {
    const auto votes_for = [](const Lane& thread) { return thread.is_active && thread.arguments[0] != 0; };
    set_value(runner, &instruction,
              barrier_result(instruction.builtin, std::ranges::count_if(threads, &Lane::is_active),
                             std::ranges::count_if(threads, votes_for)));
    return;
  }
  if (instruction.slots.back() < 0) return;
  std::vector<std::uint64_t>& results = block_->slots[static_cast<std::size_t>(instruction.slots.back())];
  const ScalarType type =
      runner.frames.back().function->slots[static_cast<std::size_t>(instruction.slots.back())].scalar;
  threads.resize((threads.size() + kWarpSize - 1) / kWarpSize * kWarpSize);
  for (std::size_t first = 0; first < threads.size(); first += kWarpSize) {
    Lanes lanes;
    std::copy_n(threads.begin() + static_cast<std::ptrdiff_t>(first), kWarpSize, lanes.begin());
    const auto given = exchange(instruction.builtin, lanes, type);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if (lanes[lane].is_active) results[first + lane] = given[lane];
    }
  }
}

}  // namespace pykc::reference
