#include "runtime/cpu/sanitizer/alike_blocks.h"

#include <algorithm>
#include <numeric>

namespace pykc::cpu {
namespace {

constexpr std::size_t kMostWays = 64;
constexpr std::uint8_t kNoWay = 255;
constexpr std::int64_t kMostBlocks = std::int64_t{1} << 24;
constexpr std::int64_t kMostUnits = std::int64_t{1} << 33;  // of an object, which are told apart

void extend(std::vector<std::pair<std::int64_t, std::int64_t>>& runs, std::int64_t begin, std::int64_t end) {
  if (begin < end) runs.emplace_back(begin, end);
}

}  // namespace

/// A bit for each so many bytes of an object.
struct AlikeBlocks::Bits {
  Bits(std::int64_t bytes, std::int64_t unit)
      : unit_(unit), words_(static_cast<std::size_t>(bytes / unit / kBits + 1)) {}

  /// Whether any of the run is set.
  bool has(const Run& run) const {
    bool found = false;
    for_each_word(run, [&](std::size_t word, std::uint64_t mask) { found |= (words_[word] & mask) != 0; });
    return found;
  }
  void set(const Run& run) {
    for_each_word(run, [&](std::size_t word, std::uint64_t mask) { words_[word] |= mask; });
  }

 private:
  static constexpr std::int64_t kBits = 64;
  template <typename Word>
  void for_each_word(const Run& run, const Word& word) const {
    const std::int64_t end = run.end / unit_;
    for (std::int64_t at = run.begin / unit_; at < end;) {
      const std::int64_t first = at % kBits, count = std::min(kBits - first, end - at);
      word(static_cast<std::size_t>(at / kBits), (~std::uint64_t{0} >> (kBits - count)) << first);
      at += count;
    }
  }

