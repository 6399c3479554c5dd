#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Several choices between two constants of f64 by one condition, such as the coefficients of a sine or a cosine: each
/// takes two instructions, and two more that bring one constant into registers. A row of a table has them in one load
/// of 16 bytes for two.
void keep_choices_in_memory(llvm::Module& module);

}  // namespace pykc::codegen
