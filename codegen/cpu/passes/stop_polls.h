#pragma once

#include <llvm/ADT/StringRef.h>

namespace llvm {
class Module;
}

namespace pykc::codegen {

// What the emitter tells of functions and loops.
// Of a parameter: it is the abi::CpuLaunch, or its abi::FaultRecord.
inline constexpr llvm::StringLiteral kLaunchParameter = "pykc.launch";
inline constexpr llvm::StringLiteral kRecordParameter = "pykc.record";
// Of a function: it may come to call itself.
inline constexpr llvm::StringLiteral kIsRecursive = "pykc.recursive";
// Of a function or a loop: where it stands in the source, as "file:line".
inline constexpr llvm::StringLiteral kPlaceInSource = "pykc.place";
// Of a loop: it runs over the threads of a block, with those around and in it that are marked, too.
inline constexpr llvm::StringLiteral kRunsThreads = "pykc.threads";

/// Lets kernels end when the host asks them to (abi::kStopAsked): code that may run for long looks at the launch's
/// record again and again, and returns once anything is written there. Here, behind all of LLVM's passes, it is known
/// which loops are long, and no pass is kept from what it does with them.
void add_stop_polls(llvm::Module& module);

}  // namespace pykc::codegen
