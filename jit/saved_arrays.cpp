#include "jit/saved_arrays.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pykc::jit {

Result<SavedArrays::Saved> SavedArrays::place(const Device& device, const Argument& array) {
  const std::int64_t element_bytes = array.record ? array.record->bytes : size_in_bytes(array.type);
  const auto rank = static_cast<std::size_t>(std::clamp(array.rank, 0, Argument::kMaxRank));
  // What lies along an axis of stride 0 is one element.
  std::array<std::int64_t, Argument::kMaxRank> extents;
  for (std::size_t i = 0; i < rank; ++i)
    extents[i] = array.strides[i] == 0 ? std::min<std::int64_t>(array.extents[i], 1) : array.extents[i];
  const std::span<const std::int64_t> shape(extents.data(), rank);
  const Result<Mapping> mapping = Mapping::strided(shape, {array.strides, rank});
  if (!mapping) return mapping.error();
  const Result<detail::WrappedElements> original =
      detail::wrap_elements(device, array.address, *mapping, element_bytes, 1, nullptr);
  if (!original) return original.error();
  const Result<detail::DenseMemory> dense = detail::dense_memory(shape, mapping->order(), element_bytes);
  if (!dense) return dense.error();
  const Result<Buffer> copy = device.allocate_bytes(dense->bytes);
  if (!copy) return copy.error();
  return Saved{original->buffer, original->mapping, *copy, dense->mapping, element_bytes};
}

Result<SavedArrays> SavedArrays::save(const Device& device, const Stream& stream, std::span<const Argument> arrays) {
  SavedArrays all;
  for (const Argument& array : arrays) {
    Result<Saved> saved = place(device, array);
    if (!saved) return saved.error();
    if (Result<void> copied = saved->copied().copy_from(saved->elements(), &stream); !copied) return copied.error();
    all.saved_.push_back(std::move(*saved));
  }
  return all;
}

Result<void> SavedArrays::restore(const Stream& stream) const {
  for (const Saved& saved : saved_)
    if (Result<void> copied = saved.elements().copy_from(saved.copied(), &stream); !copied) return copied;
  return {};
}

}  // namespace pykc::jit
