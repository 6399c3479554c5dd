#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// What a store narrower than its register writes of a float, `st.b8` of an f32 in four bytes of a packed record, or
/// u8(float_as_int(x)): ptxas 13.0 converts the float to an integer, at every level, where a typed operation gave it.
/// The bits are hidden from it, see hidden.h; those of an f64 are stored as two words.
void keep_stored_bits(llvm::Module& module);

}  // namespace pykc::codegen
