// Decorators: what kind of function this is, the kernel's options, its signature.
#pragma once

#include "frontend/check_session.h"

namespace pykc::checker {

void read_decorators(Session& session, const Scope& scope, FunctionDecl& function);

}  // namespace pykc::checker
