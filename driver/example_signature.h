// How a person asks for a kernel whose types are open.
#pragma once

#include <string>

#include "frontend/frontend.h"

namespace pykc::driver {

/// "saxpy(TYPE, f32[:], 16)": of each parameter its annotation, a value of the kernel's first configuration, or a word
/// for what only the caller knows.
std::string example_signature(const Program& program, const ast::FunctionDef& kernel);

}  // namespace pykc::driver
