// Atomics, accesses with an order, asynchronous copies, and what else takes an address.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts lower(FunctionLowering& lowering, const checked::Atomic& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::AtomicCompareAndSwap& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Access& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::CopyAsync& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::IsAligned& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::InlinePtx& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::TensorMap& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::CallExternal& node, checked::Type type);

}  // namespace pykc::lowering
