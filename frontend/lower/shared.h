// Shared arrays that the launch sizes, across calls.
//
// Where such an array lies depends on the kernel, which lays out all of its dynamic shared memory. So the kernel owns
// the arrays of the device functions that it calls, directly or not, and hands them down: a device function takes each
// dynamic array, its own and its callees', as one more array parameter.
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/checked/tree.h"

namespace pykc::lowering {

bool is_dynamic(const checked::SharedArray& array);

/// A dynamic array, by the function that declares it.
struct DynamicArray {
  const checked::Function* owner;
  int index;
  const checked::SharedArray& declaration() const { return owner->shared_arrays[static_cast<std::size_t>(index)]; }
  friend bool operator==(const DynamicArray&, const DynamicArray&) = default;
};

class DynamicArrays {
 public:
  explicit DynamicArrays(const checked::Module& module);
  /// What a device function is handed: its own dynamic arrays and those of its callees. For a kernel, those of its
  /// callees alone.
  const std::vector<DynamicArray>& handed_to(const checked::Function* function) const { return handed_.at(function); }

 private:
  std::unordered_map<const checked::Function*, std::vector<DynamicArray>> handed_;
};

}  // namespace pykc::lowering
