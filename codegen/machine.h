// LLVM's TargetMachine for a Target: the one place that knows triples, features and code generation options.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>

#include "codegen/codegen.h"

namespace pykc::codegen {

/// Keeps machines for the host, for the next compilation.
struct EndUse {
  void operator()(llvm::TargetMachine* machine) const;
};
using Machine = std::unique_ptr<llvm::TargetMachine, EndUse>;

/// A machine for a Target that `Target::parse` has accepted, for one thread at a time. Registers only that one back end
/// with LLVM. `least_ptx` is that of nvptx/ptx_version.h.
Machine machine_for(const Target& target, const Options& options, int least_ptx);

/// Whether LLVM knows the processor, and (in `is_usable`) whether it has SSE4.1, the least that pykc's code needs.
struct ProcessorCheck {
  bool is_known = false;
  bool is_usable = false;
};
ProcessorCheck check_processor(const std::string& chip);

/// The processor of this machine, by LLVM's name.
std::string this_chip();

}  // namespace pykc::codegen
