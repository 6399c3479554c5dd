#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A number is limited to 0 to 1, `max(min(x, 1.0), 0.0)`: ptxas 13.0 makes that of an f32 an instruction that
/// saturates, and of an f64 takes the maximum first. Of a NaN both give 0, where the minimum is 1; nor does a larger
/// limit before them, `min(max(min(x, 2.0), 0.0), 1.0)`, keep ptxas from it. And it saturates `min(max(x, -0.0), 1.0)`,
/// which makes +0 of -0. The inner one is hidden from it, see hidden.h.
void keep_clamps(llvm::Module& module);

}  // namespace pykc::codegen
