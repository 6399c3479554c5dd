// What makes kernels simpler before they are split. Nothing here changes what a thread does.
#include "ir/split/prepare.h"

#include <iterator>
#include <unordered_map>

#include "ir/builder.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

/// Rewrites the end of a kernel so that threads that have nothing more to wait for have returned: behind the last
/// construct nobody is waited for, so to leave it is to return, and a mask less is needed.
///
///   if i < n { …; syncthreads() … }     →   if not i < n { return } …; syncthreads() …
///   loop { if not c { break } … }       →   loop { if not c { return } … }
class TailRewriter {
 public:
  explicit TailRewriter(Function& kernel) : kernel_(kernel) {}

  void rewrite(Block& block) {
    drop_return(block);
    while (!block.empty()) {
      Instruction* last = block.instructions.back();
      if (!is_construct_with_meeting(last)) return;
      if (last->opcode == Opcode::Loop) return replace_breaks(last, last->blocks);
      if (last->opcode == Opcode::Scope)
        dissolve(block, *last);
      else if (has_meeting_point(last->blocks[0]) && has_meeting_point(last->blocks[1]))
        return rewrite_both(*last);
      else
        return_early(block, *last);
      drop_return(block);
    }
  }

 private:
  static bool is_construct_with_meeting(const Instruction* instruction) {
    for (const Block& block : instruction->blocks)
      if (has_meeting_point(block)) return true;
    return false;
  }

  static void drop_return(Block& block) {
    if (!block.empty() && block.instructions.back()->opcode == Opcode::Return) block.instructions.pop_back();
  }

  void rewrite_both(Instruction& branch) {
    rewrite(branch.blocks[0]);
    rewrite(branch.blocks[1]);
  }

  /// A Scope at the end is its body, once its breaks are returns.
  void dissolve(Block& block, Instruction& scope) {
    replace_breaks(&scope, scope.blocks);
    block.instructions.pop_back();
    append(block, scope.blocks[0]);
  }

  /// The branch without a meeting point is run first, and returns.
  void return_early(Block& block, Instruction& branch) {
    const bool meets_in_else = has_meeting_point(branch.blocks[1]);
    Block rest = std::move(branch.blocks[meets_in_else ? 1 : 0]);
    Block early = std::move(branch.blocks[meets_in_else ? 0 : 1]);
    block.instructions.pop_back();
    Builder builder(kernel_);
    builder.enter(block);
    builder.set_range(branch.range);
    Instruction* condition = branch.operands[0];
    if (!meets_in_else) condition = builder.emit(Opcode::Not, {condition});
    Instruction* guard = builder.if_(condition);
    guard->blocks[0] = std::move(early);
    builder.enter(guard->blocks[0]);
    if (!builder.is_terminated()) builder.return_();
    append(block, rest);
  }

  void replace_breaks(const Instruction* target, std::vector<Block>& blocks) {
    for (Block& block : blocks)
      for_each_instruction(block, [&](Instruction* instruction) {
        if (instruction->opcode != Opcode::Break || instruction->target != target) return;
        instruction->opcode = Opcode::Return;
        instruction->target = nullptr;
      });
  }

  static void append(Block& to, const Block& from) {
    to.instructions.insert(to.instructions.end(), from.instructions.begin(), from.instructions.end());
  }

  Function& kernel_;
};

void gather_extracts(Block& block, std::unordered_map<const Instruction*, std::vector<Instruction*>>& extracts) {
  std::vector<Instruction*> to;
  for (Instruction* instruction : block.instructions) {
    for (Block& nested : instruction->blocks) gather_extracts(nested, extracts);
    if (instruction->opcode == Opcode::Extract) continue;
    to.push_back(instruction);
    const auto found = extracts.find(instruction);
    if (found != extracts.end()) to.insert(to.end(), found->second.begin(), found->second.end());
  }
  block.instructions = std::move(to);
}

}  // namespace

void make_tails_returns(Function& kernel) { TailRewriter(kernel).rewrite(kernel.body); }

void gather_extracts(Function& kernel) {
  std::unordered_map<const Instruction*, std::vector<Instruction*>> extracts;
  for_each_instruction(kernel.body, [&](Instruction* instruction) {
    if (instruction->opcode == Opcode::Extract) extracts[instruction->operands[0]].push_back(instruction);
  });
  gather_extracts(kernel.body, extracts);
}

bool flatten_loop(Function& kernel, Instruction& loop) {
  bool has_continue = false;
  for_each_instruction(loop.blocks[0], [&](const Instruction* instruction) {
    has_continue |= instruction->opcode == Opcode::Continue && instruction->target == &loop;
  });
  if (!has_continue && loop.blocks[1].empty()) return false;
  Block& body = loop.blocks[0];
  if (has_continue) {
    Instruction* turn = kernel.create(Opcode::Scope, Type::none(), loop.range);
    for_each_instruction(body, [&](Instruction* instruction) {
      if (instruction->opcode != Opcode::Continue || instruction->target != &loop) return;
      instruction->opcode = Opcode::Break;
      instruction->target = turn;
    });
    turn->blocks.push_back(std::move(body));
    body.instructions = {turn};
  }
  if (!is_terminated(body))
    body.instructions.insert(body.instructions.end(), loop.blocks[1].instructions.begin(),
                             loop.blocks[1].instructions.end());
  loop.blocks[1] = {};
  return true;
}

}  // namespace pykc::ir::split
