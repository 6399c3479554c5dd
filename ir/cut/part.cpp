// One run of instructions becomes a function: its code is copied, and what crosses its borders gets a parameter or a
// result. Inside, every result has a local as its home, from which the one Return at the end reads it; what leaves the
// run before its end leaves a Scope around it, after it has set the local `exit`.
#include <algorithm>
#include <utility>

#include "ir/builder.h"
#include "ir/cut/cut.h"
#include "ir/passes/clone.h"
#include "ir/walk.h"

namespace pykc::ir::cut {

// --- Index -----------------------------------------------------------------------------------------------------------

Index::Bond Index::index(const Block& block, bool is_thread_code) {
  Bond bond = Bond::None;
  for (Instruction* instruction : block.instructions) bond = std::max(bond, index(instruction, is_thread_code));
  return bond;
}

Index::Bond Index::index(Instruction* instruction, bool is_thread_code) {
  Place& place = places_[instruction];  // addresses of elements are stable
  place.begin = next_++;
  const bool has_slot = instruction->opcode == Opcode::SlotLoad || instruction->opcode == Opcode::SlotStore;
  Bond bond = has_slot ? Bond::Slot : Bond::None;
  for (const Instruction* operand : instruction->operands) {
    users_[operand].push_back(instruction);
    if (operand->type.is_pointer() && operand->type.space == AddressSpace::Parameter) bond = Bond::Record;
  }
  if (instruction->local != nullptr) {
    Span& span = spans_.try_emplace(instruction->local, Span{place.begin, place.begin}).first->second;
    span.last = place.begin;
    span.is_of_block |= !is_thread_code;
  }
  const bool is_thread_loop = instruction->opcode == Opcode::ThreadLoop;
  for (const Block& nested : instruction->blocks)
    bond = std::max(bond, index(nested, is_thread_code || is_thread_loop));
  place.end = next_;
  if (is_thread_loop && bond == Bond::Slot) bond = Bond::None;
  if (bond != Bond::None) bound_.insert(instruction);
  return bond;
}

bool Index::is_used_from(std::size_t place, const Instruction* value) const {
  const auto users = users_.find(value);
  return users != users_.end() &&
         std::ranges::any_of(users->second, [&](const Instruction* user) { return places_.at(user).begin >= place; });
}

void Index::add(const Block& block, std::size_t first, Place place) {
  for (std::size_t i = first; i < block.instructions.size(); ++i) {
    Instruction* instruction = block.instructions[i];
    places_[instruction] = place;
    for (const Instruction* operand : instruction->operands) users_[operand].push_back(instruction);
    for (const Block& nested : instruction->blocks) add(nested, 0, place);
  }
}

void Index::replace_from(std::size_t place, Instruction* value, Instruction* by) {
  std::vector<Instruction*> moved;
  for (Instruction* user : users_[value]) {
    if (places_.at(user).begin < place) continue;
    std::ranges::replace(user->operands, value, by);
    moved.push_back(user);
  }
  std::vector<Instruction*>& users = users_[by];
  users.insert(users.end(), moved.begin(), moved.end());
}

// --- The part --------------------------------------------------------------------------------------------------------

namespace {

class PartMaker {
 public:
  PartMaker(Function& from, Index& index, const Block& run, FunctionPart kind, Block& to)
      : from_(from),
        index_(index),
        run_(run),
        place_{index.place(run.instructions.front()).begin, index.place(run.instructions.back()).end},
        range_(run.instructions.front()->range),
        to_(to),
        part_(std::make_unique<Function>()),
        cloner_(*part_),
        inside_(*part_),
        outside_(from) {
    part_->part = kind;
    inside_.set_range(range_);
    outside_.set_range(range_);
    outside_.enter(to_);
  }

  std::unique_ptr<Function> make(std::string symbol) {
    declare(std::move(symbol));
    const std::size_t first = to_.instructions.size();
    collect(run_, part_->part == FunctionPart::OfThread);
    copy_body();
    write_call();
    index_.add(to_, first, place_);
    for (const auto& [value, by] : replacements_) index_.replace_from(place_.end, value, by);
    return std::move(part_);
  }

 private:
  /// Where the run is left before its end. `code` is the value of the last result that says so.
  struct Exit {
    Opcode opcode;
    Instruction* target;
    std::int64_t code;
  };

  /// A result: a variable, a value, or one of the results of the function that a Return in the run gives.
  struct Output {
    Local* home;
    Local* local;
    Instruction* value;
  };

  void declare(std::string symbol);
  void collect(const Block& block, bool is_thread_code);
  void collect_value(Instruction* value);
  void collect_local(const Instruction* access);
  void collect_exit(Instruction* exit);
  Instruction* add_input(Parameter parameter, Instruction* argument);
  Local* add_output(const char* name, Type type, Local* local, Instruction* value);
  void copy_body();
  void adapt(Block& block, Instruction* scope);
  void leave(Instruction* exit, Instruction* scope);
  void write_call();
  void write_exit(const Exit& exit, const std::vector<Instruction*>& results);

