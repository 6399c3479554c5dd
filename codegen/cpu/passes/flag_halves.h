#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A float of 16 bits made of the bits of a flag, `short_as_half(i16(x > 3))`, becomes a choice between two numbers:
/// with AVX-512, whose comparisons give masks, LLVM 22 would read it out of the mask register, and cannot.
void choose_flag_halves(llvm::Module& module);

}  // namespace pykc::codegen
