// Calls of builtins.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts lower(FunctionLowering& lowering, const checked::CallBuiltin& node, checked::Type type);

}  // namespace pykc::lowering