  std::int64_t unit_;
  std::vector<std::uint64_t> words_;
};

/// What has been read of an object, and what has been written, as all runs there are multiples of so many bytes.
struct AlikeBlocks::Touched {
  std::int64_t unit = 0;
  bool is_atomic = true;
  std::optional<Bits> read = {}, written = {};
};

void AlikeBlocks::begin(const KernelInfo& kernel, const abi::CpuLaunch& launch, std::int64_t blocks) {
  kernel_ = &kernel;
  is_looking_ = kernel.watched.has_alike_blocks && !kernel.is_cooperative && blocks > 1 && blocks <= kMostBlocks;
  grid_ = {launch.grid[0], launch.grid[1], launch.grid[2]};
  ways_.clear();
  if (!is_looking_) return;
  way_of_.assign(static_cast<std::size_t>(blocks), kNoWay);
  next_ = 0;
  steps_.assign(kernel.watched.sites.size(), std::nullopt);
}

AlikeBlocks::Index AlikeBlocks::index_of(std::int64_t block) const {
  return {block % grid_[0], block / grid_[0] % grid_[1], block / grid_[0] / grid_[1]};
}

std::optional<AlikeBlocks::Steps> AlikeBlocks::steps_of(std::uint32_t site) const {
  Steps steps = {};
  for (std::size_t axis = 0; axis < steps.size(); ++axis) {
    const std::int32_t by = kernel_->watched.sites[site].steps[axis];
    if (by < 0) continue;
    if (static_cast<std::size_t>(by) >= steps_.size() || !steps_[static_cast<std::size_t>(by)]) return std::nullopt;
    steps[axis] = *steps_[static_cast<std::size_t>(by)];
  }
  return steps;
}

AlikeBlocks::Wide AlikeBlocks::moved_by(const Steps& steps, const Index& from, const Index& to) {
  Wide sum = 0;
  for (std::size_t axis = 0; axis < steps.size(); ++axis) sum += Wide{steps[axis]} * (to[axis] - from[axis]);
  return sum;
}

std::optional<std::int64_t> AlikeBlocks::next() {
  if (is_looking_ && !ways_.empty()) finish_way();
  if (!is_looking_) return std::nullopt;
  const auto first = std::find(way_of_.begin() + next_, way_of_.end(), kNoWay);
  next_ = first - way_of_.begin();
  if (first == way_of_.end()) return std::nullopt;
  if (ways_.size() == kMostWays) {
    give_up();
    return std::nullopt;
  }
  *first = static_cast<std::uint8_t>(ways_.size());
  ways_.push_back({.number = next_, .block = index_of(next_)});
  recent_.assign(kernel_->watched.sites.size(), {});
  return next_;
}

/// Of the block that has been watched: puts runs together that touch, and finds those that go the same way.
void AlikeBlocks::finish_way() {
  Way& way = ways_.back();
  for (auto& [place, part] : way.parts)
    for (std::vector<Run>* runs : {&part.reads, &part.writes}) {
      std::ranges::sort(*runs, {}, &Run::begin);
      std::vector<Run> united;
      for (const Run& run : *runs)
        if (!united.empty() && run.begin <= united.back().end)
          united.back().end = std::max(united.back().end, run.end);
        else
          united.push_back(run);
      *runs = std::move(united);
    }
  std::map<Steps, Limits> limits;  // of how far what moves so may go
  for (const auto& [site, guard] : way.guards) {
    const std::optional<Steps> steps = steps_of(site);
    if (!steps) return give_up();
    Limits& both = limits[*steps];
    const Limits one = limits_of(kernel_->watched.sites[site], guard);
    both = {std::max(both.least, one.least), std::min(both.most, one.most)};
  }
  const auto goes = [&](const Index& block) {
    return std::ranges::all_of(limits, [&](const auto& one) {
      const Wide moved = moved_by(one.first, way.block, block);
      return one.second.least <= moved && moved <= one.second.most;
    });
  };
  for (std::size_t block = static_cast<std::size_t>(next_); block < way_of_.size(); ++block)
    if (way_of_[block] == kNoWay && goes(index_of(static_cast<std::int64_t>(block))))
      way_of_[block] = static_cast<std::uint8_t>(ways_.size() - 1);
}

/// How far the numbers may move apart for the comparison to come out as it did, each time, and for none to wrap.
AlikeBlocks::Limits AlikeBlocks::limits_of(const ObservedSite& site, const Guard& guard) {
  using Number = std::numeric_limits<std::int64_t>;
  Limits limits{Wide{Number::min()} - guard.least, Wide{Number::max()} - guard.most};
  const bool from_less = site.splits_equal_from_less, from_more = site.splits_equal_from_more;
  if (!from_less && !from_more) return limits;
  limits.least = std::max(limits.least, from_more ? 1 - guard.above : -guard.above);
  limits.most = std::min(limits.most, from_less ? guard.below - 1 : guard.below);
  if (guard.has_equal && from_less) limits.least = std::max(limits.least, Wide{0});
  if (guard.has_equal && from_more) limits.most = std::min(limits.most, Wide{0});
  return limits;
}

bool AlikeBlocks::was_watched(std::int64_t block) const {
  return std::ranges::find(ways_, block, &Way::number) != ways_.end();
}

std::vector<std::pair<std::int64_t, std::int64_t>> AlikeBlocks::others() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  std::int64_t begin = 0;
  for (const Way& way : ways_) {  // in the order of their blocks
    extend(runs, begin, way.number);
    begin = way.number + 1;
  }
  extend(runs, begin, static_cast<std::int64_t>(way_of_.size()));
  return runs;
}

void AlikeBlocks::guard(std::uint32_t site, std::int64_t moving, std::int64_t other) {
  Guard& guard = ways_.back().guards[site];
  guard.least = std::min(guard.least, moving);
  guard.most = std::max(guard.most, moving);
  const Wide difference = Wide{moving} - other;
  if (difference > 0) guard.above = std::min(guard.above, difference);
  if (difference < 0) guard.below = std::min(guard.below, -difference);
  guard.has_equal |= difference == 0;
}

