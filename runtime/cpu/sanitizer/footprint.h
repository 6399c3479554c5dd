// Bytes of memory that a piece of work touches, as bits of pages.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

namespace pykc::cpu {

class Footprint {
 public:
  void add(std::uintptr_t address, std::int64_t bytes);
  void remove(std::uintptr_t address, std::int64_t bytes);
  /// The lowest byte of both.
  std::optional<std::uintptr_t> first_common(const Footprint& other) const;
  std::size_t pages() const { return pages_.size(); }

 private:
  static constexpr std::uintptr_t kPageBytes = 4096;
  static constexpr std::uintptr_t kBits = 64;
  using Page = std::array<std::uint64_t, kPageBytes / kBits>;
  /// Calls `word` with the number of a page, that of one of its words, and which bits of it are meant.
  template <typename Word>
  static void for_each_word(std::uintptr_t address, std::int64_t bytes, const Word& word);

  std::map<std::uintptr_t, Page> pages_;
  std::uintptr_t last_number_ = 0;  // of the page that was touched last
  Page* last_ = nullptr;
};

}  // namespace pykc::cpu
