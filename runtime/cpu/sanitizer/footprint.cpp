#include "runtime/cpu/sanitizer/footprint.h"

#include <algorithm>
#include <bit>

namespace pykc::cpu {

template <typename Word>
void Footprint::for_each_word(std::uintptr_t address, std::int64_t bytes, const Word& word) {
  const std::uintptr_t end = address + static_cast<std::uintptr_t>(bytes);
  for (std::uintptr_t at = address; at < end;) {
    const std::uintptr_t first = at % kBits, count = std::min(kBits - first, end - at);
    word(at / kPageBytes, at % kPageBytes / kBits, (~std::uint64_t{0} >> (kBits - count)) << first);
    at += count;
  }
}

void Footprint::add(std::uintptr_t address, std::int64_t bytes) {
  for_each_word(address, bytes, [&](std::uintptr_t page, std::uintptr_t word, std::uint64_t bits) {
    if (last_ == nullptr || page != last_number_) last_ = &pages_[page], last_number_ = page;
    (*last_)[word] |= bits;
  });
}

void Footprint::remove(std::uintptr_t address, std::int64_t bytes) {
  if (pages_.empty()) return;
  const std::uintptr_t end = address + static_cast<std::uintptr_t>(bytes);
  for (auto page = pages_.lower_bound(address / kPageBytes); page != pages_.end() && page->first * kPageBytes < end;
       ++page) {
    const std::uintptr_t first = std::max(address, page->first * kPageBytes);
    const std::uintptr_t stop = std::min(end, (page->first + 1) * kPageBytes);
    for_each_word(first, static_cast<std::int64_t>(stop - first),
                  [&](std::uintptr_t, std::uintptr_t word, std::uint64_t bits) { page->second[word] &= ~bits; });
  }
}

std::optional<std::uintptr_t> Footprint::first_common(const Footprint& other) const {
  auto mine = pages_.begin(), others = other.pages_.begin();
  while (mine != pages_.end() && others != other.pages_.end()) {
    if (mine->first < others->first) {
      ++mine;
    } else if (others->first < mine->first) {
      ++others;
    } else {
      for (std::size_t word = 0; word < mine->second.size(); ++word)
        if (const std::uint64_t common = mine->second[word] & others->second[word])
          return mine->first * kPageBytes + word * kBits + static_cast<std::uintptr_t>(std::countr_zero(common));
      ++mine, ++others;
    }
  }
  return std::nullopt;
}

}  // namespace pykc::cpu
