// The contract of the IR. A module that verifies cannot fail in a back end or in the interpreter: the code behind this
// point carries no checks of its own.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace pykc::ir {

/// The broken rules, one line each ("@vecadd: %7 = add: operands have types i64 and f32"); empty for a sound module.
std::vector<std::string> verify(const Module& module);
std::vector<std::string> verify(const Function& function);

}  // namespace pykc::ir
