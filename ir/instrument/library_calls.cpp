#include "ir/instrument/library_calls.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/instrument/watched_copies.h"
#include "ir/passes/clone.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

class Separation {
 public:
  explicit Separation(Module& module) : module_(module) {}

  std::unordered_map<const Function*, SourcePlace> run() {
    for (auto& function : std::exchange(module_.functions, {})) {
      if (!is_built_in(*function)) separate(*function, nullptr);
      module_.functions.push_back(std::move(function));
    }
    if (!calls_.empty()) drop_unreached();
    return std::move(calls_);
  }

 private:
  bool is_built_in(const Function& function) const { return source_of(module_, function).origin().is_built_in; }

  bool is_told_of(const Function& function) {
    const auto [known, is_new] = is_told_of_.try_emplace(&function, false);
    if (!is_new) return known->second;
    const bool is_told = any_instruction(function.body, [&](const Instruction* i) {
      return access_to_watch(*i) || i->opcode == Opcode::CopyAsync || is_meeting_point(i) ||
             (i->opcode == Opcode::Call && is_told_of(*i->callee));
    });
    return is_told_of_[&function] = is_told;
  }

  /// Copies stand before what calls them. `place` is that of the call that the function is a copy for, if it is one.
  void separate(Function& function, const SourcePlace* place) {
    for_each_instruction(function.body, [&](Instruction* i) {
      if (i->opcode != Opcode::Call || !is_built_in(*i->callee)) return;
      if (i->callee->is_recursive || !is_told_of(*i->callee)) return;
      std::unique_ptr<Function> copy = clone(*i->callee);
      copy->symbol += ".call" + std::to_string(calls_.size());
      const SourcePlace at = place != nullptr ? *place : source_of(module_, function, i).place(i->range);
      calls_[copy.get()] = at;
      i->callee = copy.get();
      separate(*copy, &at);
      module_.functions.push_back(std::move(copy));
    });
  }

  /// Of a kernel that is not watched there is no copy, but there are copies of what it calls.
  void drop_unreached() {
    std::unordered_set<const Function*> called;
    for (const auto& function : module_.functions)
      if (function->is_kernel)
        for_each_instruction_reached(*function, [&](const Instruction* i) { called.insert(i->callee); });
    std::erase_if(module_.functions,
                  [&](const auto& function) { return !function->is_kernel && !called.contains(function.get()); });
  }

  Module& module_;
  std::unordered_map<const Function*, bool> is_told_of_;
  std::unordered_map<const Function*, SourcePlace> calls_;
};

}  // namespace

std::unordered_map<const Function*, SourcePlace> separate_library_calls(Module& module) {
  return Separation(module).run();
}

}  // namespace pykc::ir
