#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Integers become bf16 by way of f64, for chips that have no such conversion (before sm_90): LLVM 22.1 goes by way of
/// f32, which rounds integers of more than 24 bits, and rounds again. The emitter writes the f64 already, but where it
/// holds the integer exactly LLVM's optimiser takes it out.
void round_integers_once(llvm::Module& module);

}  // namespace pykc::codegen
