#include "runtime/cpu/sanitizer/shadow.h"

namespace pykc::cpu {

void Shadow::set_granule(std::uint32_t bytes) {
  granule_ = bytes;
  recent_.fill({});
  pages_.clear();
  others_.assign(1, {});
  is_full_ = false;
}

bool Shadow::find_page(std::uintptr_t number, Recent& recent) {
  const std::size_t cells = kPageBytes / granule_;
  auto found = pages_.find(number);
  if (found == pages_.end()) {
    if ((pages_.size() + 1) * cells * sizeof(Cell) > kMostBytes) {
      is_full_ = true;
      return false;
    }
    found = pages_.emplace(number, std::make_unique<Cell[]>(cells)).first;
  }
  recent = {number, found->second.get()};
  return true;
}

std::vector<Access>& Shadow::others(Cell& cell) {
  if (cell.others == 0) {
    cell.others = static_cast<std::uint32_t>(others_.size());
    others_.emplace_back();
  }
  return others_[cell.others];
}

}  // namespace pykc::cpu
