#include "tests/unit/ir/split/random_kernel.h"

#include <algorithm>

namespace pykc::ir {
namespace {

constexpr Type kI64 = Type::of(ScalarType::I64);
constexpr Type kI32 = Type::of(ScalarType::I32);
constexpr Type kU32 = Type::of(ScalarType::U32);
constexpr Type kBool = Type::of(ScalarType::Bool);
constexpr int kArraySize = 4;
constexpr int kConstants = 8;

}  // namespace

std::unique_ptr<Module> RandomKernel::make() {
  module_ = std::make_unique<Module>();
  std::string numbers(kConstants * sizeof(std::int64_t), '\0');
  for (std::size_t i = 0; i < kConstants; ++i) numbers[i * sizeof(std::int64_t)] = static_cast<char>(3 * i + 1);
  module_->constant_arrays.push_back({.name = "c", .element = ScalarType::I64, .bytes = numbers});
  module_->faults.push_back({"fault", "", 1, 1});
  make_helper(false);
  make_helper(true);
  begin_kernel();
  budget_ = 10 + number(40);
  block(0);
  if (!builder_->is_terminated()) finish();
  return std::move(module_);
}

/// A device function of two arguments and one result, which returns from several places; one has a barrier.
void RandomKernel::make_helper(bool meets) {
  module_->functions.push_back(std::make_unique<Function>());
  function_ = module_->functions.back().get();
  function_->name = function_->symbol = meets ? "meets" : "plain";
  function_->parameters = {{.name = "a", .type = kI64}, {.name = "b", .type = kI64}};
  function_->results = {kI64};
  Builder b(*function_);
  Instruction* sum = b.emit(Opcode::Add, {b.parameter(0), b.parameter(1)});
  b.enter(b.if_(b.emit(Opcode::Eq, {b.emit(Opcode::And, {sum, b.constant_i64(4)}), b.constant_i64(0)}))->blocks[0]);
  if (!meets) b.return_({b.emit(Opcode::Mul, {sum, b.constant_i64(3)})});
  b.leave();
  if (meets) b.builtin(BuiltinId::Syncthreads, Type::none(), {});
  b.enter(b.if_(b.emit(Opcode::Lt, {sum, b.constant_i64(50)}))->blocks[0]);
  b.return_({b.emit(Opcode::Sub, {sum, b.parameter(0)})});
  b.leave();
  b.return_({sum});
  helpers_.push_back(function_);
}

void RandomKernel::begin_kernel() {
  module_->functions.push_back(std::make_unique<Function>());
  function_ = module_->functions.back().get();
  function_->name = function_->symbol = "k";
  function_->is_kernel = true;
  const Type pointer = Type::pointer(ScalarType::I64, AddressSpace::Global);
  function_->parameters = {
      {.name = "out", .type = pointer}, {.name = "in", .type = pointer}, {.name = "n", .type = kI64}};
  function_->shared_arrays.push_back({.name = "s", .element = ScalarType::I64, .count = kThreads});
  function_->local_arrays.push_back({.name = "a", .element = ScalarType::I64, .count = kArraySize});
  builder_ = std::make_unique<Builder>(*function_);
  begin_body();
}

/// Gives every local, array element and the thread's element of shared memory a value.
void RandomKernel::begin_body() {
  Builder& b = *builder_;
  in_ = b.parameter(1);
  Instruction* block = b.builtin(BuiltinId::BlockIdxX, kI64, {});
  count_ = b.builtin(BuiltinId::BlockDimX, kI64, {});
  Instruction* place = b.emit(Opcode::Add, {b.emit(Opcode::Mul, {block, count_}), thread()});
  out_ = b.emit(Opcode::ElementPointer, {b.parameter(0), place});
  uniform_values_ = {b.parameter(2), block, count_, i64(1)};
  values_ = {thread(), load_at(in_, place), i64(7)};
  for (int i = 0; i < 3; ++i) {
    locals_.push_back(function_->create_local("v", kI64));
    b.store_local(locals_.back(), pick(values_));
    uniform_locals_.push_back(function_->create_local("u", kI64));
    b.store_local(uniform_locals_.back(), pick(uniform_values_));
  }
  for (int i = 0; i < kArraySize; ++i)
    b.store(b.emit(Opcode::ElementPointer, {b.local_array(0), i64(i)}), b.emit(Opcode::Add, {thread(), i64(i)}));
  b.store(b.emit(Opcode::ElementPointer, {b.shared_array(0), thread()}), values_[1]);
}

Instruction* RandomKernel::thread() { return builder_->builtin(BuiltinId::ThreadIdxX, kI64, {}); }

RandomKernel::Sort RandomKernel::sort() { return static_cast<Sort>(number(3)); }

Instruction* RandomKernel::combine(Instruction* a, Instruction* b) {
  return builder_->emit(pick(std::vector{Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::Xor, Opcode::Mod}), {a, b});
}

Instruction* RandomKernel::value() {
  Instruction* a = chance(40) && !locals_.empty() ? builder_->load_local(pick(locals_)) : pick(values_);
  if (chance(50)) return a;
  Instruction* made = combine(a, chance(30) ? uniform_value() : pick(values_));
  values_.push_back(made);
  return made;
}

Instruction* RandomKernel::uniform_value() {
  Instruction* a =
      chance(50) && !uniform_locals_.empty() ? builder_->load_local(pick(uniform_locals_)) : pick(uniform_values_);
  if (chance(50)) return a;
  Instruction* made = chance(25) ? load_at(builder_->constant_array(0, ScalarType::I64),
                                           builder_->emit(Opcode::And, {a, i64(kConstants - 1)}))
                                 : combine(a, chance(50) ? i64(number(9)) : pick(uniform_values_));
  uniform_values_.push_back(made);
  return made;
}

Instruction* RandomKernel::value_of(Sort sort) {
  if (sort == Sort::Uniform) return uniform_value();
  if (sort == Sort::Divergent) return value();
  return builder_->emit(Opcode::Add, {load_at(in_, i64(number(9))), uniform_value()});
}

Instruction* RandomKernel::condition(Sort sort) {
  Instruction* rest = builder_->emit(Opcode::And, {value_of(sort), i64(chance(50) ? 3 : 1)});
  return builder_->emit(chance(50) ? Opcode::Eq : Opcode::Ne, {rest, i64(number(3))});
}

void RandomKernel::block(int depth) {
  for (int i = 1 + number(4); i-- > 0 && !builder_->is_terminated();) statement(depth);
}

void RandomKernel::enter(Block& block) {
  builder_->enter(block);
  visible_.push_back({values_.size(), uniform_values_.size()});
}

void RandomKernel::leave() {
  builder_->leave();
  values_.resize(visible_.back().first);
  uniform_values_.resize(visible_.back().second);
  visible_.pop_back();
}

void RandomKernel::statement(int depth) {
  const bool may_nest = depth < 4 && --budget_ > 0;
  switch (number(may_nest ? 15 : 9)) {
    case 0:
      return use_array();
    case 1:
      return all_are_here() ? share() : assign();
    case 2:
      return all_are_here() ? exchange_in_warp() : assign();
    case 3:
      return all_are_here() ? exchange_in_part_of_warp() : assign();
    case 4:
      return all_are_here() ? vote_in_block() : assign();
    case 5:
      return call();
    case 6:
      return record();
    case 7:
      return assign();
    case 8:
      return check();
    case 9:
    case 10:
      return branch(depth);
    case 11:
    case 12:
      return loop(depth);
    case 13:
      return scope(depth);
    default:
      return exit();
  }
}

void RandomKernel::assign() {
  if (all_are_here() && chance(40))
    builder_->store_local(pick(uniform_locals_), uniform_value());
  else
    builder_->store_local(pick(locals_), value());
}

void RandomKernel::use_array() {
  Instruction* index = builder_->emit(Opcode::And, {value(), i64(kArraySize - 1)});
  Instruction* element = builder_->emit(Opcode::ElementPointer, {builder_->local_array(0), index});
  if (chance(50))
    builder_->store(element, value());
  else
    values_.push_back(builder_->load(element));
}

/// Reads another thread's element of shared memory, with a barrier before and one behind.
void RandomKernel::share() {
  Builder& b = *builder_;
  b.store(b.emit(Opcode::ElementPointer, {b.shared_array(0), thread()}), value());
  b.builtin(BuiltinId::Syncthreads, Type::none(), {});
  Instruction* other = b.emit(Opcode::Mod, {b.emit(Opcode::Add, {thread(), i64(1 + number(5))}), count_});
  Instruction* read = load_at(b.shared_array(0), other);
  values_.push_back(read);
  if (chance(50)) b.store_local(pick(locals_), read);
  b.builtin(BuiltinId::Syncthreads, Type::none(), {});
}

void RandomKernel::exchange_in_warp() {
  Builder& b = *builder_;
  const BuiltinId id =
      pick(std::vector{BuiltinId::ShflSync, BuiltinId::ShflUpSync, BuiltinId::ShflDownSync, BuiltinId::ShflXorSync});
  Instruction* lane = chance(50) ? b.constant_int(ScalarType::I32, number(32))
                                 : b.emit_typed(Opcode::Cast, kI32, {b.emit(Opcode::And, {value(), i64(31)})});
  values_.push_back(b.builtin(
      id, kI64,
      {b.constant_int(ScalarType::U32, -1), value(), lane, b.constant_int(ScalarType::I32, chance(50) ? 32 : 8)}));
}

/// The first lanes of each warp meet in a branch.
void RandomKernel::exchange_in_part_of_warp() {
  Builder& b = *builder_;
  const int lanes = 1 + number(31);
  Instruction* branch = b.if_(b.emit(Opcode::Lt, {b.builtin(BuiltinId::LaneId, kI64, {}), i64(lanes)}));
  enter(branch->blocks[0]);
  Instruction* predicate = b.emit(Opcode::Lt, {value(), value()});
  Instruction* votes = b.builtin(BuiltinId::BallotSync, kU32,
                                 {b.constant_int(ScalarType::U32, (std::int64_t{1} << lanes) - 1), predicate});
  b.store_local(pick(locals_), b.emit_typed(Opcode::Cast, kI64, {votes}));
  leave();
}

void RandomKernel::vote_in_block() {
  Builder& b = *builder_;
  Instruction* predicate = b.emit(Opcode::Lt, {value(), value()});
  const bool counts = chance(50);
  Instruction* votes =
      b.builtin(counts ? BuiltinId::SyncthreadsCount : BuiltinId::SyncthreadsOr, counts ? kI32 : kBool, {predicate});
  uniform_values_.push_back(b.emit_typed(Opcode::Cast, kI64, {votes}));
}

void RandomKernel::call() {
  const bool meets = all_are_here() && chance(50);
  const bool is_uniform = chance(30);
  Instruction* a = is_uniform ? uniform_value() : value();
  Instruction* b = is_uniform ? uniform_value() : value();
  Instruction* call = builder_->call(helpers_[meets ? 1 : 0], {a, b});
  Instruction* result = builder_->extract(call, 0);
  (is_uniform ? uniform_values_ : values_).push_back(result);
}

void RandomKernel::record() {
  Instruction* old = builder_->emit(Opcode::Mul, {builder_->load(out_), i64(31)});
  builder_->store(out_, builder_->emit(Opcode::Add, {old, value()}));
}

/// An assertion that holds.
void RandomKernel::check() {
  Builder& b = *builder_;
  Instruction* bits = b.emit(Opcode::And, {value_of(sort()), i64(3)});
  enter(b.if_(b.emit(Opcode::Gt, {bits, i64(3)}))->blocks[0]);
  b.fault(0, {bits});
  leave();
}

void RandomKernel::branch(int depth) {
  const Sort sort = this->sort();
  Instruction* branch = builder_->if_(condition(sort));
  if (sort == Sort::Divergent) ++divergent_depth_;
  for (Block& arm : branch->blocks) {
    if (&arm != branch->blocks.data() && chance(50)) continue;
    enter(arm);
    block(depth + 1);
    leave();
  }
  if (sort == Sort::Divergent) --divergent_depth_;
}

/// A loop of up to three turns, and more ways to leave it.
void RandomKernel::loop(int depth) {
  const Sort sort = this->sort();
  const bool all_stay = sort != Sort::Divergent && all_are_here();
  if (!all_stay) ++divergent_depth_;
  count_turns(depth, sort, all_stay);
  if (!all_stay) --divergent_depth_;
}

void RandomKernel::count_turns(int depth, Sort sort, bool all_stay) {
  Builder& b = *builder_;
  Instruction* turns = b.emit(Opcode::And, {value_of(sort), i64(3)});
  Local* turn = function_->create_local("turn", kI64);
  b.store_local(turn, i64(0));
  Instruction* loop = b.loop();
  enter(loop->blocks[0]);
  enter(b.if_(b.emit(Opcode::Lt, {b.load_local(turn), turns}))->blocks[1]);
  b.break_(loop);
  leave();
  values_.push_back(b.load_local(turn));
  regions_.push_back({loop, true, all_stay});
  block(depth + 1);
  regions_.pop_back();
  leave();
  enter(loop->blocks[1]);
  b.store_local(turn, b.emit(Opcode::Add, {b.load_local(turn), i64(1)}));
  leave();
}

void RandomKernel::scope(int depth) {
  Instruction* scope = builder_->scope();
  regions_.push_back({scope, false, false});
  enter(scope->blocks[0]);
  block(depth + 1);
  leave();
  regions_.pop_back();
}

/// Leaves or repeats a region around, or the kernel, under a condition.
void RandomKernel::exit() {
  const Sort sort = this->sort();
  enter(builder_->if_(condition(sort))->blocks[0]);
  if (sort == Sort::Divergent) ++divergent_depth_;
  if (regions_.empty() || chance(15)) {
    builder_->return_();
  } else {
    const auto region = static_cast<std::size_t>(number(static_cast<int>(regions_.size())));
    const bool repeats = regions_[region].is_loop && chance(50);
    if (all_are_here() || may_leave_alone(region, repeats)) exit_to(region, repeats);
  }
  if (sort == Sort::Divergent) --divergent_depth_;
  leave();
}

void RandomKernel::exit_to(std::size_t region, bool repeats) {
  regions_[region].has_lost_some |= !all_are_here();
  if (repeats)
    builder_->continue_(regions_[region].construct);
  else
    builder_->break_(regions_[region].construct);
}

bool RandomKernel::may_leave_alone(std::size_t region, bool repeats) const {
  for (std::size_t i = region + 1; i < regions_.size(); ++i)
    if (regions_[i].all_stay) return false;
  return repeats || !regions_[region].all_stay;
}

bool RandomKernel::all_are_here() const {
  return divergent_depth_ == 0 && std::ranges::none_of(regions_, [](const Region& r) { return r.has_lost_some; });
}

/// The end: perhaps a branch or a loop in which only those meet who have not come to the kernel's end.
void RandomKernel::finish() {
  record();
  Builder& b = *builder_;
  switch (number(3)) {
    case 0:
      enter(b.if_(condition(Sort::Divergent))->blocks[static_cast<std::size_t>(number(2))]);
      block(2);
      if (!b.is_terminated()) record();
      leave();
      break;
    case 1:
      count_turns(2, Sort::Divergent, true);
      break;
    default:
      break;
  }
  b.return_();
}

}  // namespace pykc::ir
