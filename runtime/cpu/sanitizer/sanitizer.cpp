#include "runtime/cpu/sanitizer/sanitizer.h"

#include <algorithm>
#include <cstring>

namespace pykc::cpu {
namespace {

using SiteKind = ObservedSite::Kind;

/// Pairs of lines that are told of one launch; further ones are rarely news.
constexpr std::size_t kMostFound = 20;

/// Accesses to one element that know nothing of one another, and that are kept. With all of them a launch would take
/// the square of its threads where all of these read one element.
constexpr std::size_t kMostOthers = 256;

bool reads(const ObservedSite& site) {
  return site.is_access() && site.kind != SiteKind::Store && site.kind != SiteKind::AtomicStore;
}
bool writes(const ObservedSite& site) {
  return site.is_access() && site.kind != SiteKind::Load && site.kind != SiteKind::AtomicLoad;
}

/// Bits of ObservedSite::ignored.
enum Code : std::uint8_t { kRace, kUninitialised, kMissingLane, kDifferentMasks, kFreed, kStreamRace, kMisaligned };

Code code_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::Race:
    case Finding::Kind::SameValue:
      return kRace;
    case Finding::Kind::Uninitialised:
      return kUninitialised;
    case Finding::Kind::MissingLane:
      return kMissingLane;
    case Finding::Kind::DifferentMasks:
      return kDifferentMasks;
    case Finding::Kind::Freed:
      return kFreed;
    case Finding::Kind::Misaligned:
      break;
  }
  return kMisaligned;
}

/// Whether it may order some threads of a block, or of the launch, and not others.
bool orders_some(const ObservedSite& site) {
  return site.kind == SiteKind::Warp || site.kind == SiteKind::Fence || site.acquires || site.releases;
}

/// As many bytes as every access of the kernel is a multiple of.
std::uint32_t granule_of(const std::vector<ObservedSite>& sites) {
  std::uint32_t granule = 16;
  for (const ObservedSite& site : sites)
    if (site.is_access() && !site.is_local) granule = std::min<std::uint32_t>(granule, site.is_packed ? 1 : site.bytes);
  return granule;
}

bool holds(std::uintptr_t address, std::uint64_t value, std::size_t bytes) {
  return std::memcmp(reinterpret_cast<const void*>(address), &value, bytes) == 0;
}

}  // namespace

void Sanitizer::begin(const KernelInfo& kernel, const abi::CpuLaunch& launch, std::int64_t blocks, StreamWork* work) {
  kernel_ = &kernel;
  looks_for_ = kernel.watched.looks_for;
  threads_ = static_cast<std::uint32_t>(launch.block[0] * launch.block[1] * launch.block[2]);
  constexpr Time kLate = ~Time{0} / 2;
  const std::uint32_t granule = granule_of(kernel.watched.sites);
  if (granule != shadow_.granule() || clocks_.now() > kLate || shadow_.is_full()) {
    shadow_.set_granule(granule);
    clocks_ = Clocks();
  }
  clocks_.begin_launch(kernel.is_cooperative);
  objects_ = Objects(kernel, launch);
  objects_.look_up(watch_);
  locals_.clear();
  sites_.clear();
  for (const ObservedSite& site : kernel.watched.sites)
    sites_.push_back({site.kind,
                      reads(site),
                      writes(site),
                      writes(site),
                      site.is_atomic(),
                      site.is_shared,
                      site.is_local,
                      site.is_packed,
                      site.is_for_block,
                      site.is_dropped,
                      site.is_async,
                      {site.is_predictable, site.is_alike},
                      site.bytes});
  work_ = work;
  if (work_ != nullptr) {
    work_->name = "kernel `" + kernel.name + "`";
    for (const ObservedSite& site : kernel.watched.sites)
      work_->parts.push_back({.reads = reads(site),
                              .writes = writes(site),
                              .is_atomic = site.is_atomic(),
                              .is_ignored = (site.ignored >> kStreamRace & 1) != 0,
                              .place = site.place});
  }
  keeps_all_ = std::ranges::any_of(kernel.watched.sites, orders_some);
  is_settled_.fill(kernel.watched.is_predictable && !kernel.is_cooperative && !objects_.overlap());
  alike_.begin(kernel, launch, blocks);
  if (!is_settled_[kForLaunch] || objects_.has_freed() || work != nullptr) alike_.give_up();
  found_.clear();
  known_.clear();
  numbers_.clear();
  missed_.clear();
  copies_.clear();
}

