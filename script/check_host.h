// What can be said about host functions without running them: names that nothing defines, functions of modules that do
// not exist, calls and launches whose arguments do not fit. `pykc check` tells it.
//
// A host function is dynamic, so only what is wrong whatever the values are is reported: of a name that is assigned
// more than once, or in a function, nothing is known but that it exists. What stands under `with raises(…)` is meant to
// fail. Functions that no host code of the file calls may be device functions, and are not looked at.
#pragma once

#include <vector>

#include "frontend/frontend.h"
#include "pykc/diagnostic.h"

namespace pykc::script {

/// What is wrong in a program that was parsed without an error; its main file alone is looked at.
std::vector<Diagnostic> check_host(const Program& program);

}  // namespace pykc::script
