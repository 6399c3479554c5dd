// Calls of functions of the library, told apart, so that what one of them does wrong can be told where it is called.
#pragma once

#include <unordered_map>

#include "ir/module.h"

namespace pykc::ir {

/// Gives each call of a library's function, out of code that is not the library's, a copy of that function, if the
/// sanitizer is told of anything in it. By copy, the place of the call.
std::unordered_map<const Function*, SourcePlace> separate_library_calls(Module& module);

}  // namespace pykc::ir
