// Runs single instructions of a thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/evaluate/evaluate.h"
#include "tests/reference/races.h"
#include "tests/reference/state.h"
#include "tests/reference/warp.h"

namespace pykc::reference {

class Stepper {
 public:
  Stepper(const ir::Module& module, const Launch& launch, Dim3 cluster, Outcome& outcome)
      : module_(module), launch_(launch), cluster_(cluster), outcome_(outcome) {}

  /// Of the blocks of a cluster, in the order of their ranks.
  void enter_block(std::vector<BlockState>& cluster, std::size_t rank) {
    blocks_ = &cluster;
    block_ = &cluster[rank];
  }
  /// Puts `thread` at the start of `kernel`.
  void start(Thread& thread, const ir::Function& kernel, const std::vector<std::uint64_t>& arguments);
  /// Runs the next instruction.
  void step(Thread& thread);

  static bool waits(BuiltinId builtin);
  std::uint64_t value(const Thread& thread, const ir::Instruction* of) const;
  void set_value(Thread& thread, const ir::Instruction* of, std::uint64_t bits);
  void report_error(const Thread& thread, const std::string& what);
  bool is_stopped() const { return !outcome_.is_clean(); }

 private:
  const Numbering& numbering_of(const ir::Function& function);
  void push_frame(Thread& thread, const ir::Function& function, const ir::Instruction* call,
                  std::vector<std::uint64_t> arguments);
  std::vector<std::uint64_t> operand_values(const Thread& thread, const ir::Instruction& instruction) const;
  std::vector<ir::Scalar> operand_scalars(const Thread& thread, const ir::Instruction& instruction) const;

  void execute(Thread& thread, const ir::Instruction& instruction);
  std::uint64_t compute(Thread& thread, const ir::Instruction& instruction);
  void check_no_wrap(const Thread& thread, const ir::Instruction& instruction, const std::vector<ir::Scalar>& operands);
  void store_local(Thread& thread, const ir::Instruction& instruction);
  std::uint64_t local_array(const Thread& thread, const ir::Instruction& instruction) const;
  bool is_done_at_cluster_barrier(Thread& thread, BuiltinId builtin);
  void builtin(Thread& thread, const ir::Instruction& instruction);
  std::optional<std::uint64_t> place_of_thread(const Thread& thread, BuiltinId builtin) const;
  void check_race(const Thread& thread, ir::Type pointer, std::uint64_t address, std::size_t bytes,
                  RaceDetector::Kind kind);
  void check_access(const Thread& thread, const ir::Instruction& instruction);
  std::uint64_t atomic(Thread& thread, const ir::Instruction& instruction);
  std::uint64_t compare_and_swap(Thread& thread, const ir::Instruction& instruction);
  void call(Thread& thread, const ir::Instruction& instruction);
  void return_from(Thread& thread, const std::vector<std::uint64_t>& results);
  void fault(const Thread& thread, const ir::Instruction& instruction);
  void assume(const Thread& thread, const ir::Instruction& instruction);

  void enter(Thread& thread, const ir::Instruction& owner, std::size_t block);
  void end_block(Thread& thread);
  void leave(Thread& thread, const ir::Instruction* region);
  void continue_at(Thread& thread, const ir::Instruction* loop);

  void begin_threads(Thread& runner, const ir::Instruction& loop);
  void begin_turn(Thread& runner, const ir::Instruction& loop);
  bool end_turn(Thread& runner);
  std::vector<Lane> gather_lanes(const Thread& runner, const ir::Instruction& exchange) const;
  void exchange_warps(Thread& runner, const ir::Instruction& instruction);

  const ir::Module& module_;
  const Launch& launch_;
  const Dim3 cluster_;  // in blocks
  Outcome& outcome_;
  std::vector<BlockState>* blocks_ = nullptr;
  BlockState* block_ = nullptr;
  RaceDetector races_;
  std::unordered_map<const ir::Function*, Numbering> numberings_;
};

}  // namespace pykc::reference
