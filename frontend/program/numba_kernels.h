// What host code asks of a kernel that Numba's decorator makes.
#pragma once

#include <string_view>

#include "frontend/syntax/ast.h"

namespace pykc {

/// Whether the module's kernel of that name is made by `@cuda.jit`: integers that it is passed wrap.
bool is_numba_kernel(const ast::Module& module, std::string_view name);

}  // namespace pykc
