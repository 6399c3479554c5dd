#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A shift that is 0 for counts beyond the width, `select (c < 64), (x << c), 0`, LLVM 22.1 takes for PTX's own shift,
/// whose count has 32 bits: of a count of 2^32 + 5 it keeps the 5 (NVPTXISelLowering, PerformSELECTShiftCombine). So
/// counts that may need more than 32 bits are limited to the width first.
void limit_shift_counts(llvm::Module& module);

}  // namespace pykc::codegen
