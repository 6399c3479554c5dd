#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// The low bits of an f64 are taken by `mov.b64 {low, high}`. LLVM 22.1 writes `cvt.u32.u64`, and where the f64 was
/// made of an integer, ptxas (13.0, and driver 580) takes both for one conversion: the low word of `f64(2)` was 2.
void read_low_words(llvm::Module& module);

}  // namespace pykc::codegen
