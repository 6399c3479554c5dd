// Makes random kernels that are right: no races, and threads meet only where all that live come.
//
// A kernel mixes what the split must tell apart: conditions that are provably the same for all threads, that are the
// same but not provably (loaded from memory), and that differ; loops and scopes left and repeated under each of them;
// early returns; locals, local arrays, shared memory, values that live across barriers; device functions; warp
// operations of all lanes and of some.
#pragma once

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

namespace pykc::ir {

class RandomKernel {
 public:
  static constexpr int kThreads = 96;  // the most that its shared memory has room for

  explicit RandomKernel(unsigned seed) : random_(seed) {}
  /// A module with the kernel @k(%out: ptr<i64, global>, %in: ptr<i64, global>, %n: i64).
  std::unique_ptr<Module> make();

 private:
  /// Who takes a decision alike: all, provably; all, but that is not to be seen; not all.
  enum class Sort { Uniform, Opaque, Divergent };

  void make_helper(bool meets);
  void begin_kernel();
  void begin_body();
  void block(int depth);
  void enter(Block& block);
  void leave();
  void statement(int depth);
  void branch(int depth);
  void loop(int depth);
  void scope(int depth);
  void exit();
  void exit_to(std::size_t region, bool repeats);
  void finish();
  bool all_are_here() const;
  bool may_leave_alone(std::size_t region, bool repeats) const;
  void count_turns(int depth, Sort sort, bool all_stay);
  void assign();
  void use_array();
  void share();
  void exchange_in_warp();
  void exchange_in_part_of_warp();
  void vote_in_block();
  void call();
  void record();
  void check();

  Instruction* value();
  Instruction* uniform_value();
  Instruction* value_of(Sort sort);
  Instruction* condition(Sort sort);
  Instruction* combine(Instruction* a, Instruction* b);
  Instruction* load_at(Instruction* base, Instruction* index) {
    return builder_->load(builder_->emit(Opcode::ElementPointer, {base, index}));
  }
  Instruction* i64(std::int64_t value) { return builder_->constant_i64(value); }
  Instruction* thread();
  Sort sort();
  int number(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  bool chance(int percent) { return number(100) < percent; }
  template <typename T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(number(static_cast<int>(from.size())))];
  }

  std::mt19937 random_;
  std::unique_ptr<Module> module_;
  std::vector<Function*> helpers_;
  Function* function_ = nullptr;
  std::unique_ptr<Builder> builder_;
  std::vector<Instruction*> values_;
  std::vector<Instruction*> uniform_values_;
  std::vector<std::pair<std::size_t, std::size_t>> visible_;  // how many of both, outside of each block around
  std::vector<Local*> locals_;
  std::vector<Local*> uniform_locals_;
  Instruction* out_ = nullptr;  // the thread's own element
  Instruction* in_ = nullptr;
  Instruction* count_ = nullptr;
  int divergent_depth_ = 0;  // branches and loops around the current place that not all threads run
  int budget_ = 0;           // constructs still to be made

  /// A Loop or Scope around the current place.
  struct Region {
    Instruction* construct;
    bool is_loop;
    bool all_stay;               // nobody may leave the loop alone, for threads meet in it
    bool has_lost_some = false;  // some have gone on to the region's end
  };
  std::vector<Region> regions_;
};

}  // namespace pykc::ir
