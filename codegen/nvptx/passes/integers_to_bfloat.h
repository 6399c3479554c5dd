#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Integers become bf16 with one rounding. Chips before sm_90 have no such conversion (`has_conversion`), and LLVM 22.1
/// goes by way of f32, which rounds integers of more than 24 bits, and rounds again. They go by way of f64; the emitter
/// writes that already, but where it holds the integer exactly LLVM's optimiser takes it out.
void convert_integers_to_bfloat(llvm::Module& module, bool has_conversion);

}  // namespace pykc::codegen
