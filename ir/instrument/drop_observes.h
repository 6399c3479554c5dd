// What need not be watched, since it cannot go wrong.
#pragma once

#include "ir/module.h"

namespace pykc::ir {

/// Drops what a watched function tells of its local arrays, where each element that is read is surely written before:
/// of arrays that are used at constant places alone, and that no other code is handed. Those are the ones that stand in
/// registers else, and that unrolled loops touch thousands of times. Constants are folded by now.
void drop_needless_observes(const Module& module, Function& function);

}  // namespace pykc::ir
