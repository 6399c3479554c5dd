// The first step of the split at barriers: constructs that the later steps need not know go.
#pragma once

#include "ir/module.h"

namespace pykc::ir::split {

/// Brings a kernel with meeting points into a form where leaving the last construct of the kernel is a return.
void make_tails_returns(Function& kernel);
/// Puts each Extract behind its Call.
void gather_extracts(Function& kernel);
/// Takes Continue and the `continuing` block out of a loop: its body becomes a Scope to break from. False where the
/// loop has neither.
bool flatten_loop(Function& kernel, Instruction& loop);

}  // namespace pykc::ir::split