  Function& from_;
  Index& index_;
  const Block& run_;
  const Place place_;
  const SourceRange range_;
  Block& to_;
  std::unique_ptr<Function> part_;
  Cloner cloner_;
  Builder inside_;   // the part
  Builder outside_;  // at the end of `to_`
  std::unordered_set<const Instruction*> seen_values_;
  std::unordered_set<const Local*> seen_locals_, stored_locals_;
  std::vector<Instruction*> arguments_;
  std::vector<Output> outputs_;
  std::vector<Exit> exits_;
  std::vector<Local*> function_results_;
  std::unordered_map<Instruction*, Local*> homes_;        // of values that go out
  std::unordered_map<Instruction*, std::int64_t> codes_;  // of what leaves the run
  Local* code_ = nullptr;
  std::unordered_map<std::int64_t, std::int64_t> formats_, foreign_codes_, boxes_;  // numbers here, by those in `from_`
  std::vector<std::pair<Instruction*, Instruction*>> replacements_;
};

void PartMaker::declare(std::string symbol) {
  part_->name = from_.name;
  part_->is_watched = from_.is_watched;
  part_->is_recursive = from_.is_recursive;  // its calls are under way together with those of the whole
  part_->runs_warps_apart = from_.runs_warps_apart;
  part_->symbol = std::move(symbol);
  part_->range = range_;
  part_->source = from_.source;
  part_->fast_math = from_.fast_math;
  part_->contract = from_.contract;
  if (part_->part == FunctionPart::OfThread) return;
  part_->local_arrays = from_.local_arrays;
  part_->shared_arrays = from_.shared_arrays;
  part_->slots = from_.slots;
}

void PartMaker::collect(const Block& block, bool is_thread_code) {
  for (Instruction* instruction : block.instructions) {
    for (Instruction* operand : instruction->operands) collect_value(operand);
    if (instruction->local != nullptr) collect_local(instruction);
    const bool ends_turn = is_thread_code && part_->part == FunctionPart::OfBlock;
    if (is_terminator(instruction) && !ends_turn) collect_exit(instruction);
    if (!instruction->type.is_none() && index_.is_used_from(place_.end, instruction))
      homes_[instruction] = add_output("value", instruction->type, nullptr, instruction);
    const bool is_thread_loop = instruction->opcode == Opcode::ThreadLoop;
    for (const Block& nested : instruction->blocks) collect(nested, is_thread_code || is_thread_loop);
  }
}

void PartMaker::collect_value(Instruction* value) {
  if (place_.contains(index_.place(value).begin) || !seen_values_.insert(value).second) return;
  if (value->opcode == Opcode::Constant || value->opcode == Opcode::ConstantArray)
    return inside_.block().instructions.push_back(cloner_.clone(value));
  Parameter parameter;
  if (value->opcode == Opcode::Parameter) parameter = from_.parameters[static_cast<std::size_t>(value->index)];
  parameter.no_alias = false;  // addresses that were computed from it may come in as well
  parameter.type = value->type;
  cloner_.replace(value, add_input(std::move(parameter), value));
}

void PartMaker::collect_local(const Instruction* access) {
  Local* local = access->local;
  const Span span = index_.span(local);
  const bool is_new = seen_locals_.insert(local).second;
  if (is_new) cloner_.replace(local, part_->create_local_like(*local, local->name));
  // What is private to the turns of threads stays so.
  if (part_->part == FunctionPart::OfBlock && !span.is_of_block) return;
  if (place_.contains(span.first) && place_.contains(span.last)) return;
  if (is_new) {
    Parameter parameter;
    parameter.type = local->type;
    inside_.store_local(cloner_(local), add_input(std::move(parameter), outside_.load_local(local)));
  }
  if (access->opcode == Opcode::LocalStore && stored_locals_.insert(local).second)
    outputs_.push_back({cloner_(local), local, nullptr});
}

void PartMaker::collect_exit(Instruction* exit) {
  if (exit->opcode == Opcode::Fault) return;
  const bool is_return = exit->opcode == Opcode::Return;
  if (!is_return && place_.contains(index_.place(exit->target).begin)) return;
  const auto known = std::ranges::find_if(
      exits_, [&](const Exit& other) { return other.opcode == exit->opcode && other.target == exit->target; });
  if (known != exits_.end()) {
    codes_[exit] = known->code;
    return;
  }
  codes_[exit] = exits_.emplace_back(Exit{exit->opcode, exit->target, std::ssize(exits_) + 1}).code;
  if (!is_return) return;
  for (const Type type : from_.results) function_results_.push_back(add_output("result", type, nullptr, nullptr));
}

Instruction* PartMaker::add_input(Parameter parameter, Instruction* argument) {
  parameter.name = "in" + std::to_string(arguments_.size());
  part_->parameters.push_back(std::move(parameter));
  arguments_.push_back(argument);
  return inside_.parameter(static_cast<int>(arguments_.size()) - 1);
}

Local* PartMaker::add_output(const char* name, Type type, Local* local, Instruction* value) {
  return outputs_.emplace_back(Output{part_->create_local(name, type), local, value}).home;
}

void PartMaker::copy_body() {
  Instruction* scope = nullptr;
  if (!exits_.empty()) {
    code_ = part_->create_local("exit", Type::of(ScalarType::I32));
    inside_.store_local(code_, inside_.constant_int(ScalarType::I32, 0));
    scope = inside_.scope();
    inside_.enter(scope->blocks[0]);
  }
  Block copy;
  cloner_.clone(run_, copy);
  for (const auto& [value, home] : std::exchange(homes_, {})) homes_[cloner_(value)] = home;
  for (const auto& [exit, code] : std::exchange(codes_, {})) codes_[cloner_(exit)] = code;
  adapt(copy, scope);
  std::vector<Instruction*>& to = inside_.block().instructions;
  to.insert(to.end(), copy.instructions.begin(), copy.instructions.end());
  if (scope != nullptr) inside_.leave();

  std::vector<Instruction*> results;
  for (const Output& output : outputs_) results.push_back(inside_.load_local(output.home));
  if (code_ != nullptr) results.push_back(inside_.load_local(code_));
  for (const Instruction* result : results) part_->results.push_back(result->type);
  inside_.return_(std::move(results));
}

/// Makes the copy fit for the part: values that go out are kept, and what leaves the run leaves the scope.
void PartMaker::adapt(Block& block, Instruction* scope) {
  const Block source = std::exchange(block, {});
  inside_.enter(block);
  for (Instruction* instruction : source.instructions) {
    if (codes_.contains(instruction)) {
      leave(instruction, scope);
      break;
    }
    block.instructions.push_back(instruction);
    for (Block& nested : instruction->blocks) adapt(nested, scope);
    if (const auto home = homes_.find(instruction); home != homes_.end())
      inside_.store_local(home->second, instruction);
    const auto adopt = [&](const auto& table, auto& own_table, auto& numbers) {
      const auto [number, is_new] = numbers.try_emplace(instruction->index, std::ssize(own_table));
      if (is_new) own_table.push_back(table[static_cast<std::size_t>(instruction->index)]);
      instruction->index = number->second;
    };
    if (instruction->opcode == Opcode::Print) adopt(from_.print_formats, part_->print_formats, formats_);
    if (instruction->opcode == Opcode::Foreign) adopt(from_.foreign_codes, part_->foreign_codes, foreign_codes_);
    if (instruction->opcode == Opcode::TensorMap) adopt(from_.tensor_maps, part_->tensor_maps, boxes_);
  }
  inside_.leave();
}

void PartMaker::leave(Instruction* exit, Instruction* scope) {
  for (std::size_t i = 0; i < exit->operands.size(); ++i) inside_.store_local(function_results_[i], exit->operands[i]);
  inside_.store_local(code_, inside_.constant_int(ScalarType::I32, codes_.at(exit)));
  inside_.break_(scope);
}

void PartMaker::write_call() {
  Instruction* call = outside_.call(part_.get(), std::move(arguments_));
  std::vector<Instruction*> extracts;
  for (std::size_t i = 0; i < part_->results.size(); ++i)
    extracts.push_back(outside_.extract(call, static_cast<int>(i)));
  std::vector<Instruction*> function_results;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].local != nullptr)
      outside_.store_local(outputs_[i].local, extracts[i]);
    else if (outputs_[i].value != nullptr)
      replacements_.emplace_back(outputs_[i].value, extracts[i]);
    else
      function_results.push_back(extracts[i]);
  }
  for (const Exit& exit : exits_) {
    Instruction* code = outside_.constant_int(ScalarType::I32, exit.code);
    outside_.enter(outside_.if_(outside_.emit(Opcode::Eq, {extracts.back(), code}))->blocks[0]);
    write_exit(exit, function_results);
    outside_.leave();
  }
}

void PartMaker::write_exit(const Exit& exit, const std::vector<Instruction*>& results) {
  if (exit.opcode == Opcode::Return)
    outside_.return_(results);
  else if (exit.opcode == Opcode::Break)
    outside_.break_(exit.target);
  else
    outside_.continue_(exit.target);
}

}  // namespace

std::unique_ptr<Function> make_part(Function& from, Index& index, const Block& run, FunctionPart kind,
                                    std::string symbol, Block& to) {
  return PartMaker(from, index, run, kind, to).make(std::move(symbol));
}

}  // namespace pykc::ir::cut
