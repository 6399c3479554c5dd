#include "codegen/kernel_info.h"
namespace pykc::codegen {
std::vector<KernelInfo> kernel_infos(const ir::Module& module, const Target&) {
  std::vector<KernelInfo> infos;
  for (const auto& function : module.functions)
    if (function->is_kernel) infos.push_back(function->kernel);
  return infos;
}
}  // namespace pykc::codegen
