#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A number gets another sign in a branch, and its bits are compared with 0 behind that as those of another type:
/// `y = -x[k]` and `float_as_int(y) < 0`. ptxas 13.0 moves the comparison into the branch, and takes the negation or
/// absolute value for one of the other type: that of an integer does not change 0, that of a float changes one bit. The
/// result is hidden from it, see hidden.h.
void keep_signs(llvm::Module& module);

}  // namespace pykc::codegen
