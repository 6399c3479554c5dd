// Uses of one variable that have nothing to do with each other become locals of their own.
#pragma once

#include "ir/module.h"

namespace pykc::ir::split {

/// Makes uses of one variable that have nothing to do with each other separate locals.
void separate_locals(Function& function);

}  // namespace pykc::ir::split
