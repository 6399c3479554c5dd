#include "jit/saved_arrays.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/errors.h"

namespace pykc::jit {

Result<SavedArrays::Saved> SavedArrays::place(const Device& device, const Argument& array) {
  const std::int64_t element_bytes = array.record ? array.record->bytes : size_in_bytes(array.type);
  const auto rank = static_cast<std::size_t>(std::clamp(array.rank, 0, Argument::kMaxRank));
  // What lies along an axis of stride 0 is one element.
  std::array<std::int64_t, Argument::kMaxRank> extents;
  for (std::size_t i = 0; i < rank; ++i)
    extents[i] = array.strides[i] == 0 ? std::min<std::int64_t>(array.extents[i], 1) : array.extents[i];
  const std::span<const std::int64_t> shape(extents.data(), rank);
  ASSIGN_OR_RETURN(const Mapping mapping, Mapping::strided(shape, {array.strides, rank}));
  ASSIGN_OR_RETURN(const detail::WrappedElements original,
                   detail::wrap_elements(device, array.address, mapping, element_bytes, 1, nullptr));
  ASSIGN_OR_RETURN(const detail::DenseMemory dense, detail::dense_memory(shape, mapping.order(), element_bytes));
  ASSIGN_OR_RETURN(const Buffer copy, device.allocate_bytes(dense.bytes));
  return Saved{original.buffer, original.mapping, copy, dense.mapping, element_bytes};
}

Result<SavedArrays> SavedArrays::save(const Device& device, const Stream& stream, std::span<const Argument> arrays) {
  SavedArrays all;
  for (const Argument& array : arrays) {
    ASSIGN_OR_RETURN(Saved saved, place(device, array));
    RETURN_IF_FAILED(saved.copied().copy_from(saved.elements(), &stream));
    all.saved_.push_back(std::move(saved));
  }
  return all;
}

Result<void> SavedArrays::restore(const Stream& stream) const {
  for (const Saved& saved : saved_) RETURN_IF_FAILED(saved.elements().copy_from(saved.copied(), &stream));
  return {};
}

}  // namespace pykc::jit