void AlikeBlocks::access_shared(std::uint32_t site) {
  bool& is_checked = recent_[site].is_checked;
  if (!is_checked && steps_of(site) != Steps{}) give_up();
  is_checked = true;
}

void AlikeBlocks::access(std::uint32_t site, std::size_t object, const Access& access) {
  const ObservedSite& at = kernel_->watched.sites[site];
  Recent& recent = recent_[site];
  if (!recent.is_checked || recent.object != object) {
    const std::optional<Steps> steps = steps_of(site);
    // What is misaligned elsewhere is to be found there.
    const bool is_aligned = steps && (at.is_packed || std::ranges::all_of(*steps, [&](std::int64_t step) {
                                        return step % std::max<std::int64_t>(at.bytes, 1) == 0;
                                      }));
    if (!is_aligned) return give_up();
    recent = {true, object, &ways_.back().parts[{object, *steps}]};
  }
  const auto add = [&](std::vector<Run>& runs) {
    const Run run{access.offset, access.offset + at.bytes};
    if (!runs.empty() && runs.back().begin <= run.begin && run.begin <= runs.back().end)
      runs.back().end = std::max(runs.back().end, run.end);
    else
      runs.push_back(run);
  };
  recent.part->is_atomic &= access.is_atomic;
  if (access.reads) add(recent.part->reads);
  if (access.writes) add(recent.part->writes);
}

/// No bits for what is touched atomically alone.
std::optional<std::vector<AlikeBlocks::Touched>> AlikeBlocks::nothing_touched(
    const std::vector<Object>& objects) const {
  std::vector<Touched> touched(objects.size());
  for (const Way& way : ways_)
    for (const auto& [place, part] : way.parts) {
      Touched& one = touched[place.first];
      one.is_atomic &= part.is_atomic;
      for (const std::int64_t step : place.second) one.unit = std::gcd(one.unit, step);
      for (const std::vector<Run>* runs : {&part.reads, &part.writes})
        for (const Run& run : *runs) one.unit = std::gcd(one.unit, std::gcd(run.begin, run.end));
    }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    Touched& one = touched[i];
    if (one.is_atomic || one.unit == 0) continue;
    if (objects[i].bytes() / one.unit > kMostUnits) return std::nullopt;
    one.read = one.written = Bits(objects[i].bytes(), one.unit);
  }
  return touched;
}

bool AlikeBlocks::are_apart(const std::vector<Object>& objects) const {
  std::optional<std::vector<Touched>> touched = nothing_touched(objects);
  if (!touched) return false;
  for (std::size_t block = 0; block < way_of_.size(); ++block) {
    const Way& way = ways_[way_of_[block]];
    const Index index = index_of(static_cast<std::int64_t>(block));
    for (const auto& [place, part] : way.parts) {
      const Wide moved = moved_by(place.second, way.block, index);
      const std::int64_t bytes = objects[place.first].bytes();
      const auto is_inside = [&](const Run& run) { return run.begin + moved >= 0 && run.end + moved <= bytes; };
      if (!std::ranges::all_of(part.reads, is_inside) || !std::ranges::all_of(part.writes, is_inside)) return false;
      Touched& before = (*touched)[place.first];
      if (!before.read) continue;
      const auto here = [&](const Run& run) {
        return Run{run.begin + static_cast<std::int64_t>(moved), run.end + static_cast<std::int64_t>(moved)};
      };
      for (const Run& run : part.reads)
        if (before.written->has(here(run))) return false;
      for (const Run& run : part.writes)
        if (before.written->has(here(run)) || before.read->has(here(run))) return false;
      for (const Run& run : part.reads) before.read->set(here(run));
      for (const Run& run : part.writes) before.written->set(here(run));
    }
  }
  return true;
}

}  // namespace pykc::cpu
