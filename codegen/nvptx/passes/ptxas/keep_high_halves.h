#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// The high half of a product of two u32 and a number that is taken from it, both as i64, become one IMAD.HI and the
/// sum of its carry in ptxas 13.0. The carry is lost where the number is 0: u32(12) // 6 - 0 was 2 - 2^32. The high
/// half is hidden from ptxas, see hidden.h.
void keep_high_halves(llvm::Module& module);

}  // namespace pykc::codegen
