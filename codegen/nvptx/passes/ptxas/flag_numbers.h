#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A bool that becomes a float chooses between two constants. Of a conversion whose sign changes, `-f32(x > 3)`, ptxas
/// 13.0 makes a choice between -1 and 0, where -0 belongs.
void choose_numbers_of_flags(llvm::Module& module);

}  // namespace pykc::codegen