void Sanitizer::set_shared_memory(const void* memory, std::int64_t bytes) {
  objects_.set_shared_memory(*kernel_, memory, bytes);
}

void Sanitizer::end() {
  land_all();
  // What is read before it is written is a race first, where somebody writes it too late.
  const auto is_race_of = [&](const Finding& read) {
    return std::ranges::any_of(found_, [&](const Found& other) {
      const Finding& race = other.finding;
      return race.kind == Finding::Kind::Race && objects_.find(race.address) == objects_.find(read.address) &&
             (line_of(race.site) == line_of(read.site) || line_of(race.other_site) == line_of(read.site));
    });
  };
  std::erase_if(found_, [&](const Found& one) {
    return one.finding.kind == Finding::Kind::Uninitialised && one.finding.local < 0 && is_race_of(one.finding);
  });
  is_settled_[kForLaunch] = may_stand(kForLaunch);
}

/// Whether nothing has been found, and nothing could be where places are others that are not known.
bool Sanitizer::may_stand(Standing standing) const {
  const auto is_in_doubt = [&](const Object& object) {
    return object.doubts[standing].is_there && object.has_writes && (object.is_shared || object.has_plain);
  };
  return is_settled_[standing] && found_.empty() && !shadow_.is_full() && !has_unseen_doubt(standing) &&
         std::ranges::none_of(objects_.list(), is_in_doubt);
}

/// Whether there is an access that has not happened, and that could have been in the way of another.
bool Sanitizer::has_unseen_doubt(Standing standing) const {
  return std::ranges::any_of(kernel_->watched.doubtful_sites, [&](std::int32_t number) {
    const auto index = static_cast<std::size_t>(number);
    if (index >= sites_.size() || sites_[index].is_seen || sites_[index].is_known[standing]) return false;
    const Site& site = sites_[index];
    if (site.is_local) return site.reads;
    const auto array = static_cast<std::size_t>(kernel_->watched.sites[index].array);
    if (site.is_shared || array >= objects_.list().size()) return true;
    const Object& object = objects_.list()[array];
    return object.is_written || object.unwritten != nullptr;
  });
}

bool Sanitizer::may_leave_others() {
  if (!alike_.is_looking() || !may_stand(kForBlock) || !alike_.are_apart(objects_.list())) return false;
  alike_.for_each_write([&](std::size_t number, std::int64_t offset, std::int64_t bytes) {
    Object& object = objects_.list()[number];
    if (object.unwritten == nullptr) return;
    object.first_written += object.unwritten->write(object.begin + static_cast<std::uintptr_t>(offset), bytes);
  });
  return true;
}

Sanitizer::Line Sanitizer::line_of(std::uint32_t site) const {
  const SourcePlace& place = kernel_->watched.sites[site].place;
  return {place.file, place.line};
}

void Sanitizer::enter(ThreadId thread) {
  if (!kernel_->is_cooperative) {
    missed_.clear();
    land_all();
  }
  for (Object& object : objects_.list()) object.written_bytes = 0;
  clocks_.enter_block(thread.block, threads_);
}

void Sanitizer::observe(ThreadId thread, std::uint32_t number, const void* address, std::uint64_t value) {
  if (!clocks_.is_in_block(thread.block)) enter(thread);
  if (!missed_.empty()) check_return(thread);
  Site& site = sites_[number];
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  switch (site.kind) {
    case SiteKind::Fence:
      return clocks_.fence(thread.thread, site.is_for_block);
    case SiteKind::Barrier:
      return;
    case SiteKind::Warp:
      warp_site_ = number;
      return clocks_.arrive(thread.thread, static_cast<std::uint32_t>(value));
    case SiteKind::Begin:
      return locals_.begin(static_cast<std::uint32_t>(kernel_->watched.sites[number].array), place,
                           static_cast<std::int64_t>(value));
    case SiteKind::Shown:
      return show(place);
    case SiteKind::Commit:
      return copies_.commit(thread);
    case SiteKind::Await:
      return copies_.await(thread, value, [this](ThreadId of, AsyncCopies::Copy copy) { land(of, copy); });
    case SiteKind::Step:
      if (alike_.is_looking()) alike_.step(number, static_cast<std::int64_t>(value));
      return;
    case SiteKind::Guard:
      if (alike_.is_looking()) alike_.guard(number, static_cast<std::int64_t>(place), static_cast<std::int64_t>(value));
      return;
    default:
      break;
  }
  site.is_seen = true;
  // Copies of 16 bytes are made of smaller ones where they must be.
  const bool is_aligned = (place & (std::uintptr_t{site.bytes} - 1)) == 0 || site.bytes > 8 || site.bytes == 0;
  if (!is_aligned && !site.is_packed) add_misaligned(thread, number, place);
  if (site.is_local) return access_local(thread, number, place);
  if (site.kind == SiteKind::AtomicSwap) site.writes = holds(place, value, site.bytes);
  // What an atomic access hears of orders even what stands next to it.
  if (site.is_atomic) {
    const ObservedSite& at = kernel_->watched.sites[number];
    clocks_.atomic(thread.thread, address,
                   {site.reads, site.writes, at.acquires, at.releases, at.is_for_block, site.reads && at.decides});
  }
  access(thread, number, site, place, value);
  if (site.is_async) copies_.start(thread, {number, place});
}

