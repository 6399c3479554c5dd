#include "frontend/lower/shared.h"

#include <algorithm>

#include "frontend/checked/walk.h"

namespace pykc::lowering {
namespace {

using Callees = std::vector<const checked::Function*>;  // in the order of their first calls

void collect(checked::ExprRef expr, Callees& callees) {
  const auto* call = expr->as<checked::CallFunction>();
  if (call != nullptr && std::ranges::find(callees, call->callee) == callees.end()) callees.push_back(call->callee);
  checked::for_each_operand(*expr, [&](checked::ExprRef operand) { collect(operand, callees); });
}

void collect(const checked::Suite& suite, Callees& callees) {
  for (const checked::Stmt* stmt : suite)
    checked::for_each_part(
        *stmt, [&](checked::ExprRef expr) { collect(expr, callees); },
        [&](const checked::Suite& inner) { collect(inner, callees); });
}

bool add_missing(std::vector<DynamicArray>& arrays, const std::vector<DynamicArray>& more) {
  const std::size_t before = arrays.size();
  for (const DynamicArray& array : more)
    if (std::ranges::find(arrays, array) == arrays.end()) arrays.push_back(array);
  return arrays.size() != before;
}

}  // namespace

bool is_dynamic(const checked::SharedArray& array) {
  return array.takes_launch_bytes || !array.extents.empty() || array.is_beyond_static;
}

DynamicArrays::DynamicArrays(const checked::Module& module) {
  bool any = false;
  for (const checked::Function& function : module.functions) {
    std::vector<DynamicArray>& handed = handed_[&function];
    for (std::size_t i = 0; i < function.shared_arrays.size() && !function.is_kernel; ++i)
      if (is_dynamic(function.shared_arrays[i])) handed.push_back({&function, static_cast<int>(i)});
    any = any || !handed.empty();
  }
  if (!any) return;

  std::unordered_map<const checked::Function*, Callees> calls;
  for (const checked::Function& function : module.functions) collect(function.body, calls[&function]);
  // Lists only grow, so this ends; with callees first, after one round but for recursion.
  for (bool changed = true; changed;) {
    changed = false;
    for (const checked::Function& function : module.functions)
      for (const checked::Function* callee : calls[&function])
        if (callee != &function) changed |= add_missing(handed_[&function], handed_.at(callee));
  }
}

}  // namespace pykc::lowering
