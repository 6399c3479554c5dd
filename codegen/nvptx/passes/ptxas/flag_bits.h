#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A float made of the bits of an integer that is a flag, `int_as_float(i32(x > 3))`: ptxas 13.0 takes its conversion
/// for that of the flag itself, 0 or 1. So it does where the flag was a number in between, `int_as_float(i32(f64(x >
/// 3)))`: behind some loops it drops the conversions to f64 and back, and that of the float. The bits are hidden from
/// it, see hidden.h.
void hide_flag_bits(llvm::Module& module);

}  // namespace pykc::codegen
