// Memory for the variables that cross from one ThreadLoop to another.
#pragma once

#include "ir/split/regions.h"

namespace pykc::ir::split {

/// Locals that cross get slots.
void assign_slots(Function& kernel, Regions& regions);

}  // namespace pykc::ir::split
