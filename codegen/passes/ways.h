#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instruction.h>

namespace pykc::codegen {

/// In how many steps LLVM comes from a value to its beginnings where it looks at the operands of each, at theirs, and
/// so on, and remembers nothing on the way. `p, q = q, p + q`, forty times in a row, takes hundreds of millions.
class Ways {
 public:
  /// `follows`: whether it looks at the operands. A phi has none that it looks at.
  explicit Ways(bool (*follows)(const llvm::Instruction&)) : follows_(follows) {}
  /// Operands come before what uses them.
  void add(const llvm::Instruction& instruction) {
    double steps = 1;
    if (follows_(instruction))
      for (const llvm::Value* operand : instruction.operands()) steps += of(operand);
    steps_[&instruction] = steps;
  }
  double of(const llvm::Value* value) const {
    const auto found = steps_.find(value);
    return found == steps_.end() ? 1 : found->second;
  }

 private:
  bool (*follows_)(const llvm::Instruction&);
  llvm::DenseMap<const llvm::Value*, double> steps_;
};

}  // namespace pykc::codegen
