#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Conversions of f32 and f64 to integers, which saturate and take NaN for 0, become the chip's to 32 and 64 bits: they
/// saturate by themselves, and those of f32 to 32 bits take NaN for 0 too (PTX ISA, `cvt`). LLVM 22 writes comparisons
/// and selections around them.
void use_native_conversions(llvm::Module& module);

}  // namespace pykc::codegen
