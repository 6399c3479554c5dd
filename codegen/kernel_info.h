// What a launch must know of each kernel, completed with what code generation decides.
#pragma once

#include <string>
#include <vector>

#include "codegen/codegen.h"

namespace pykc::codegen {

/// The name of a kernel's entry point in a CPU object: not one that the C library might have.
std::string cpu_symbol(const ir::Function& kernel);

/// Fails where a kernel asks for more than the target has.
Result<std::vector<KernelInfo>> kernel_infos(const ir::Module& module, const Target& target);

}  // namespace pykc::codegen
