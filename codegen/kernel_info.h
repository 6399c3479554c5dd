// What a launch must know of each kernel, completed with what code generation decides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/codegen.h"

namespace pykc::codegen {

/// Where the dynamic shared memory starts, in PTX.
inline constexpr std::string_view kDynamicSharedSymbol = "pykc_dynamic_shared";

/// The name of a kernel's entry point: in PTX its own, unless that is taken there; in a CPU object one that the C
/// library cannot have.
std::string entry_symbol(const ir::Function& kernel, const Target& target);

/// The name of constant memory that the host fills, chosen like a kernel's.
std::string constant_symbol(const ConstantInfo& constant, const Target& target);

/// Whether a launch of the kernel may begin while kernels before it on its stream still write.
bool begins_early(const ir::Function& kernel);

std::vector<ConstantInfo> constant_infos(const ir::Module& module, const Target& target);
std::vector<KernelInfo> kernel_infos(const ir::Module& module, const Target& target);

}  // namespace pykc::codegen
