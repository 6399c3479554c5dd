// What decorators make of a function, for all that ask: the checker, host code, and the list of a module's kernels.
#pragma once

#include <string_view>

#include "frontend/frontend.h"
#include "stdlib/language_names.h"

namespace pykc {

/// Plain where the decorator does not say it; `is_device` where it has `device=True`.
FunctionKind kind_made_by(LanguageFunction decorator, bool is_device);

/// Whether the module's kernel of that name is made by `@cuda.jit`: integers that it is passed wrap.
bool is_numba_kernel(const ast::Module& module, std::string_view name);

/// Whether CuPy's `@jit.rawkernel()` makes the kernel: it is launched by a call, `kernel(grid, block, arguments)`, too.
bool is_raw_kernel(const ast::Module& module, const ast::FunctionDef& function);

}  // namespace pykc
