// Values that cross from one ThreadLoop to another.
#pragma once

#include "ir/split/regions.h"

namespace pykc::ir::split {

/// Values that cross are computed again where they are used, or go through a local.
void localize_values(Function& kernel, Regions& regions);

}  // namespace pykc::ir::split
