#include "codegen/machine.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "codegen/codegen.h"

namespace pykc::codegen {
namespace {

/// LLVM keeps its back ends in a registry of its own; each is entered once, and only when it is asked for.
void register_nvptx() {
  static const bool done = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  static_cast<void>(done);
}

void register_x86() {
  static const bool done = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  static_cast<void>(done);
}

const llvm::Target& find_target(const llvm::Triple& triple) {
  std::string error;
  return *llvm::TargetRegistry::lookupTarget(triple, error);
}

llvm::Triple host_triple() { return llvm::Triple(llvm::sys::getProcessTriple()); }

/// Null where LLVM knows no such processor.
std::unique_ptr<llvm::MCSubtargetInfo> subtarget_of(const std::string& chip, const std::string& features) {
  register_x86();
  const llvm::Triple triple = host_triple();
  const llvm::Target& target = find_target(triple);
  const std::unique_ptr<llvm::MCSubtargetInfo> any(target.createMCSubtargetInfo(triple, "x86-64", ""));
  if (!any->isCPUStringValid(chip)) return nullptr;
  return std::unique_ptr<llvm::MCSubtargetInfo>(target.createMCSubtargetInfo(triple, chip, features));
}

ProcessorCheck check_subtarget(const llvm::MCSubtargetInfo* subtarget) {
  if (subtarget == nullptr) return {};
  return {true, subtarget->checkFeatures("+sse4.1") && subtarget->checkFeatures("+64bit")};
}

struct Processor {
  std::string chip;
  std::string features;
  ProcessorCheck check;
};

/// What the processor of this machine really has, where it differs from what its name promises: a virtual machine may
/// hide some of it.
std::string features_beside_name(const llvm::MCSubtargetInfo& promised) {
  llvm::SubtargetFeatures features;
  for (const auto& [name, enabled] : llvm::sys::getHostCPUFeatures())
    if (promised.checkFeatures("+" + name.str()) != enabled) features.AddFeature(name, enabled);
  return features.getString();
}

/// Asked once: a virtual machine stops at each question to its processor.
const Processor& this_processor() {
  static const Processor processor = [] {
    Processor found{llvm::sys::getHostCPUName().str(), {}, {}};
    const auto promised = subtarget_of(found.chip, "");
    if (promised == nullptr) return found;
    found.features = features_beside_name(*promised);
    found.check = check_subtarget(subtarget_of(found.chip, found.features).get());
    return found;
  }();
  return processor;
}

std::string features_of(const std::string& chip) {
  return chip == this_processor().chip ? this_processor().features : std::string();
}

llvm::CodeGenOptLevel level_of(const Options& options) {
  switch (options.optimization) {
    case 0:
      return llvm::CodeGenOptLevel::None;
    case 1:
      return llvm::CodeGenOptLevel::Less;
    case 2:
      return llvm::CodeGenOptLevel::Default;
    default:
      return llvm::CodeGenOptLevel::Aggressive;
  }
}

/// Machines for the host that nobody uses now. To make one, with what LLVM works out for a processor, takes a twelfth
/// of a short kernel's compilation.
class IdleMachines {
 public:
  /// Null where there is none.
  std::unique_ptr<llvm::TargetMachine> take(llvm::StringRef chip, llvm::CodeGenOptLevel level,
                                            llvm::FPOpFusion::FPOpFusionMode fusion) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return nullptr;
    const auto found = llvm::find_if(machines_, [&](const auto& machine) {
      return machine->getTargetCPU() == chip && machine->getOptLevel() == level &&
             machine->Options.AllowFPOpFusion == fusion;
    });
    if (found == machines_.end()) return nullptr;
    std::unique_ptr<llvm::TargetMachine> machine = std::move(*found);
    machines_.erase(found);
    return machine;
  }
  void add(std::unique_ptr<llvm::TargetMachine> machine) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    if (machines_.size() == kMost) machines_.erase(machines_.begin());
    machines_.push_back(std::move(machine));
  }

 private:
  static constexpr std::size_t kMost = 16;  // so that many threads leave no more

  // Never waited for: a process that was forked while it was held goes on without it.
  std::mutex mutex_;
  llvm::SmallVector<std::unique_ptr<llvm::TargetMachine>, kMost> machines_;
};

IdleMachines& idle_machines() {
  static IdleMachines machines;  // a plugin that is unloaded leaves none
  return machines;
}

}  // namespace

ProcessorCheck check_processor(const std::string& chip) {
  return chip == this_processor().chip ? this_processor().check : check_subtarget(subtarget_of(chip, "").get());
}

std::string this_chip() { return this_processor().chip; }

std::string describe_machine(const Target& target) {
  return target.to_string() + (target.kind == Target::Kind::Cpu ? features_of(target.chip) : "");
}

void EndUse::operator()(llvm::TargetMachine* machine) const {
  if (machine == nullptr) return;
  // Those for GPUs keep the names of all modules that they have seen.
  if (machine->getTargetTriple().isNVPTX())
    delete machine;
  else
    idle_machines().add(std::unique_ptr<llvm::TargetMachine>(machine));
}

Machine machine_for(const Target& target, const Options& options, int least_ptx) {
  // Contraction is decided in the IR, the same for every target: LLVM fuses nothing on its own.
  llvm::TargetOptions target_options;
  target_options.AllowFPOpFusion = options.fast_math ? llvm::FPOpFusion::Standard : llvm::FPOpFusion::Strict;

  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string features;
  llvm::CodeGenOptLevel level = level_of(options);
  if (target.kind == Target::Kind::Nvptx) {
    register_nvptx();
    // Beyond the default there is only a second GVN, a sixteenth of a compilation; no kernel of the benchmark is faster
    // for it.
    level = std::min(level, llvm::CodeGenOptLevel::Default);
    if (least_ptx > 0) features = "+ptx" + std::to_string(least_ptx);
  } else {
    if (auto idle = idle_machines().take(target.chip, level, target_options.AllowFPOpFusion))
      return Machine(idle.release());
    register_x86();
    triple = host_triple();
    features = features_of(target.chip);
  }
  return Machine(find_target(triple).createTargetMachine(triple, target.chip, features, target_options,
                                                         llvm::Reloc::PIC_, std::nullopt, level));
}

}  // namespace pykc::codegen
