// What the arrays of a launch held before it, so that the launch can be made again as if for the first time.
#pragma once

#include <span>
#include <vector>

#include "pykc/runtime.h"

namespace pykc::jit {

class SavedArrays {
 public:
  /// Copies the elements of array arguments, in dense memory of the same device. All work is put on `stream`.
  static Result<SavedArrays> save(const Device& device, const Stream& stream, std::span<const Argument> arrays);
  Result<void> restore(const Stream& stream) const;

 private:
  struct Saved {
    Buffer original;
    Mapping mapping;  // of the elements in it
    Buffer copy;
    Mapping dense;
    std::int64_t element_bytes;
    detail::Elements elements() const { return {original, mapping, element_bytes}; }
    detail::Elements copied() const { return {copy, dense, element_bytes}; }
  };
  static Result<Saved> place(const Device& device, const Argument& array);
  std::vector<Saved> saved_;
};

}  // namespace pykc::jit
