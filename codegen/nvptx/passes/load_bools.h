#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A bool comes out of memory as a byte. LLVM 22.1 takes what a load of an `i1` comes after for what comes after the
/// load (lowerLOADi1 in NVPTXISelLowering.cpp gives back the chain it was given), so that a later store to the same
/// variable may overtake it.
void load_bools_as_bytes(llvm::Module& module);

}  // namespace pykc::codegen
