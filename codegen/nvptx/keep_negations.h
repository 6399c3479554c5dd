#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Minima and maxima of three i32, `min(min(x, -y), z)`, become one instruction of sm_90 and sm_100, VIMNMX3, and
/// ptxas 13.0 takes y for -y in it. A byte permutation that changes nothing hides the negation from ptxas.
void keep_negations(llvm::Module& module, bool is_optimized);

}  // namespace pykc::codegen
