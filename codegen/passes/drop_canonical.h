#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// `llvm.canonicalize` of a float is the float. Code generation writes it where LLVM 22 must not see what a float was
/// made of, and yet may vectorise; behind LLVM's passes it goes.
void drop_canonical(llvm::Module& module);

}  // namespace pykc::codegen
