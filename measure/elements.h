// What elements of any type are made of, and random values for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "pykc/types.h"

namespace pykc::measure {

/// A scalar inside an element or a record, at its offset in bytes.
struct Slot {
  ScalarType type;
  std::int64_t offset = 0;
  bool is_enum = false;
};
/// A scalar is its own only slot.
std::vector<Slot> slots_of(const ElementType& type);

/// Fills whole elements: floats from 0 to below 1, integers from 0 to below `end` (at least 1). Members of enums, and
/// what pads records, stay as they are.
void write_random(std::span<std::byte> elements, const ElementType& type, std::int64_t end, RandomGenerator& random);

}  // namespace pykc::measure
