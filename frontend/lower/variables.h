// Which variables of a function must be memory, and which are plain values.
//
// A variable of the language is function-wide and may change anywhere. In the IR only an ir::Local can change; all that
// reasons about values (index ranges, uniformity, LLVM's early passes) does better without them. So a variable that is
// assigned once, before all its uses and in a suite that encloses them, is just the value assigned to it. The variable
// of a `for` loop whose body does not assign it is the loop's counter there.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "frontend/checked/tree.h"

namespace pykc::lowering {

class VariableUses {
 public:
  explicit VariableUses(const checked::Function& function);

  /// Whether the variable needs an ir::Local (outside of the loops where it is a counter).
  bool needs_local(const checked::Variable* variable) const;
  /// Whether, inside the loop's body, its variable is the counter itself.
  bool is_counter(const checked::ForRange* loop) const { return counter_loops_.contains(loop); }

 private:
  struct Uses {
    int assignments = 0;         // but for counter loops
    int scope = -1;              // of the first assignment
    int counter_loops = 0;       // loops that count in it
    int open_counter_loops = 0;  // those around the place that is looked at
    bool is_used = false;        // outside of those
    bool escapes = false;        // used where its assignment need not have been
  };
  void visit_suite(const checked::Suite& suite);
  void visit(const checked::Stmt& stmt);
  void visit_loop(const checked::ForRange& loop);
  void visit(checked::ExprRef expr);
  void assign(const checked::Variable* variable);
  void use(const checked::Variable* variable);

  std::unordered_map<const checked::Variable*, Uses> uses_;
  std::unordered_set<const checked::ForRange*> counter_loops_;
  std::unordered_set<int> open_scopes_;
  int scope_ = 0;
  int scope_count_ = 0;
};

}  // namespace pykc::lowering
