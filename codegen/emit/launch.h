// What depends on the launch: a thread's coordinates, and where dynamic shared arrays lie.
#pragma once

#include "codegen/emit/emitter.h"

namespace pykc::codegen {

Value* emit_coordinate(Emitter& emitter, LaunchCoordinate coordinate);

inline constexpr std::int64_t kAfterAllSized = -1;
/// Where the dynamic shared array `index` starts, in bytes after the first one.
Value* dynamic_offset(Emitter& emitter, std::int64_t index);

}  // namespace pykc::codegen
