#include "codegen/code_passes.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <cstddef>

#include "codegen/cpu/passes/swap_frame_register.h"

namespace pykc::codegen {
namespace {

/// For the host: to set up a step, to run it and to forget it takes a thousandth of a short kernel's compilation, even
/// where it looks at nothing.
constexpr llvm::StringLiteral kLeftOutForHost[] = {
    // for what modules of pykc's do not hold
    "Lower AMX intrinsics",
    "Lower AMX type for load/store",
    "Tile Register Pre-configure",
    "Tile Register Configure",
    "X86 Lower Tile Copy",
    "Lower Garbage Collection Instructions",
    "Shadow Stack GC Lowering",
    "Analyze Machine Code For Garbage Collection",
    "Fixup Statepoint Caller Saved",
    "StackMap Liveness Analysis",
    "ObjC ARC contraction",
    "Exception handling preparation",
    "Contiguously Lay Out Funclets",
    "Prepare callbr",
    "Expand indirectbr instructions",
    "Local Dynamic TLS Access Clean-up",
    "Remove Loads Into Fake Uses",
    "X86 insert wait instruction",
    // for what nobody has asked for
    "Safe Stack instrumentation pass",
    "Insert stack protectors",
    "Argument Stack Rebase",
    "Insert KCFI indirect call checks",
    "Insert fentry calls",
    "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "Insert XRay ops",
    "Implement the 'patchable-function' attribute",
    "Machine Sanitizer Binary Metadata",
    "Pseudo Probe Inserter",
    "Stack Frame Layout Analysis",
    "Register Allocation Pass Scoring",
    "X86 Indirect Branch Tracking",
    "X86 Indirect Thunks",
    "X86 Return Thunks",
    "X86 speculative load hardening",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 Load Value Injection (LVI) Load Hardening",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Suppress APX features for relocation",
    // for other processors
    "X86 PIC Global Base Reg Initialization",
    "X86 Atom pad short functions",
    "Early If-Conversion",
    "Local Stack Slot Allocation",
    // calls of functions that an object cannot call
    "Merge contiguous icmps into a memcmp",
    "Expand memcmp() to load/stores",
    "Replace intrinsics with calls to vector library",
    "Partially inline calls to library functions",
    // optimize() reduces the strength of loops where it gains
    "Loop Strength Reduction",
    "Canonicalize Freeze Instructions in Loops",
};

/// Sums, products and addresses, the last operand of which is no constant.
bool is_reduced_in_strength(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::GetElementPtr:
      return !llvm::isa<llvm::ConstantData>(*std::prev(instruction.op_end()));
    default:
      return false;
  }
}

/// What it takes to compare all pairs of them with a common operand, each by all that the two come from.
std::size_t comparisons_in_strength(const llvm::Module& module) {
  llvm::DenseMap<const llvm::Value*, std::size_t> users, depths;
  std::size_t comparisons = 0;
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      std::size_t depth = 0;
      for (const llvm::Value* operand : instruction.operands()) depth = std::max(depth, depths.lookup(operand));
      depths[&instruction] = ++depth;
      if (!is_reduced_in_strength(instruction)) continue;
      for (const llvm::Value* operand : instruction.operands()) comparisons += depth * users[operand]++;
    }
  return comparisons;
}

constexpr unsigned kLargeModule = 4'000;           // instructions
constexpr std::size_t kMostComparisons = 400'000;  // a third of a second; the library's f64 products have 131,000

/// Whether it takes too long to reduce the strength of straight lines, for GPUs. Its time grows with the square of what
/// there is: 0.5 s for a module that counts as large here, and nothing can interrupt it.
bool is_costly_to_reduce(const llvm::Module& module) {
  return module.getInstructionCount() > kLargeModule || comparisons_in_strength(module) > kMostComparisons;
}

}  // namespace

llvm::ArrayRef<llvm::StringLiteral> left_out_for_host() { return kLeftOutForHost; }

CodePasses::CodePasses(const llvm::Module& module, const Target& target)
    : is_for_host_(target.kind == Target::Kind::Cpu), is_costly_(!is_for_host_ && is_costly_to_reduce(module)) {}

void CodePasses::add(llvm::Pass* pass) {
  if (is_for_host_ && pass->getPassID() == &llvm::PrologEpilogCodeInserterID) PassManager::add(new SwapFrameRegister);
  if (is_left_out(pass->getPassName()))
    delete pass;
  else
    PassManager::add(pass);
}

bool CodePasses::is_left_out(llvm::StringRef pass) const {
  if (is_for_host_) return llvm::is_contained(kLeftOutForHost, pass);
  return is_costly_ && pass == "Straight line strength reduction";
}

}  // namespace pykc::codegen
