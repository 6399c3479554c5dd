#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Conversions of vectors of floats to integers, which saturate, as comparisons and choices of whole vectors. LLVM 22
/// takes such a vector apart for x86, and turns the scalars' choices into branches: some eight instructions and two
/// branches an element, in the place of that many a vector, and a block that is cut at each branch, over and over.
void saturate_vectors(llvm::Module& module);

}  // namespace pykc::codegen