/// A copy has ended by now, and not before.
void Sanitizer::land(ThreadId thread, AsyncCopies::Copy copy) {
  if (!clocks_.is_in_block(thread.block)) clocks_.enter_block(thread.block, threads_);
  access(thread, copy.site, sites_[copy.site], copy.address, 0);
}

/// At the end of a block, or of the launch.
void Sanitizer::land_all() {
  copies_.end([this](ThreadId of, AsyncCopies::Copy copy) { land(of, copy); });
}

void Sanitizer::add_misaligned(ThreadId thread, std::uint32_t number, std::uintptr_t address) {
  const UnwrittenMemory* const local = sites_[number].is_local ? locals_.find(address) : nullptr;
  add({Finding::Kind::Misaligned,
       number,
       thread,
       number,
       {},
       local == nullptr ? address : address - local->begin(),
       local == nullptr ? -1 : static_cast<std::int64_t>(local->number())});
}

void Sanitizer::access(ThreadId thread, std::uint32_t number, Site& site, std::uintptr_t address, std::uint64_t value) {
  if (work_ != nullptr && !site.is_shared) work_->parts[number].bytes.add(address, site.bytes);
  if (site.object == nullptr || address < site.object->begin || address >= site.object->end)
    site.object = objects_.find(address);
  if (alike_.is_looking() && site.is_known[kForBlock]) tell_alike(number, site, address);
  if (site.object == nullptr) {
    lose_sight();
  } else {
    if (site.object->is_freed) return void(add({Finding::Kind::Freed, number, thread, number, {}, address}));
    if (site.object->unwritten != nullptr) look_at_values(thread, number, *site.object, address);
    site.object->is_read |= site.reads;
    // Nothing races over what nobody writes.
    if (!site.object->is_written && !site.object->is_shared && !objects_.overlap()) return;
    note(*site.object, site);
  }
  const Access access{clocks_.now(), thread.block, thread.thread, number};
  const bool same_value = site.writes && !site.is_atomic && !site.is_async && site.bytes <= sizeof value &&
                          holds(address, value, site.bytes);
  for (std::uint32_t i = 0; i < site.bytes; i += shadow_.granule())
    if (Cell* cell = shadow_.at(address + i)) touch(*cell, access, site, address, same_value);
}

/// Where a place depends on data, other data could leave out what is written here, or read what is not.
void Sanitizer::look_at_values(ThreadId thread, std::uint32_t number, Object& object, std::uintptr_t address) {
  const Site& site = sites_[number];
  UnwrittenMemory& memory = *object.unwritten;
  if (site.reads) {
    if (!object.was_written) {
      unsettle_unless_known(site);
      is_settled_[kForBlock] = false;  // another block may read what is not written
    }
    if (looks_for_.uninitialised && !site.is_dropped && !memory.has(address, site.bytes))
      add({Finding::Kind::Uninitialised, number, thread, number, {}, address});
  }
  if (!site.writes) return;
  const std::uintptr_t news = memory.write(address, site.bytes);
  object.first_written += news;
  if (news != 0) unsettle_unless_known(site);
}

void Sanitizer::unsettle_unless_known(const Site& site) {
  for (std::size_t n = 0; n < kStandings; ++n) is_settled_[n] &= site.is_known[n];
}

/// What an access at such a place means for other blocks.
void Sanitizer::tell_alike(std::uint32_t number, const Site& site, std::uintptr_t address) {
  if (site.is_shared) return alike_.access_shared(number);
  const Object* const object = site.object;
  if (object == nullptr) return alike_.give_up();
  const bool matters = object->is_written || object->unwritten != nullptr;
  alike_.access(number, static_cast<std::size_t>(object - objects_.list().data()),
                {.offset = static_cast<std::int64_t>(address - object->begin),
                 .reads = site.reads && matters,
                 .writes = site.may_write && matters,
                 .is_atomic = site.is_atomic && !site.is_for_block});
}

