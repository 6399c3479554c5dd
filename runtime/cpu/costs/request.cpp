#include "runtime/cpu/costs/request.h"

#include <algorithm>

#include "pykc/costs.h"

namespace pykc::cpu {
namespace {

constexpr int kBanks = 32, kBankBytes = 4;

/// The addresses of lanes that take part, in order.
struct Addresses {
  std::array<std::uintptr_t, kLanes> list;
  int count = 0;
  auto begin() const { return list.begin(); }
  auto end() const { return list.begin() + count; }
};
Addresses sorted(const Request& request) {
  Addresses addresses;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    if ((request.lanes >> lane & 1) != 0)
      addresses.list[static_cast<std::size_t>(addresses.count++)] = request.addresses[lane];
  std::sort(addresses.list.begin(), addresses.list.begin() + addresses.count);
  return addresses;
}

/// Passes that lanes `first` to `last - 1` take together: as many as words of one bank.
int passes(const Request& request, int bytes, std::uint32_t first, std::uint32_t last) {
  std::array<std::uintptr_t, std::size_t{4} * kLanes> words;
  int count = 0;
  for (std::uint32_t lane = first; lane < last; ++lane) {
    if ((request.lanes >> lane & 1) == 0) continue;
    const std::uintptr_t begin = request.addresses[lane] / kBankBytes;
    const std::uintptr_t end = (request.addresses[lane] + static_cast<std::uintptr_t>(bytes) - 1) / kBankBytes;
    for (std::uintptr_t word = begin; word <= end; ++word) words[static_cast<std::size_t>(count++)] = word;
  }
  std::sort(words.begin(), words.begin() + count);
  std::array<int, kBanks> of_bank = {};
  int most = 0;
  for (int i = 0; i < count; ++i) {
    const std::uintptr_t word = words[static_cast<std::size_t>(i)];
    if (i > 0 && word == words[static_cast<std::size_t>(i - 1)]) continue;
    most = std::max(most, ++of_bank[word % kBanks]);
  }
  return most;
}

}  // namespace

Sectors sectors_of(const Request& request, int bytes) {
  Sectors sectors;
  for (const std::uintptr_t address : sorted(request)) {
    const std::uintptr_t last = (address + static_cast<std::uintptr_t>(bytes) - 1) / kSectorBytes;
    for (std::uintptr_t sector = address / kSectorBytes; sector <= last; ++sector) {
      if (sectors.count > 0 && sector <= sectors.numbers[static_cast<std::size_t>(sectors.count - 1)]) continue;
      sectors.numbers[static_cast<std::size_t>(sectors.count++)] = sector;
    }
  }
  return sectors;
}

int lines_of(const Sectors& sectors) {
  constexpr std::uintptr_t kSectorsOfLine = 4;
  int lines = 0;
  for (int i = 0; i < sectors.count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const bool is_new =
        i == 0 || sectors.numbers[place] / kSectorsOfLine != sectors.numbers[place - 1] / kSectorsOfLine;
    lines += is_new ? 1 : 0;
  }
  return lines;
}

std::int64_t distinct_bytes(const Request& request, int bytes) {
  std::int64_t distinct = 0;
  std::uintptr_t end = 0;
  for (const std::uintptr_t address : sorted(request)) {
    const std::uintptr_t begin = std::max(address, end);
    end = std::max(end, address + static_cast<std::uintptr_t>(bytes));
    distinct += static_cast<std::int64_t>(end - begin);
  }
  return distinct;
}

/// 32 banks give 128 bytes a pass: what is wider is taken by halves or quarters of the warp.
Wavefronts wavefronts_of(const Request& request, int bytes) {
  const std::uint32_t groups = bytes <= 4 ? 1 : static_cast<std::uint32_t>(bytes) / 4, lanes = kLanes / groups;
  Wavefronts wavefronts;
  for (std::uint32_t group = 0; group < groups; ++group) {
    const int needed = passes(request, bytes, group * lanes, (group + 1) * lanes);
    wavefronts.count += needed;
    wavefronts.ideal += needed > 0 ? 1 : 0;
  }
  return wavefronts;
}

std::optional<std::int64_t> lane_distance(const Request& request) {
  std::optional<std::int64_t> distance;
  for (std::size_t lane = 0; lane + 1 < kLanes; ++lane) {
    if ((request.lanes >> lane & 3) != 3) continue;
    const auto here = static_cast<std::int64_t>(request.addresses[lane + 1] - request.addresses[lane]);
    if (distance && *distance != here) return std::nullopt;
    distance = here;
  }
  return distance;
}

int most_at_one_address(const Request& request) {
  int most = 0, same = 0;
  std::uintptr_t before = 0;
  for (const std::uintptr_t address : sorted(request)) {
    same = same > 0 && address == before ? same + 1 : 1;
    before = address;
    most = std::max(most, same);
  }
  return most;
}

}  // namespace pykc::cpu
