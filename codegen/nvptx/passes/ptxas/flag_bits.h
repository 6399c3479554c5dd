#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A float made of the bits of an integer that is a flag, `int_as_float(i32(x > 3))`: ptxas 13.0 takes its conversion
/// for that of the flag itself, 0 or 1. The bits are hidden from it, see hidden.h.
void hide_flag_bits(llvm::Module& module);

}  // namespace pykc::codegen
