// The barrier of a whole grid, on the word that the driver keeps for it in a cooperative launch.
#pragma once

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

void emit_grid_barrier(NvptxEmitter& emitter);

}  // namespace pykc::codegen
