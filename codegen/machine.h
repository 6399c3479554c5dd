// LLVM's TargetMachine for a Target: the one place that knows triples, features and code generation options.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>

#include "codegen/codegen.h"

namespace pykc::codegen {

/// A machine for a Target that `Target::parse` has accepted. Registers only that one back end with LLVM.
/// To be called before anything that LLVM enters passes in its registry for. That is locked while it grows, and would
/// stay so where memory ends meanwhile: every later compilation would wait for ever. So more than it takes is asked for
/// here, and given back; where it is not there, std::bad_alloc comes before anything is half done.
void require_memory_for_passes();

std::unique_ptr<llvm::TargetMachine> make_machine(const Target& target, const Options& options);

/// Whether LLVM knows the processor, and (in `is_usable`) whether it has SSE4.1, the least that pykc's code needs.
struct ProcessorCheck {
  bool is_known = false;
  bool is_usable = false;
};
ProcessorCheck check_processor(const std::string& chip);

}  // namespace pykc::codegen
