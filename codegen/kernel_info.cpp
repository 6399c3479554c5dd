#include "codegen/kernel_info.h"

#include <unordered_set>

#include "codegen/cpu/layout.h"
#include "ir/walk.h"

namespace pykc::codegen {
namespace {

constexpr std::int64_t kMaxStaticShared = 48 * 1024;

using Functions = std::unordered_set<const ir::Function*>;

/// A function and all that it calls.
void collect_callees(const ir::Function& function, Functions& found) {
  if (!found.insert(&function).second) return;
  ir::for_each_instruction(function.body, [&](const ir::Instruction* i) {
    if (i->opcode == ir::Opcode::Call) collect_callees(*i->callee, found);
  });
}

bool can_fault(const Functions& functions) {
  for (const ir::Function* function : functions)
    if (ir::any_instruction(function->body, [](const ir::Instruction* i) { return i->opcode == ir::Opcode::Fault; }))
      return true;
  return false;
}

KernelInfo kernel_info(const ir::Module& module, const ir::Function& kernel, const Target& target) {
  KernelInfo info = kernel.kernel;
  Functions functions;
  collect_callees(kernel, functions);
  info.static_shared_bytes = 0;
  for (const ir::Function* function : functions) info.static_shared_bytes += CpuLayout(*function).static_shared_bytes;
  if (can_fault(functions)) info.faults = module.faults;
  info.symbol = kernel.symbol;
  if (target.kind == Target::Kind::Nvptx) return info;
  info.symbol = cpu_symbol(kernel);
  info.scratch_bytes = CpuLayout(kernel).scratch_bytes();
  return info;
}

}  // namespace

std::string cpu_symbol(const ir::Function& kernel) { return "pykc_kernel_" + kernel.symbol; }

Result<std::vector<KernelInfo>> kernel_infos(const ir::Module& module, const Target& target) {
  std::vector<KernelInfo> infos;
  for (const auto& function : module.functions) {
    if (!function->is_kernel) continue;
    infos.push_back(kernel_info(module, *function, target));
    if (infos.back().static_shared_bytes > kMaxStaticShared && target.kind == Target::Kind::Nvptx)
      return Error{ErrorCode::Unsupported,
                   "kernel '" + infos.back().name + "' has " + std::to_string(infos.back().static_shared_bytes) +
                       " bytes of static shared memory; " + std::to_string(kMaxStaticShared) +
                       " is the most. More is to be had as dynamic shared memory: shared.array(0, ...)"};
  }
  return infos;
}

}  // namespace pykc::codegen
