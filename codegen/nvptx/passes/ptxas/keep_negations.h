#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// ptxas 13.0 loses negations, or that they wrap. Minima and maxima of three i32, `min(min(x, -y), z)`, become one
/// instruction of sm_90 and sm_100, VIMNMX3, which takes y for -y. A negation or absolute value becomes part of the
/// conversion behind it, so that i64(-x) of the i16 -32768 is 32768, and f32(abs(x)) of the i32 -2^31 is 2^31: numbers
/// that those types do not have; nor does it know that such an absolute value is negative. A shift to the right by a
/// constant and a sum become LEA.HI, which negates what was shifted where the operand was negated: -3 >> 3 is 0. Such
/// values are hidden from ptxas, see hidden.h.
void keep_negations(llvm::Module& module, bool is_optimized);

}  // namespace pykc::codegen
