// A walk backwards through the text. A loop is walked until its start is stable; it begins with what an earlier walk
// found there, so that nesting does not multiply the work.
#include "ir/analysis/liveness.h"

namespace pykc::ir {

void LocalSet::insert(std::size_t i) {
  if (i / 64 >= words_.size()) words_.resize(i / 64 + 1);
  words_[i / 64] |= std::uint64_t{1} << (i % 64);
}

void LocalSet::erase(std::size_t i) {
  if (i / 64 < words_.size()) words_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
}

bool LocalSet::add(const LocalSet& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
  bool is_new = false;
  for (std::size_t i = 0; i < other.words_.size(); ++i) {
    is_new |= (other.words_[i] & ~words_[i]) != 0;
    words_[i] |= other.words_[i];
  }
  return is_new;
}

void LocalSet::keep_only(const LocalSet& other) {
  if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
}

Liveness::Liveness(const Function& function, const LocalEffects* effects) : effects_(effects) {
  for (const Local& local : function.locals) numbers_.emplace(&local, numbers_.size());
  if (effects != nullptr)
    for (const Local* mask : effects->masks) masks_.insert(number_of(mask));
  walk(function.body, {});
}

const LocalSet& Liveness::at_start(const Instruction* construct, int block) const {
  return points_.at(construct).starts[static_cast<std::size_t>(block)];
}

const LocalSet& Liveness::after(const Instruction* construct) const { return points_.at(construct).after; }

LocalSet Liveness::walk(const Block& block, LocalSet live) {
  for (std::size_t i = block.instructions.size(); i-- > 0;) live = walk(block.instructions[i], std::move(live));
  return live;
}

LocalSet Liveness::walk(const Instruction* instruction, LocalSet live) {
  switch (instruction->opcode) {
    case Opcode::LocalLoad:
      live.insert(number_of(instruction->local));
      return live;
    case Opcode::LocalStore:
      live.erase(number_of(instruction->local));
      return live;
    case Opcode::If: {
      Point& point = points_[instruction];
      point.after = std::move(live);
      for (std::size_t i = 0; i < 2; ++i) point.starts[i] = walk(instruction->blocks[i], point.after);
      LocalSet before = point.starts[0];
      before.add(point.starts[1]);
      return before;
    }
    case Opcode::Scope: {
      Point& point = points_[instruction];
      point.after = std::move(live);
      return point.starts[0] = walk(instruction->blocks[0], point.after);
    }
    case Opcode::Loop:
      points_[instruction].after = std::move(live);
      return walk_loop(instruction);
    case Opcode::ThreadLoop:
      points_[instruction].after = std::move(live);
      return walk_thread_loop(instruction);
    case Opcode::Break:
      return points_[instruction->target].after;
    case Opcode::Continue:
      return points_[instruction->target].starts[1];
    case Opcode::Return:
      return at_return(instruction);
    case Opcode::Fault:
      return {};
    default:
      return apply_effects(instruction, std::move(live));
  }
}

LocalSet Liveness::apply_effects(const Instruction* instruction, LocalSet live) const {
  if (effects_ == nullptr) return live;
  const auto access = effects_->accesses.find(instruction);
  if (access == effects_->accesses.end()) return live;
  for (const Local* local : access->second.writes) live.erase(number_of(local));
  for (const Local* local : access->second.reads) live.insert(number_of(local));
  return live;
}

LocalSet Liveness::walk_loop(const Instruction* loop) {
  Point& point = points_[loop];
  do {
    point.starts[1] = walk(loop->blocks[1], point.starts[0]);
  } while (point.starts[0].add(walk(loop->blocks[0], point.starts[1])));
  return point.starts[0];
}

LocalSet Liveness::walk_thread_loop(const Instruction* loop) {
  Point& point = points_[loop];
  after_turn_ = &point.after;
  point.starts[0] = walk(loop->blocks[0], point.after);
  after_turn_ = nullptr;
  return point.starts[0];
}

LocalSet Liveness::at_return(const Instruction* leave) {
  if (after_turn_ == nullptr) return {};
  LocalSet live = *after_turn_;
  live.keep_only(masks_);
  if (effects_ != nullptr) {
    const auto exit = effects_->exits.find(leave);
    if (exit != effects_->exits.end() && exit->second != nullptr) live.add(points_[exit->second].after);
  }
  return points_[leave].after = std::move(live);
}

}  // namespace pykc::ir
