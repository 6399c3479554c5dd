// Constant arrays as their bytes, in row-major order: what only moves elements.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/check/types/value.h"

namespace pykc::checker {

using Extents = std::vector<std::int64_t>;

/// The most elements that an array has while constants are worked out; what a kernel reads must fit constant memory.
inline constexpr std::int64_t kMostConstantElements = std::int64_t{1} << 18;
inline constexpr std::int64_t kMostTableBytes = 16 * kMostConstantElements;  // as many complex numbers

std::int64_t count_elements(const Extents& extents);
/// How far apart neighbours along each dimension are, in elements.
Extents dense_strides(const Extents& extents);

/// A table of the elements at `offset` + the sum of position * stride: a slice, a transpose, a repetition.
Table gathered(const Table& table, Extents extents, const Extents& strides, std::int64_t offset);
/// The elements of a table in other extents, which hold as many.
Table with_extents(Table table, Extents extents);
/// One field of every record.
Table field_of(const Table& table, const RecordField& field);

/// The extents that both are repeated to, as NumPy broadcasts; none where they do not fit.
std::optional<Extents> broadcast(const Extents& a, const Extents& b);
/// The table, repeated to extents that it broadcasts to.
Table repeated(const Table& table, const Extents& extents);

}  // namespace pykc::checker
