#include "runtime/cpu/costs/cost_counter.h"

#include <algorithm>
#include <bit>

namespace pykc::cpu {
namespace {

using Kind = ObservedSite::Kind;

/// What a launch is counted by, at some 25 ns each.
constexpr std::int64_t kMostTold = 1'000'000;

bool reads(Kind kind) { return kind != Kind::Store && kind != Kind::AtomicStore; }
bool writes(Kind kind) { return kind != Kind::Load && kind != Kind::AtomicLoad; }

int lanes_outside(const Request& request, const Object& object) {
  int outside = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uintptr_t address = request.addresses[lane];
    outside += (request.lanes >> lane & 1) != 0 && (address < object.begin || address >= object.end) ? 1 : 0;
  }
  return outside;
}

/// Notes which bytes of its sectors a request stores.
void add_stored(std::unordered_map<std::uintptr_t, std::uint32_t>& stored, const Request& request,
                const Sectors& sectors, int bytes) {
  if (distinct_bytes(request, bytes) == sectors.count * kSectorBytes) {
    for (int i = 0; i < sectors.count; ++i) stored[sectors.numbers[static_cast<std::size_t>(i)]] = ~std::uint32_t{0};
    return;
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((request.lanes >> lane & 1) == 0) continue;
    const std::uintptr_t address = request.addresses[lane], sector = address / kSectorBytes;
    const std::uint64_t mask = ((std::uint64_t{1} << bytes) - 1) << address % kSectorBytes;
    stored[sector] |= static_cast<std::uint32_t>(mask);
    if (mask >> kSectorBytes != 0) stored[sector + 1] |= static_cast<std::uint32_t>(mask >> kSectorBytes);
  }
}

}  // namespace

CostCounter::CostCounter(const KernelInfo& kernel, const abi::CpuLaunch& launch)
    : kernel_(kernel), objects_(kernel, launch), sites_(kernel.watched.sites.size()) {
  launch_.kernel = kernel;
  launch_.dynamic_shared_bytes = launch.shared_bytes;
  launch_.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  launch_.block = {launch.block[0], launch.block[1], launch.block[2]};
  threads_ = static_cast<std::uint32_t>(launch.block[0] * launch.block[1] * launch.block[2]);
  for (const Object& object : objects_.list()) {
    arrays_.emplace_back();
    arrays_.back().costs.name = object.name;
    arrays_.back().costs.bytes = static_cast<std::int64_t>(object.end - object.begin);
  }
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const ObservedSite& site = kernel.watched.sites[i];
    sites_[i].access = {.place = site.place, .kind = site.kind, .is_shared = site.is_shared};
  }
}

void CostCounter::set_shared_memory(const void* memory, std::int64_t bytes) {
  objects_.set_shared_memory(kernel_, memory, bytes);
  for (SiteCosts& site : sites_) site.object = nullptr;
}

std::int64_t CostCounter::next_to_count(std::int64_t block) const {
  const std::int64_t blocks = launch_.blocks();
  if (block == 0) return 0;
  const std::int64_t counted = std::clamp<std::int64_t>(kMostTold / std::max<std::int64_t>(told_first_, 1), 2, blocks);
  if (counted == blocks) return block;
  // Block number i * (blocks - 1) / (counted - 1), for the first i for which that is not before `block`.
  const std::int64_t i = (block * (counted - 1) + blocks - 2) / (blocks - 1);
  return i * (blocks - 1) / (counted - 1);
}

void CostCounter::enter(ThreadId thread) {
  const bool is_new_block = !has_begun_ || thread.block != current_.block;
  const bool is_same_warp =
      !is_new_block && thread.thread / kLanes == current_.thread / kLanes && thread.thread > current_.thread;
  if (!is_same_warp) end_warp();
  trace_.begin_lane();
  if (is_new_block) {
    // Only the blocks of a cooperative launch alternate.
    if (!kernel_.is_cooperative) ways_.clear();
    const auto [known, is_first] = ways_.try_emplace(thread.block);
    if (is_first) {
      known->second.resize(threads_);
      ++launch_.blocks_counted;
    }
    ways_of_block_ = &known->second;
    if (!kernel_.is_cooperative) end_block();
  }
  current_ = thread;
  has_begun_ = true;
}