void Sanitizer::access_local(ThreadId thread, std::uint32_t number, std::uintptr_t address) {
  UnwrittenMemory* const memory = locals_.find(address);
  if (memory == nullptr || memory->is_whole()) return;
  const Site& site = sites_[number];
  if (site.writes) {
    if (memory->write(address, site.bytes) != 0) unsettle_unless_known(site);
    return;
  }
  unsettle_unless_known(site);
  if (!site.is_dropped && !memory->has(address, site.bytes))
    add({Finding::Kind::Uninitialised,
         number,
         thread,
         number,
         {},
         address - memory->begin(),
         static_cast<std::int64_t>(memory->number())});
}

/// Whoever has the address may write everything.
void Sanitizer::show(std::uintptr_t address) {
  if (UnwrittenMemory* const memory = locals_.find(address)) memory->write_all();
  Object* const object = objects_.find(address);
  if (object == nullptr) return;
  object->is_shown = true;
  if (object->unwritten != nullptr) object->unwritten->write_all();
}

/// Whether an access at a place that depends on data would have been in the way of another, wherever it had been.
void Sanitizer::note(Object& object, const Site& site) {
  object.has_writes |= site.may_write;
  object.has_plain |= !site.is_atomic;
  if (is_settled_[kForLaunch]) note(object, site, kForLaunch);
  if (is_settled_[kForBlock] && alike_.is_looking()) note(object, site, kForBlock);
}

void Sanitizer::note(Object& object, const Site& site, Standing standing) {
  Doubt& doubt = object.doubts[standing];
  const Time now = clocks_.now(), since = object.is_shared ? clocks_.last_barrier() : clocks_.last_grid_barrier();
  const auto is_near = [&](Time time) { return time >= since; };
  if (site.is_known[standing]) {
    doubt.is_there |= site.reads && is_near(doubt.last_doubtful_write);
    doubt.is_there |= site.may_write && (is_near(doubt.last_doubtful_read) || is_near(doubt.last_doubtful_write));
    if (site.reads) doubt.last_read = now;
    if (site.may_write) doubt.last_write = now;
    return;
  }
  // Had it read another element of shared memory, that might not have been written.
  doubt.is_there |= object.is_shared && site.reads && object.written_bytes < object.end - object.begin;
  doubt.is_there |= site.reads && is_near(doubt.last_write);
  doubt.is_there |= site.may_write && (is_near(doubt.last_read) || is_near(doubt.last_write));
  // Two of them, at one element, where not both are atomic.
  if (!site.is_atomic) doubt.is_there |= site.may_write || is_near(doubt.last_doubtful_write);
  if (site.is_atomic) doubt.is_there |= site.may_write && is_near(doubt.last_doubtful_read);
  if (site.reads && !site.is_atomic) doubt.last_doubtful_read = now;
  if (site.may_write) doubt.last_doubtful_write = now;
}

/// Shared memory is another block's before and after.
bool Sanitizer::is_known(ThreadId thread, const Access& before, const Site& site) const {
  if (before.block == thread.block ? before.time < clocks_.last_barrier() : site.is_shared) return true;
  return clocks_.is_known(thread.thread, before.by(), before.time);
}

bool Sanitizer::conflicts(const Access& before, const Access& now, const Site& site) const {
  // The sites of what was before the launch are those of other kernels.
  if (!before.is_there() || before.by() == now.by() || clocks_.is_known_to_all(before.time)) return false;
  const Site& then = sites_[before.site];
  if (!then.writes && !site.writes) return false;
  if (!then.is_atomic || !site.is_atomic) return true;
  // One for a block alone is none for the others.
  return (then.is_for_block || site.is_for_block) && before.block != now.block;
}

/// Whether another thread of a warp reads what is settled for its block. Of such readers the last is kept and one
/// before it, which are enough to find whoever writes in their way.
bool Sanitizer::joins_readers(Cell& cell, const Access& access, const Site& site) {
  const auto is_beside = [&](const Access& read) {
    return read.time == access.time && read.block == access.block && read.thread / kLanes == access.thread / kLanes &&
           !sites_[read.site].is_atomic;
  };
  if (site.writes || site.is_atomic || keeps_all_ || !is_beside(cell.read)) return false;
  const bool is_settled = cell.write.is_there() && cell.write.block == access.block &&
                          cell.write.time < clocks_.last_barrier() && !cell.atomic.is_there();
  if (!is_settled || cell.others == 0 || cell.has_other_writes) return false;
  if (std::ranges::none_of(shadow_.others(cell),
                           [&](const Access& other) { return is_beside(other) && other.thread != access.thread; }))
    return false;
  cell.read = access;
  return true;
}

