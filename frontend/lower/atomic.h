// Atomics, accesses with an order, asynchronous copies.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts lower(FunctionLowering& lowering, const checked::Atomic& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::AtomicCompareAndSwap& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Access& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::CopyAsync& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::InlinePtx& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::CallExternal& node, const checked::Type& type);

}  // namespace pykc::lowering
