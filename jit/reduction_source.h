// The kernels of Reduction as text.
#pragma once

#include <string>
#include <vector>

#include "jit/fusion.h"
#include "jit/variant_cache.h"
#include "pykc/reduction.h"

namespace pykc::jit {

/// What a kernel for a reduction is generated for.
struct ReductionVariant {
  int kept = 0, reduced = 0;  // axes that are left when axes are joined; inputs have the kept ones first
  ArrayFlags is_array = {};   // of the inputs
  ArrayFlags is_shared = {};  // of the inputs: the same for all results, and so without the kept axes; not of all
  ArrayFlags is_fixed = {};   // of the inputs: the same for all that is reduced, and so without those axes; not of all
  ElementType accumulator = {};
  int width = 1;  // elements that are loaded at once: those of a vector, which is what arrays of inputs then hold
  bool is_wide = false;
  bool along_x = false;    // threadIdx.x runs along the reduced axes, threadIdx.y along the kept ones; or the other way
  bool is_split = false;   // a block puts a part together; the output is the array of parts, [part, result]
  bool is_second = false;  // the input holds parts
  bool is_cpu = false;
  int lanes = 1;   // threads of a block along what is reduced
  int places = 1;  // along what is kept; of no matter on the CPU device
  std::size_t hash() const;
  friend bool operator==(const ReductionVariant&, const ReductionVariant&) = default;
};

/// What all variants share: how an element is mapped, and expressions in brackets.
struct ReductionText {
  Fusion map;
  std::string reduce, post, identity;
};
Result<ReductionText> reduction_text(const ReductionSource& source);

/// The kernel `reduction(out, elements, length, part, count, inputs…)`: `elements` results, each of `length` elements,
/// vectors or parts, `part` of them a block, which were made of `count` elements.
Source source_of(const ReductionText& text, const ReductionVariant& variant);

/// The most threads of a block: lanes along the reduced axes times places along the kept ones.
inline constexpr int kReductionBlock = 256;

}  // namespace pykc::jit