void Sanitizer::touch(Cell& cell, const Access& access, const Site& site, std::uintptr_t address, bool same_value) {
  const bool is_again = cell.read.time == access.time && cell.read.by() == access.by() && !site.writes;
  if (is_again && !cell.is_write_last && sites_[cell.read.site].is_atomic == site.is_atomic) return;
  if (joins_readers(cell, access, site)) return;
  if (site.is_shared) {
    const auto is_of_block = [&](const Access& write) {
      return write.is_there() && write.block == access.block && write.time >= clocks_.block_begin();
    };
    const bool is_written = is_of_block(cell.write) || is_of_block(cell.atomic);
    if (!is_written && site.writes) {
      if (site.object != nullptr) site.object->written_bytes += shadow_.granule();
      unsettle_unless_known(site);
    }
    const bool is_shown = site.object != nullptr && site.object->is_shown;
    if (!is_written && site.reads && looks_for_.uninitialised && !site.is_dropped && !is_shown)
      add({Finding::Kind::Uninitialised, access.site, access.by(), access.site, {}, address});
  }
  bool has_note = false;
  if (looks_for_.races) {
    // Gives whether it is no news.
    const auto check = [&](const Access& before) {
      if (!conflicts(before, access, site) || is_known(access.by(), before, site)) return false;
      const Site& then = sites_[before.site];
      if (then.is_atomic && has_observed(cell, access.by(), before)) return false;
      const bool is_note = same_value && then.writes && !then.is_atomic;
      has_note |= is_note;
      return !add({is_note ? Finding::Kind::SameValue : Finding::Kind::Race, access.site, access.by(), before.site,
                   before.by(), address});
    };
    check(cell.write);
    if (!cell.is_write_last) check(cell.atomic);
    if (!cell.is_write_last && site.writes) check(cell.read);
    if (cell.others != 0 && (site.writes || cell.has_other_writes))
      for (const Access& other : shadow_.others(cell))
        if (check(other)) break;
    // To write the same is no fault, but to write what the other has read.
    if (cell.is_write_last && has_note) {
      check(cell.atomic);
      check(cell.read);
    }
  }
  remember(cell, access, site, has_note);
}

/// Whether the thread has read, atomically, what an atomic access left, or something later: then that was before what
/// the thread does now (observation order, in the words of PTX).
bool Sanitizer::has_observed(const Cell& cell, ThreadId thread, const Access& before) const {
  const auto is_later = [&](const Access& own) {
    return own.is_there() && own.by() == thread && own.time >= before.time && sites_[own.site].is_atomic &&
           sites_[own.site].reads;
  };
  return is_later(cell.atomic) || is_later(cell.read);
}

void Sanitizer::remember(Cell& cell, const Access& access, const Site& site, bool has_note) {
  // What came before is ordered before a write, or told; but not what has written the same value. Atomic accesses leave
  // what is not atomic as it was.
  if (site.writes && !site.is_atomic) {
    if (cell.others != 0 && !has_note) {
      shadow_.others(cell).clear();
      cell.has_other_writes = false;
    }
    if (has_note && cell.write.is_there() && cell.write.by() != access.by()) keep_other(cell, cell.write, access.by());
    cell.write = access;
    cell.is_write_last = true;
    return;
  }
  if (cell.is_write_last) {
    cell.read = cell.atomic = {};
    cell.is_write_last = false;
  }
  Access& last = site.writes ? cell.atomic : cell.read;
  const auto is_ordered = [&] {
    if (last.by() == access.by()) return sites_[last.site].is_atomic == site.is_atomic;
    return is_known(access.by(), last, site);
  };
  if (last.is_there() && !clocks_.is_known_to_all(last.time) && !is_ordered()) keep_other(cell, last, access.by());
  last = access;
}