void CostCounter::observe(ThreadId thread, std::uint32_t number, const void* address, std::uint64_t value) {
  if (!has_begun_ || thread != current_) enter(thread);
  if (launch_.blocks_counted == 1) ++told_first_;
  const ObservedSite& site = kernel_.watched.sites[number];
  Way& way = (*ways_of_block_)[thread.thread];
  switch (site.kind) {
    case Kind::Enter:
      way.enter(number, site.depth);
      break;
    case Kind::Turn:
      way.turn(number, site.depth);
      break;
    case Kind::Call:
      return way.call(number, site.depth);
    case Kind::Returned:
      return way.return_from_call();
    default:
      break;
  }
  ++sites_[number].lanes_told;
  const std::uint32_t lane = thread.thread % kLanes;
  Moment* moment = trace_.at(way.key(number, site.depth), number, lane);
  if (moment == nullptr) return;
  if (site.kind == Kind::Branch) moment->taken |= static_cast<std::uint32_t>(value & 1) << lane;
  if (site.is_access()) trace_.request_of(*moment).addresses[lane] = reinterpret_cast<std::uintptr_t>(address);
}

void CostCounter::end_warp() {
  for (const Moment& moment : trace_.moments()) add(moment);
  trace_.clear();
}

void CostCounter::end_block() {
  for (OfArray& array : arrays_) {
    array.costs.block_sectors += static_cast<std::int64_t>(array.in_block.size());
    array.in_block.clear();
  }
}

void CostCounter::add(const Moment& moment) {
  SiteCosts& costs = sites_[moment.site];
  const ObservedSite& site = kernel_.watched.sites[moment.site];
  ++costs.warps;
  costs.lanes += std::popcount(moment.lanes);
  if (site.kind == Kind::Branch && moment.taken != 0 && moment.taken != moment.lanes) ++costs.divergent;
  if (moment.request >= 0) add_access(costs, site, trace_.requests()[static_cast<std::size_t>(moment.request)]);
}

void CostCounter::add_access(SiteCosts& costs, const ObservedSite& site, const Request& request) {
  AccessCosts& access = costs.access;
  const int lanes = std::popcount(request.lanes);
  const std::uintptr_t first = request.addresses[static_cast<std::size_t>(std::countr_zero(request.lanes))];
  const Object* object = object_at(costs, first);
  if (access.array.empty() && object != nullptr) access.array = object->name;
  if (const std::optional<std::int64_t> distance = lane_distance(request); std::popcount(request.lanes) > 1) {
    if (access.requests > 0 && distance != access.lane_distance) costs.distances_differ = true;
    access.lane_distance = costs.distances_differ ? std::nullopt : distance;
  }
  ++access.requests;
  access.lanes += lanes;
  if (site.is_atomic()) access.meeting_lanes += most_at_one_address(request);
  if (site.is_shared) {
    const Wavefronts wavefronts = wavefronts_of(request, site.bytes);
    access.wavefronts += wavefronts.count;
    access.ideal_wavefronts += wavefronts.ideal;
    access.bytes += distinct_bytes(request, site.bytes);
    return;
  }
  access.lanes_elsewhere += object != nullptr && object->name == access.array ? lanes_outside(request, *object) : lanes;
  const Sectors sectors = sectors_of(request, site.bytes);
  const std::int64_t bytes = distinct_bytes(request, site.bytes);
  access.bytes += bytes;
  access.sectors += sectors.count;
  access.lines += lines_of(sectors);
  access.ideal_sectors += (bytes + kSectorBytes - 1) / kSectorBytes;
  if (object == nullptr) return;
  const auto place = static_cast<std::size_t>(object - objects_.list().data());
  if (place < arrays_.size()) add_to_array(arrays_[place], site, request, sectors);
}

