#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

// Functions of the math library that are marked `cold` compute what is rarely asked for: sines of huge numbers. As a
// part of a loop over threads that becomes vector code they would be computed for each vector, and most would be read
// by none. So they stay functions, which the loop calls where one of a vector's elements needs it:
//
//   rare = call <8 x float> @function.of.8(<8 x float> x, <8 x i1> mask)
//   all = select mask, rare, usual
//                                 →
//             br any of mask, rarely, then                    (unlikely)
//   rarely:   rare = call <8 x float> @function.of.8.each(x, mask)
//             some = select mask, rare, usual
//   then:     all = phi [usual], [some]

/// Tells the vectoriser that vectors, too, can be passed to rarely called functions.
struct OfferRareCalls : llvm::PassInfoMixin<OfferRareCalls> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Puts branches in place of the calls with vectors that it has made.
struct MakeRareCalls : llvm::PassInfoMixin<MakeRareCalls> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Takes back what was offered, once nothing becomes vector code any more.
void drop_rare_offers(llvm::Module& module);

}  // namespace pykc::codegen
