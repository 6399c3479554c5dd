// What names stand for: in the functions around, in the file, and in the language.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "script/evaluate/declarations.h"
#include "script/evaluate/evaluator.h"

namespace pykc::script {

/// What the name stands for where the evaluator is.
Outcome<Value> look_up(Evaluator& evaluator, std::string_view name);
void set_variable(Evaluator& evaluator, std::string_view name, Value value);

/// The variables of a call of the node, a function, a comprehension or the body of a class.
template <typename Node>
std::shared_ptr<Environment> enter(Evaluator& evaluator, const Node& node, std::shared_ptr<Environment> outer) {
  const auto [found, is_new] = evaluator.variables.try_emplace(&node);
  if (is_new) {
    const auto names = variables_of(node);
    found->second.assign(names.begin(), names.end());
  }
  return std::make_shared<Environment>(&found->second, std::move(outer));
}
/// At the end of a call: what only its own functions keep is let go.
void leave(Evaluator& evaluator, std::shared_ptr<Environment> environment);

}  // namespace pykc::script
