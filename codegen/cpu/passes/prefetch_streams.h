#pragma once

#include <llvm/IR/Module.h>

namespace pykc::codegen {

/// Where a loop reads an array at places that another one says, as in `total += values[k] * x[columns[k]]`, processors
/// do not run far enough ahead of what it reads in order. So that is asked for before, also beyond the loop's end,
/// where the next row begins; a prefetch of what is not there does nothing:
///
///   loop:  load columns[k]        →     prefetch columns[k] + 1 KiB; load columns[k]
///          load values[k]               prefetch values[k] + 1 KiB; load values[k]
///          load x[…]                    load x[…]
///
/// Runs behind all that copies or unrolls loops: a turn asks once.
void prefetch_streams(llvm::Module& module);

}  // namespace pykc::codegen
