// Cuts long functions into parts, functions of their own that are called one after the other.
//
// Why. The time that LLVM takes for a function grows with the square of the loops in it, for what changes one of them
// is carried to all that stand behind it (dominator trees are as deep as the code is long) or forgets what was known of
// all others. Where no function is longer than a limit, the time grows with the length of the code. The limit is far
// beyond the kernels that people write, so that these stay whole.
//
// How. Inside out, and in each block from the top, instructions that follow one another become a part, until the block
// is short. Values and variables from outside come in as parameters; those that are needed outside go out as results.
// Where the run may be left before its end, one more result tells the caller where to go.
//
//   s += x[1]                            exit, s = part(s, x, n)
//   if s > n: return                →    if exit == 1: return
//   s *= 2
//
// In a split kernel, what stands between ThreadLoops becomes a part that runs for the whole block, ThreadLoops
// included. What stands in a ThreadLoop becomes a part that runs for one thread, as any device function.
#include <utility>

#include "ir/analysis/control_flow.h"
#include "ir/cut/cut.h"
#include "ir/passes/passes.h"
#include "ir/split/prepare.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

/// What an instruction adds to the length, beside what is in it. LLVM makes several loops of a ThreadLoop.
std::size_t weight_of(const Instruction* instruction) {
  switch (instruction->opcode) {
    case Opcode::If:
      return 32;
    case Opcode::Loop:
      return 256;
    case Opcode::ThreadLoop:
      return 1024;
    default:
      return 1;
  }
}

std::size_t length_of(const Block& block) {
  std::size_t length = 0;
  for_each_instruction(block, [&](const Instruction* instruction) { length += weight_of(instruction); });
  return length;
}

bool has_thread_loop(const Function& function) {
  return any_instruction(function.body, [](const Instruction* i) { return i->opcode == Opcode::ThreadLoop; });
}

/// Values that are simply there. A part has its own constants; addresses of arrays and parameters are handed to it.
bool is_given(const Instruction* instruction) {
  switch (instruction->opcode) {
    case Opcode::Constant:
    case Opcode::ConstantArray:
    case Opcode::Parameter:
    case Opcode::LocalArray:
    case Opcode::SharedArray:
    case Opcode::LaunchSharedBytes:
      return true;
    default:
      return false;
  }
}

void move_to_front(Block& block, Block& front) {
  block.instructions.insert(block.instructions.begin(), front.instructions.begin(), front.instructions.end());
}

/// Given values go to the front of the function; a thread's own arrays to that of their ThreadLoop.
void gather_given_values(Block& block, Block& front, Block& thread_front) {
  const Block source = std::exchange(block, {});
  for (Instruction* instruction : source.instructions) {
    if (is_given(instruction)) {
      (instruction->opcode == Opcode::LocalArray ? thread_front : front).instructions.push_back(instruction);
      continue;
    }
    block.instructions.push_back(instruction);
    if (instruction->opcode == Opcode::ThreadLoop) {
      Block own_front;
      gather_given_values(instruction->blocks[0], front, own_front);
      move_to_front(instruction->blocks[0], own_front);
      continue;
    }
    for (Block& nested : instruction->blocks) gather_given_values(nested, front, thread_front);
  }
}

void prepare(Function& function) {
  split::gather_extracts(function);
  Block front;
  gather_given_values(function.body, front, front);
  move_to_front(function.body, front);
}

using Functions = std::vector<std::unique_ptr<Function>>;

class Cutter {
 public:
  Cutter(Function& function, std::size_t longest, Functions& parts)
      : longest_(longest), parts_(parts), function_(function), index_(function) {}

  void run() { cut(function_.body, !has_thread_loop(function_)); }

 private:
  /// Gives the length that is left.
  std::size_t cut(Block& block, bool is_thread_code) {
    std::vector<std::size_t> lengths;
    std::size_t length = 0;
    for (Instruction* instruction : block.instructions) {
      const bool is_thread_loop = instruction->opcode == Opcode::ThreadLoop;
      lengths.push_back(weight_of(instruction));
      for (Block& nested : instruction->blocks) lengths.back() += cut(nested, is_thread_code || is_thread_loop);
      length += lengths.back();
    }
    return length <= longest_ ? length : cut(block, lengths, length, is_thread_code);
  }

  std::size_t cut(Block& block, const std::vector<std::size_t>& lengths, std::size_t length, bool is_thread_code) {
    Block to, run;
    std::size_t length_of_run = 0;
    const auto end_run = [&] {
      if (length_of_run >= longest_ / 8 && length_of_run < length)
        make_part(run, is_thread_code, to);
      else
        to.instructions.insert(to.instructions.end(), run.instructions.begin(), run.instructions.end());
      run = {};
      length_of_run = 0;
    };
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      Instruction* instruction = block.instructions[i];
      const bool is_result = instruction->opcode == Opcode::Extract;  // stays with its call
      if (!can_move(instruction) || (length_of_run + lengths[i] > longest_ && !is_result)) end_run();
      if (can_move(instruction) && (!is_result || !run.empty())) {
        run.instructions.push_back(instruction);
        length_of_run += lengths[i];
      } else {
        to.instructions.push_back(instruction);
      }
    }
    end_run();
    block = std::move(to);
    return length_of(block);
  }

  bool can_move(Instruction* instruction) const {
    return !is_given(instruction) && !index_.must_stay(instruction) && can_fall_through(Block{{instruction}});
  }

  void make_part(const Block& run, bool is_thread_code, Block& to) {
    const FunctionPart kind = is_thread_code ? FunctionPart::OfThread : FunctionPart::OfBlock;
    std::string symbol = function_.symbol + ".part" + std::to_string(++count_);
    parts_.push_back(cut::make_part(function_, index_, run, kind, std::move(symbol), to));
  }

  const std::size_t longest_;
  Functions& parts_;
  Function& function_;
  cut::Index index_;
  int count_ = 0;
};

}  // namespace

void cut_long_functions(Module& module, std::size_t longest) {
  Functions functions;
  for (std::unique_ptr<Function>& function : module.functions) {
    if (length_of(function->body) > longest) {
      prepare(*function);
      Cutter(*function, longest, functions).run();
    }
    functions.push_back(std::move(function));  // behind its parts
  }
  module.functions = std::move(functions);
}

}  // namespace pykc::ir
