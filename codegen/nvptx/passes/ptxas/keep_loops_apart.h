#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A loop begins where another ends, with nothing between them: `for a in x: …` twice, over one count. Where threads
/// come apart in the second, ptxas 13.0 misplaces the points at which a warp meets again, also those of branches before
/// the loops. It lets the threads that skip the rest of such a branch wait for those that do not, and those for them,
/// which the chip ends by letting one part go on alone. What ptxas keeps in registers of the warp, counts of loops too,
/// is wrong from there on. So an instruction that ptxas cannot drop stands between them: `pmevent`, which nothing but a
/// profiler sees.
void keep_loops_apart(llvm::Module& module);

}  // namespace pykc::codegen
