#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Several f32 divisions of one block get one test for all of their operands. ptxas tests each division by itself and
/// branches to a slow path for very large, very small and special operands; behind each branch stands what waits for
/// the last one, loads of other elements included. Here the fast way of all divisions runs at once, and where an
/// operand is unusual, they and what depends on them run again as they were.
void share_division_checks(llvm::Module& module);

}  // namespace pykc::codegen
