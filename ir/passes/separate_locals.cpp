// Two uses of one variable that have nothing to do with each other, such as the `i` of two loops, become two locals, so
// that what is true of one (the same for all threads, needed across a barrier) is not lost for the sake of the other.
//
// A walk forwards keeps, for each local, the number of the store that it holds. A store gives a new number. Where paths
// meet, the numbers of a local that is still to be read are united; the sets that result are the new locals. (A local
// that nobody reads any more is not united, which is what makes the `i` of a later loop a variable of its own.)
#include "ir/passes/separate_locals.h"

#include <numeric>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/analysis/liveness.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

/// Numbers that can be united.
class UnionFind {
 public:
  int create() {
    parents_.push_back(static_cast<int>(parents_.size()));
    return parents_.back();
  }
  int find(int i) {
    while (parents_[index(i)] != i) i = parents_[index(i)] = parents_[index(parents_[index(i)])];
    return i;
  }
  void unite(int a, int b) { parents_[index(find(b))] = find(a); }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  std::vector<int> parents_;
};

/// For each local, by its number, the store that it holds; nothing where control does not come.
using State = std::optional<std::vector<int>>;

class LocalSeparator {
 public:
  explicit LocalSeparator(Function& function) : function_(function), liveness_(function) {}

  void run() {
    State entry(std::in_place);
    for (std::size_t i = 0; i < function_.locals.size(); ++i) entry->push_back(stores_.create());
    walk(function_.body, std::move(entry));
    rename();
  }

 private:
  State walk(const Block& block, State state) {
    for (Instruction* instruction : block.instructions) {
      if (!state) break;  // code that nothing reaches keeps its locals
      state = walk(instruction, std::move(state));
    }
    return state;
  }

  State walk(Instruction* instruction, State state) {
    switch (instruction->opcode) {
      case Opcode::LocalLoad:
        held_[instruction] = (*state)[liveness_.number_of(instruction->local)];
        return state;
      case Opcode::LocalStore:
        held_[instruction] = (*state)[liveness_.number_of(instruction->local)] = stores_.create();
        return state;
      case Opcode::If: {
        State then = walk(instruction->blocks[0], state);
        meet(then, walk(instruction->blocks[1], std::move(state)), liveness_.after(instruction));
        return then;
      }
      case Opcode::Scope: {
        State end = walk(instruction->blocks[0], std::move(state));
        meet(end, std::move(breaks_[instruction]), liveness_.after(instruction));
        return end;
      }
      case Opcode::Loop:
        return walk_loop(instruction, std::move(state));
      case Opcode::Break:
        meet(breaks_[instruction->target], std::move(state), liveness_.after(instruction->target));
        return {};
      case Opcode::Continue:
        meet(continues_[instruction->target], std::move(state), liveness_.at_start(instruction->target, 1));
        return {};
      case Opcode::Return:
      case Opcode::Fault:
        return {};
      default:
        return state;
    }
  }

  State walk_loop(Instruction* loop, State state) {
    const State head = state;
    State end = walk(loop->blocks[0], std::move(state));
    meet(end, std::move(continues_[loop]), liveness_.at_start(loop, 1));
    end = walk(loop->blocks[1], std::move(end));
    meet(end, head, liveness_.at_start(loop, 0));
    return std::move(breaks_[loop]);
  }

  void meet(State& into, State from, const LocalSet& live) {
    if (!into) {
      into = std::move(from);
    } else if (from) {
      for (std::size_t i = 0; i < into->size(); ++i)
        if (live.contains(i)) stores_.unite((*into)[i], (*from)[i]);
    }
  }

  void rename() {
    std::unordered_map<const Local*, bool> is_taken;
    std::unordered_map<int, Local*> locals;
    for_each_instruction(function_.body, [&](Instruction* instruction) {
      const auto held = held_.find(instruction);
      if (held == held_.end()) return;
      Local*& local = locals[stores_.find(held->second)];
      if (local == nullptr) {
        bool& taken = is_taken[instruction->local];
        local = taken ? function_.create_local_like(*instruction->local, instruction->local->name) : instruction->local;
        taken = true;
      }
      instruction->local = local;
    });
  }

  Function& function_;
  Liveness liveness_;
  UnionFind stores_;
  std::unordered_map<const Instruction*, int> held_;  // LocalLoad, LocalStore
  std::unordered_map<const Instruction*, State> breaks_;
  std::unordered_map<const Instruction*, State> continues_;
};

}  // namespace

void separate_locals(Function& function) { LocalSeparator(function).run(); }

}  // namespace pykc::ir::split
