// What a launch must know of each kernel, completed with what code generation decides.
#pragma once

#include <vector>

#include "codegen/codegen.h"

namespace pykc::codegen {

std::vector<KernelInfo> kernel_infos(const ir::Module& module, const Target& target);

}  // namespace pykc::codegen
