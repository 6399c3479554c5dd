#include "runtime/cpu/sanitizer/local_arrays.h"

#include <iterator>

namespace pykc::cpu {

void LocalArrays::clear() {
  by_begin_.clear();
  last_ = nullptr;
}

void LocalArrays::begin(std::uint32_t number, std::uintptr_t address, std::int64_t bytes) {
  last_ = nullptr;
  auto place = by_begin_.upper_bound(address);
  if (place != by_begin_.begin() && std::prev(place)->second.end() > address) --place;
  while (place != by_begin_.end() && place->first < address + static_cast<std::uintptr_t>(bytes))
    place = by_begin_.erase(place);
  by_begin_.try_emplace(place, address, address, bytes, number);
}

UnwrittenMemory* LocalArrays::find(std::uintptr_t address) {
  if (last_ != nullptr && address >= last_->begin() && address < last_->end()) return last_;
  const auto next = by_begin_.upper_bound(address);
  if (next == by_begin_.begin()) return nullptr;
  UnwrittenMemory& memory = std::prev(next)->second;
  return address < memory.end() ? last_ = &memory : nullptr;
}

}  // namespace pykc::cpu