void CostCounter::add_to_array(OfArray& array, const ObservedSite& site, const Request& request,
                               const Sectors& sectors) {
  const std::int64_t asked = std::int64_t{std::popcount(request.lanes)} * site.bytes;
  if (reads(site.kind)) array.costs.bytes_read += asked;
  if (writes(site.kind)) array.costs.bytes_written += asked;
  if (reads(site.kind)) array.costs.sectors_read += sectors.count;
  if (writes(site.kind)) array.costs.sectors_written += sectors.count;
  for (int i = 0; i < sectors.count; ++i) {
    const std::uintptr_t sector = sectors.numbers[static_cast<std::size_t>(i)];
    if (reads(site.kind)) array.in_block.insert(sector);
    array.in_grid.insert(sector);
  }
  if (writes(site.kind)) add_stored(array.stored, request, sectors, site.bytes);
}

const Object* CostCounter::object_at(SiteCosts& costs, std::uintptr_t address) {
  if (costs.object == nullptr || address < costs.object->begin || address >= costs.object->end)
    costs.object = objects_.find(address);
  return costs.object;
}

LaunchCosts CostCounter::take() {
  end_warp();
  end_block();
  // Of a warp that did very much the beginning was kept; the rest is taken to be like it.
  const auto whole = [](const SiteCosts& site, std::int64_t count) {
    if (site.lanes == site.lanes_told || site.lanes == 0) return count;
    const double part = static_cast<double>(site.lanes) / static_cast<double>(site.lanes_told);
    return static_cast<std::int64_t>(static_cast<double>(count) / part);
  };
  const auto issued = [&](std::size_t place) {
    const SiteCosts& site = sites_[place];
    const std::int32_t at = kernel_.watched.sites[place].issued_at;
    if (at < 0) return whole(site, site.warps);
    const SiteCosts& issuing = sites_[static_cast<std::size_t>(at)];
    return whole(issuing, issuing.warps);
  };
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    SiteCosts& site = sites_[i];
    const ObservedSite& at = kernel_.watched.sites[i];
    if (site.warps == 0) continue;
    if (at.kind == Kind::Branch)
      launch_.branches.push_back({at.place, whole(site, site.warps), whole(site, site.divergent)});
    if (!at.is_access()) continue;
    AccessCosts& access = site.access;
    for (std::int64_t* count :
         {&access.requests, &access.lanes, &access.bytes, &access.sectors, &access.ideal_sectors, &access.lines,
          &access.wavefronts, &access.ideal_wavefronts, &access.meeting_lanes, &access.lanes_elsewhere})
      *count = whole(site, *count);
    access.issued = std::max(access.requests, issued(i));
    launch_.accesses.push_back(std::move(access));
  }
  for (const ObservedCode& code : kernel_.watched.code) {
    const auto place = static_cast<std::size_t>(code.site);
    const SiteCosts& site = sites_[place];
    if (site.warps > 0)
      launch_.code.push_back({code.site, code.place, whole(site, site.warps), issued(place), whole(site, site.lanes),
                              code.loops, code.operations});
  }
  for (OfArray& array : arrays_) {
    array.costs.grid_sectors = static_cast<std::int64_t>(array.in_grid.size());
    array.costs.grid_pairs = std::ranges::count_if(
        array.in_grid, [&](std::uintptr_t sector) { return sector % 2 == 0 || !array.in_grid.contains(sector - 1); });
    array.costs.stored_sectors = static_cast<std::int64_t>(array.stored.size());
    array.costs.partial_sectors =
        std::ranges::count_if(array.stored, [](const auto& sector) { return sector.second != ~std::uint32_t{0}; });
    launch_.arrays.push_back(std::move(array.costs));
  }
  return std::move(launch_);
}

}  // namespace pykc::cpu
