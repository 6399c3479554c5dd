#include "codegen/kernel_info.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "codegen/cpu/layout.h"
#include "ir/passes/passes.h"
#include "ir/walk.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {
namespace {

using Functions = std::unordered_set<const ir::Function*>;

/// A function and all that it calls.
void collect_callees(const ir::Function& function, Functions& found) {
  if (!found.insert(&function).second) return;
  ir::for_each_instruction(function.body, [&](const ir::Instruction* i) {
    if (i->opcode == ir::Opcode::Call) collect_callees(*i->callee, found);
  });
}

bool is_fault(const ir::Instruction* i) { return i->opcode == ir::Opcode::Fault; }
bool is_grid_sync(const ir::Instruction* i) {
  const bool has_builtin = i->opcode == ir::Opcode::Builtin || i->opcode == ir::Opcode::WarpExchange;
  return has_builtin && i->builtin == BuiltinId::GridSync;
}

bool have(const Functions& functions, bool (*holds)(const ir::Instruction*)) {
  return std::ranges::any_of(functions,
                             [&](const ir::Function* function) { return ir::any_instruction(function->body, holds); });
}

/// Stack for the deepest recursion. What a frame takes is ptxas' to decide: registers kept over the call, rarely more
/// than 100 bytes, and local arrays.
std::int64_t recursion_bytes(const Functions& functions) {
  constexpr std::int64_t kFrameBytes = 160;
  std::int64_t arrays = 0;
  bool is_recursive = false;
  for (const ir::Function* function : functions) {
    if (function->is_kernel) continue;
    is_recursive |= function->is_recursive;
    for (const ir::ArrayStorage& array : function->local_arrays) arrays += array.count * size_in_bytes(array.element);
  }
  return is_recursive ? ir::kMaxRecursion * (kFrameBytes + arrays) : 0;
}

/// Whether the kernel may write to the elements of its parameter of that name.
bool is_written(const ir::Function& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.parameters, name, &ir::Parameter::name);
  return found == kernel.parameters.end() || !found->read_only;
}

/// The copy of a kernel that is watched, if there is one.
WatchedKernel watched_kernel(const ir::Module& module, const ir::Function& kernel, const Target& target) {
  const auto found =
      std::ranges::find_if(module.functions, [&](const auto& function) { return function->plain == &kernel; });
  if (found == module.functions.end()) return {};
  const ir::Function& watched = **found;
  WatchedKernel info = watched.kernel.watched;
  const CpuLayout layout(watched);
  info.symbol = entry_symbol(watched, target);
  info.scratch_bytes = layout.scratch_bytes();
  info.sites = module.observed;
  info.local_arrays = module.observed_arrays;
  for (std::size_t i = 0; i < watched.shared_arrays.size(); ++i) {
    const ir::ArrayStorage& array = watched.shared_arrays[i];
    if (!array.is_dynamic) info.shared_arrays.push_back({array.name, layout.shared_offsets[i], array.declared});
  }
  return info;
}

KernelInfo kernel_info(const ir::Module& module, const ir::Function& kernel, const Target& target) {
  KernelInfo info = kernel.kernel;
  for (ParameterInfo& parameter : info.parameters)
    parameter.is_written = parameter.is_array && is_written(kernel, parameter.name);
  Functions functions;
  collect_callees(kernel, functions);
  // On the CPU only the parts of a kernel have shared arrays: the kernel's, at the same places.
  if (target.kind == Target::Kind::Cpu) {
    const CpuLayout layout(kernel);
    info.static_shared_bytes = layout.static_shared_bytes;
    info.shared_alignment = layout.shared_alignment;
  }
  if (target.kind == Target::Kind::Nvptx)
    for (const ir::Function* function : functions) info.static_shared_bytes += CpuLayout(*function).static_shared_bytes;
  info.watched = watched_kernel(module, kernel, target);
  info.runs_warps_apart = kernel.runs_warps_apart;
  const bool can_fault = have(functions, is_fault) || info.runs_warps_apart ||  // at barriers
                         !info.watched.symbol.empty();                          // the watched one has all checks
  if (can_fault) info.faults = module.faults;
  info.is_cooperative = have(functions, is_grid_sync);
  info.begins_early = have(functions, ir::is_grid_dependency_wait);
  info.cluster = kernel.cluster;
  info.recursion_bytes = recursion_bytes(functions);
  info.symbol = entry_symbol(kernel, target);
  if (target.kind == Target::Kind::Cpu) info.scratch_bytes = CpuLayout(kernel).scratch_bytes();
  return info;
}

/// What PTX does not take as a name, and what the module has names for itself.
bool is_taken_in_ptx(std::string_view name) {
  constexpr std::string_view kTaken[] = {"_", "WARP_SZ", "vprintf", abi::kFaultSymbol, kDynamicSharedSymbol};
  return name.starts_with("__pykc_") || std::ranges::find(kTaken, name) != std::end(kTaken);
}

}  // namespace

std::string entry_symbol(const ir::Function& kernel, const Target& target) {
  if (target.kind == Target::Kind::Cpu) return "pykc_kernel_" + kernel.symbol;
  return is_taken_in_ptx(kernel.symbol) ? kernel.symbol + "$" : kernel.symbol;
}

std::string constant_symbol(const ConstantInfo& constant, const Target& target) {
  if (target.kind == Target::Kind::Cpu) return "pykc_constant_" + constant.symbol;
  return is_taken_in_ptx(constant.symbol) ? constant.symbol + "$" : constant.symbol;
}

bool begins_early(const ir::Function& kernel) {
  Functions functions;
  collect_callees(kernel, functions);
  return have(functions, ir::is_grid_dependency_wait);
}

std::vector<ConstantInfo> constant_infos(const ir::Module& module, const Target& target) {
  std::vector<ConstantInfo> infos;
  for (const ir::ConstantArray& array : module.constant_arrays)
    if (array.host) infos.push_back({array.host->name, constant_symbol(*array.host, target), array.host->type});
  return infos;
}

std::vector<KernelInfo> kernel_infos(const ir::Module& module, const Target& target) {
  std::vector<KernelInfo> infos;
  for (const auto& function : module.functions)
    if (function->is_kernel && function->plain == nullptr) infos.push_back(kernel_info(module, *function, target));
  return infos;
}

}  // namespace pykc::codegen
