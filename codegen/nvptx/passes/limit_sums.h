#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Hides sums in indices in which LLVM's back end would look for a constant for ever (SeparateConstOffsetFromGEP): it
/// looks in one operand, then in the other, and remembers nothing on the way.
void limit_sums(llvm::Module& module);

}  // namespace pykc::codegen
