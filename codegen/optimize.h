// The middle end: which of LLVM's passes run, in which order.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/codegen.h"

namespace pykc::codegen {

/// An attribute of functions: it tells the device of what it does, which takes longer than all else.
inline constexpr llvm::StringLiteral kIsWatched = "pykc.watched";

/// A property of loops, LLVM's own: they are not unrolled, and we do not copy them for their conditions either. Those
/// around the turns of threads have it, and those that run for the edges of arrays.
inline constexpr llvm::StringLiteral kPlain = "llvm.loop.unroll.disable";

/// An attribute of functions: each thread has arrays of its own.
inline constexpr llvm::StringLiteral kHasLocalArrays = "pykc.has_local_arrays";

/// An attribute of functions: a parameter is a local array of the caller's.
inline constexpr llvm::StringLiteral kTakesLocalArray = "pykc.takes_local_array";

/// Optimises a module whose triple and data layout are the machine's. Level 0 leaves it as it is.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, const Target& target, const Options& options);

}  // namespace pykc::codegen
