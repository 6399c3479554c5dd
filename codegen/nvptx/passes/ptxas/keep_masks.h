#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Bits of a half are masked by constants: `half_as_short(f16(x)) & 255`, abs(bf16(x)). Where an f32 was rounded to the
/// half, and the result becomes the lower half of a word, ptxas 13.0 takes all of the bits. What the mask leaves is
/// hidden from it, see hidden.h.
void keep_masks(llvm::Module& module);

}  // namespace pykc::codegen
