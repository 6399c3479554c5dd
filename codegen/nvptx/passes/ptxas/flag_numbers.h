#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A bool that becomes a float chooses between two constants: of a negation of that, `-f32(x > 3)`, see
/// keep_negative_zeros.h; and of an `i1` that has a sign, -1, LLVM 22.1 makes a bf16 of 1.0.
void choose_numbers_of_flags(llvm::Module& module);

}  // namespace pykc::codegen
