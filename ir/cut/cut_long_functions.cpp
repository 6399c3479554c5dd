// Cuts long functions into parts, functions of their own that are called one after the other.
//
// Why. The time that LLVM takes for a function grows with the square of the loops in it, for what changes one of them
// is carried to all that stand behind it (dominator trees are as deep as the code is long) or forgets what was known of
// all others. Where no function is longer than a limit, the time grows with the length of the code. The limit is far
// beyond the kernels that people write, so that these stay whole. So it is with loops within each other whose bounds
// are made of the counters around them: LLVM writes each counter as an expression of all of them.
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
#include <algorithm>
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

struct Size {
  std::size_t length = 0;
  int depth = 0;  // of loops within each other
  void add(Size other) {
    length += other.length;
    depth = std::max(depth, other.depth);
  }
};

/// `size_of_block` tells that of the blocks in it.
template <typename SizeOfBlock>
Size size_of(Instruction* instruction, SizeOfBlock size_of_block) {
  Size size{weight_of(instruction)};
  for (Block& nested : instruction->blocks) size.add(size_of_block(nested));
  if (instruction->opcode == Opcode::Loop) ++size.depth;
  return size;
}

Size size_of(Block& block) {
  Size size;
  for (Instruction* instruction : block.instructions)
    size.add(size_of(instruction, [](Block& nested) { return size_of(nested); }));
  return size;
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
  Cutter(Function& function, Size most, Functions& parts)
      : most_(most), parts_(parts), function_(function), index_(function) {}

  void run() { cut(function_.body, !has_thread_loop(function_), false); }

 private:
  /// Gives the size that is left.
  Size cut(Block& block, bool is_thread_code, bool is_in_loop) {
    std::vector<Size> sizes;
    Size size;
    for (Instruction* instruction : block.instructions) {
      const bool is_in_thread = is_thread_code || instruction->opcode == Opcode::ThreadLoop;
      const bool is_repeated = is_in_loop || instruction->opcode == Opcode::Loop;
      sizes.push_back(size_of(instruction, [&](Block& nested) { return cut(nested, is_in_thread, is_repeated); }));
      size.add(sizes.back());
    }
    const bool is_too_deep = is_in_loop && size.depth >= most_.depth;
    if (size.length <= most_.length && !is_too_deep) return size;
    cut(block, sizes, is_thread_code, is_in_loop);
    return size_of(block);
  }

  void cut(Block& block, const std::vector<Size>& sizes, bool is_thread_code, bool is_in_loop) {
    Block to, run;
    Size size_of_run;
    const auto end_run = [&] {
      const bool is_too_deep = is_in_loop && size_of_run.depth >= most_.depth;
      if ((size_of_run.length >= most_.length / 8 && run.instructions.size() < block.instructions.size()) ||
          is_too_deep)
        make_part(run, is_thread_code, to);
      else
        to.instructions.insert(to.instructions.end(), run.instructions.begin(), run.instructions.end());
      run = {};
      size_of_run = {};
    };
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      Instruction* instruction = block.instructions[i];
      const bool is_result = instruction->opcode == Opcode::Extract;  // stays with its call
      if (!can_move(instruction) || (size_of_run.length + sizes[i].length > most_.length && !is_result)) end_run();
      if (can_move(instruction) && (!is_result || !run.empty())) {
        run.instructions.push_back(instruction);
        size_of_run.add(sizes[i]);
      } else {
        to.instructions.push_back(instruction);
      }
    }
    end_run();
    block = std::move(to);
  }

  bool can_move(Instruction* instruction) const {
    return !is_given(instruction) && !index_.must_stay(instruction) && can_fall_through(Block{{instruction}});
  }

  void make_part(const Block& run, bool is_thread_code, Block& to) {
    const FunctionPart kind = is_thread_code ? FunctionPart::OfThread : FunctionPart::OfBlock;
    std::string symbol = function_.symbol + ".part" + std::to_string(++count_);
    parts_.push_back(cut::make_part(function_, index_, run, kind, std::move(symbol), to));
  }

  const Size most_;
  Functions& parts_;
  Function& function_;
  cut::Index index_;
  int count_ = 0;
};

}  // namespace

void cut_long_functions(Module& module, std::size_t longest, int deepest) {
  Functions functions;
  for (std::unique_ptr<Function>& function : module.functions) {
    const Size size = size_of(function->body);
    if (size.length > longest || size.depth > deepest) {
      prepare(*function);
      Cutter(*function, {longest, deepest}, functions).run();
    }
    functions.push_back(std::move(function));  // behind its parts
  }
  module.functions = std::move(functions);
}

}  // namespace pykc::ir
