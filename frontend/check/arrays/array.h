// Arrays that a kernel declares, and tables of constants.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

struct Shape {
  std::vector<std::int64_t> extents;  // static, or
  std::vector<const Expr*> dynamic;   // over the launch
  std::vector<LaunchExpression> launch_sizes;
  bool takes_launch_bytes = false;
  int alignment = 0;  // in bytes; 0: as it comes
};

/// Whether it is constant memory that the host fills.
bool is_host_constant(FunctionChecker& checker, const ConstantDecl& constant);
Entity call_shared_array(FunctionChecker& checker, const ast::Call& call, SourceRange range);
Entity call_local_array(FunctionChecker& checker, const ast::Call& call, SourceRange range);
Entity call_map_shared_rank(FunctionChecker& checker, const ast::Call& call, SourceRange range);
Value own_array(FunctionChecker& checker, ArrayType type, SourceRange range, int alignment = 0);
Entity host_constant(FunctionChecker& checker, const ConstantDecl& constant, const ast::Call& call);
Entity misplaced_const_array(FunctionChecker& checker, SourceRange range);
Entity call_const_array_like(FunctionChecker& checker, const ast::Call& call, SourceRange range);
Value table_value(FunctionChecker& checker, const Table* table, SourceRange range);

}  // namespace pykc::checker
