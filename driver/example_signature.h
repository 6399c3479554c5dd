// How a person asks for a kernel whose types are open.
#pragma once

#include <string>

#include "frontend/frontend.h"

namespace pykc::driver {

/// "saxpy(TYPE, f32[:], 16)", for --sig: a parameter's annotation, a value of the kernel's first configuration, or a
/// word for what only the caller knows.
std::string example_signature(const Program& program, const ast::FunctionDef& kernel);
/// An example with the values of that configuration.
std::string example_signature(const Program& program, const ast::FunctionDef& kernel,
                              const Configuration& configuration);

}  // namespace pykc::driver
