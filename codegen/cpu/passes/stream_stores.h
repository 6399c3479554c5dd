#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Gives loops that fill neighbouring elements of an array with whole vectors a second version, which writes past the
/// cache: a line that is written wholly is not read from memory before. It runs where abi::CpuLaunch::streams says that
/// the cache would not hold what the launch touches anyway, and where the vectors lie on their boundaries. Behind all
/// of LLVM's passes, so that nothing but the innermost loop is there twice.
void stream_stores(llvm::Module& module);

}  // namespace pykc::codegen
