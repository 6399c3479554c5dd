// What values the i64 variables of a function can hold.
#pragma once

#include "ir/module.h"

namespace pykc::ir {

/// Narrows Local::minimum and maximum to what the function's stores can put there, so that range_of sees through
/// variables: in `count = blockDim.x; while count > 1: …; count = (count + 1) // 2` the count stays within 1 to 1024.
/// Ranges that are narrower already are taken as given.
void infer_local_ranges(Function& function);

}  // namespace pykc::ir
