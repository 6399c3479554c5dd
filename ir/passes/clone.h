// Copies of instructions, with what they refer to replaced: values, locals, the constructs that they leave.
#pragma once

#include <memory>
#include <unordered_map>

#include "ir/module.h"

namespace pykc::ir {

class Cloner {
 public:
  /// Copies become instructions of `into`, which may be the function that they come from.
  explicit Cloner(Function& into) : into_(into) {}

  void replace(const Instruction* value, Instruction* by) { values_[value] = by; }
  void replace(const Local* local, Local* by) { locals_[local] = by; }

  /// What stands for a value in the copies: what it was replaced by, its copy, or itself.
  Instruction* operator()(Instruction* value) const;
  Local* operator()(Local* local) const;

  Instruction* clone(const Instruction* instruction);
  /// Leaves out what has been replaced.
  void clone(const Block& from, Block& to);

 private:
  Function& into_;
  std::unordered_map<const Instruction*, Instruction*> values_;
  std::unordered_map<const Local*, Local*> locals_;
};

Module clone(const Module& module);
/// Calls what the other one calls.
std::unique_ptr<Function> clone(const Function& function);

}  // namespace pykc::ir