/// Where barriers alone order threads, one access of each reach stands for all: what is ordered behind it is ordered
/// behind the others.
void Sanitizer::keep_other(Cell& cell, const Access& other, ThreadId than) {
  std::vector<Access>& others = shadow_.others(cell);
  const bool is_atomic = sites_[other.site].is_atomic;
  if (sites_[other.site].writes) cell.has_other_writes = true;
  const Reach reach = reach_of(other.by(), than);
  const auto is_replaced = [&](const Access& kept) {
    if (clocks_.is_known_to_all(kept.time)) return true;
    if (sites_[kept.site].is_atomic != is_atomic || sites_[kept.site].writes != sites_[other.site].writes) return false;
    return kept.by() == other.by() || (!keeps_all_ && reach_of(kept.by(), than) == reach);
  };
  const auto place = std::ranges::find_if(others, is_replaced);
  if (place != others.end())
    *place = other;
  else if (others.size() < kMostOthers)
    others.push_back(other);
  else
    others[other.thread % kMostOthers] = other;
}

void Sanitizer::meet(std::uint32_t block, abi::Meeting meeting) {
  if (!clocks_.is_in_block(block)) enter({block, 0});
  if (meeting == abi::Meeting::Grid) return clocks_.meet_in_grid();
  if (meeting == abi::Meeting::Block) return clocks_.meet_in_block();
  if (looks_for_.divergence) check_lanes();
  clocks_.meet_in_warps();
}

/// Each lane that comes must be among those that it names, all of which come with the same mask.
void Sanitizer::check_lanes() {
  for (std::uint32_t warp = 0; warp < clocks_.warps(); ++warp) {
    const std::vector<Clocks::Arrival>& arrivals = clocks_.arrivals(warp);
    std::uint32_t here = 0;
    for (const Clocks::Arrival& arrival : arrivals) here |= 1U << arrival.lane;
    const std::uint32_t first = warp * kLanes;
    const auto id = [&](std::uint32_t lane) { return ThreadId{clocks_.block(), first + lane}; };
    for (const Clocks::Arrival& arrival : arrivals) {
      if ((arrival.mask >> arrival.lane & 1) == 0)
        add({Finding::Kind::MissingLane, warp_site_, id(arrival.lane), warp_site_, id(arrival.lane)});
      for (std::uint32_t lane = 0; lane < kLanes && first + lane < threads_; ++lane)
        if ((arrival.mask & ~here) >> lane & 1)
          missed_.try_emplace({clocks_.block(), first + lane}, Missed{warp_site_, first + arrival.lane});
      for (const Clocks::Arrival& other : arrivals)
        if ((arrival.mask >> other.lane & 1) != 0 && other.mask != arrival.mask)
          add({Finding::Kind::DifferentMasks, warp_site_, id(arrival.lane), warp_site_, id(other.lane)});
    }
  }
}

/// A thread that was missed has not ended.
void Sanitizer::check_return(ThreadId thread) {
  const auto missed = missed_.find({thread.block, thread.thread});
  if (missed == missed_.end()) return;
  const std::uint32_t site = missed->second.site;
  add({Finding::Kind::MissingLane, site, {thread.block, missed->second.by}, site, thread});
  missed_.erase(missed);
}

/// Whether a comment of one of its lines says that it is meant so.
bool Sanitizer::is_ignored(const Finding& finding) const {
  const auto& sites = kernel_->watched.sites;
  return ((sites[finding.site].ignored | sites[finding.other_site].ignored) >> code_of(finding.kind) & 1) != 0;
}

/// Two lines race, whichever of them came first, and however many elements and unrolled turns they have.
std::size_t Sanitizer::number_of(const Finding& finding, const Object* object) {
  const auto lines = std::minmax({line_of(finding.site), line_of(finding.other_site)});
  const auto name = finding.local >= 0  ? kernel_->watched.local_arrays[static_cast<std::size_t>(finding.local)].name
                    : object != nullptr ? object->name
                                        : "";
  return known_.try_emplace({finding.kind, name, lines.first, lines.second}, known_.size()).first->second;
}

/// Gives whether it is the first of its kind.
bool Sanitizer::add(const Finding& finding) {
  if (is_ignored(finding)) return true;
  const Object* const object = finding.local < 0 ? objects_.find(finding.address) : nullptr;
  const auto [place, is_new] =
      numbers_.try_emplace({finding.kind, finding.site, finding.other_site, object, finding.local}, 0);
  if (is_new) place->second = number_of(finding, object);
  const std::size_t number = place->second;
  const Reach reach = reach_of(finding.thread, finding.other);
  if (number >= kMostFound) return false;
  if (number == found_.size()) {
    found_.push_back({finding, 1, reach});
    return true;
  }
  ++found_[number].times;
  found_[number].reach = std::max(found_[number].reach, reach);
  return false;
}

}  // namespace pykc::cpu
