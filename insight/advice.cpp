#include "insight/advice.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace pykc::insight {
namespace {

/// Less of the kernel's traffic than this is not worth a word.
constexpr double kWorthAWord = 0.05;

struct Weighed {
  double weight;
  Advice advice;
};

std::string ratio_text(std::int64_t of, std::int64_t to) {
  const double ratio = static_cast<double>(of) / static_cast<double>(std::max<std::int64_t>(to, 1));
  const auto tenths = std::llround(ratio * 10);
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10));
}

std::string percent_text(double share) { return std::to_string(std::llround(share * 100)) + " %"; }

std::string verb_of(ObservedSite::Kind kind) {
  switch (kind) {
    case ObservedSite::Kind::Load:
    case ObservedSite::Kind::AtomicLoad:
      return "read";
    case ObservedSite::Kind::Store:
    case ObservedSite::Kind::AtomicStore:
      return "write";
    default:
      return "change";
  }
}

std::string name_of(const AccessCosts& access) { return access.array.empty() ? "memory" : as_code(access.array); }

class Adviser {
 public:
  explicit Adviser(const Report& report) : report_(report), costs_(report.costs) {}

  std::vector<Advice> run() {
    for (const AccessCosts& access : costs_.accesses)
      access.is_shared ? look_at_banks(access) : look_at_sectors(access);
    for (const AccessCosts& access : costs_.accesses) look_at_atomic(access);
    look_at_reuse();
    look_at_branches();
    look_at_occupancy();
    look_at_grid();
    look_at_doubles();
    std::ranges::stable_sort(found_, std::ranges::greater(), &Weighed::weight);
    std::vector<Advice> list;
    for (Weighed& weighed : found_) list.push_back(std::move(weighed.advice));
    return list;
  }

 private:
  void add(double weight, const SourcePlace& place, std::string what, std::string fix) {
    found_.push_back({weight, {place, std::move(what), std::move(fix)}});
  }

  void look_at_sectors(const AccessCosts& access) {
    const std::int64_t more = access.sectors - access.ideal_sectors;
    const double weight = share_of(more, &AccessCosts::sectors, false);
    if (!is_far_apart(access) || weight < kWorthAWord) return;
    std::string what = "threads of a warp " + verb_of(access.kind) + " " + name_of(access) + " far apart: ";
    std::string fix =
        "let neighbouring threads (`threadIdx.x`) take neighbouring elements: the last index is the one "
        "that should follow them";
    if (access.lane_distance && *access.lane_distance != 0) {
      const std::int64_t distance = std::abs(*access.lane_distance);
      what = "neighbouring threads " + verb_of(access.kind) + " " + name_of(access) + " " + std::to_string(distance) +
             " bytes apart: ";
      if (distance <= 32)
        fix =
            "let each thread take every n-th element, where n is the number of threads, instead of several "
            "neighbouring ones; or split a record into an array for each of its fields";
    }
    what += ratio_text(access.sectors, access.requests) + " sectors of 32 bytes a request, where " +
            ratio_text(access.ideal_sectors, access.requests) + " would do";
    if (is_scattered(access)) fix = "sort or group the indices first, or gather through shared memory";
    add(weight, access.place, std::move(what), std::move(fix));
  }

  static bool is_scattered(const AccessCosts& access) { return !access.lane_distance; }

  void look_at_banks(const AccessCosts& access) {
    const double weight = share_of(access.wavefronts - access.ideal_wavefronts, &AccessCosts::wavefronts, true);
    if (access.wavefronts < access.ideal_wavefronts * 3 / 2 || weight < kWorthAWord || access.is_atomic()) return;
    std::string what = "threads of a warp " + verb_of(access.kind) + " " + name_of(access) +
                       " in the same banks: " + ratio_text(access.wavefronts, access.requests) +
                       " passes a request, where " + ratio_text(access.ideal_wavefronts, access.requests) + " would do";
    if (access.lane_distance && *access.lane_distance != 0)
      what += " (neighbours lie " + std::to_string(std::abs(*access.lane_distance)) + " bytes apart)";
    add(weight, access.place, std::move(what),
        "make the rows of the array one element longer, so that a column lies in different banks");
  }

  void look_at_atomic(const AccessCosts& access) {
    if (!access.is_atomic() || access.requests == 0) return;
    const double meeting = static_cast<double>(access.meeting_lanes) / static_cast<double>(access.requests);
    if (meeting < 4) return;
    add(0.5 + meeting / 64, access.place,
        "on average " + ratio_text(access.meeting_lanes, access.requests) +
            " threads of a warp change one element of " + name_of(access) + " at a time, one after the other",
        "sum up within the warp (`shfl_down_sync`, `redux_sync_add`) or the block first, and change it once");
  }

  /// A block that asks for the same sectors again and again.
  void look_at_reuse() {
    for (const ArrayCosts& array : costs_.arrays) {
      if (array.block_sectors == 0 || report_.prediction.limit == Resource::Arithmetic) continue;
      const double again = static_cast<double>(array.sectors_read) / static_cast<double>(array.block_sectors);
      const double weight = share_of(array.sectors_read - array.block_sectors, &AccessCosts::sectors, false);
      if (again < 8 || weight < 0.3) continue;
      const AccessCosts* access = heaviest_of(array.name);
      if (access == nullptr || access->is_atomic()) continue;
      add(weight * 0.8, access->place,
          "a block asks for each part of " + as_code(array.name) + " " +
              ratio_text(array.sectors_read, array.block_sectors) + " times",
          "keep what a block needs again in shared memory (`shared.array`), or in variables");
    }
  }

  void look_at_branches() {
    for (const BranchCosts& branch : costs_.branches) {
      const double share = static_cast<double>(branch.divergent) / static_cast<double>(branch.warps);
      if (share < 0.25) continue;
      const double lost = lost_lanes();
      if (lost < 0.1) continue;
      add(lost, branch.place,
          "in " + percent_text(share) +
              " of warps some threads go one way here and some the other, one after the other: of the kernel's "
              "instructions " +
              percent_text(lost) + " run with a thread that only waits",
          "let the condition be the same for the 32 threads of a warp, such as by the warp's number instead of the "
          "thread's; or compute both and choose");
      return;
    }
  }

  void look_at_occupancy() {
    const Occupancy& occupancy = report_.occupancy;
    if (occupancy.share >= 0.5 || report_.prediction.limit == Resource::Arithmetic || costs_.code.empty()) return;
    if (occupancy.blocks == 0) {
      add(1, costs_.code.front().place,
          "a block does not fit " + std::string(report_.chip->name) + ": it takes too many " +
              std::string(insight::name_of(occupancy.limit)),
          "take smaller blocks or less shared memory");
      return;
    }
    const std::string fix = occupancy.limit == Occupancy::Limit::Registers
                                ? "take smaller blocks, or say `@kernel(launch_bounds=…)`, which limits registers"
                            : occupancy.limit == Occupancy::Limit::SharedMemory
                                ? "let a block have less shared memory, or more threads for the same"
                                : "take blocks of 128 to 512 threads";
    add(0.2 + 0.3 * (1 - occupancy.share), costs_.code.front().place,
        "a multiprocessor holds " + std::to_string(occupancy.warps) + " warps of " +
            std::to_string(report_.chip->warps) + " (" + percent_text(occupancy.share) + "), limited by " +
            std::string(insight::name_of(occupancy.limit)) + ": few are left to run while others wait for memory",
        fix);
  }

  void look_at_grid() {
    const std::int64_t threads = costs_.block.x * costs_.block.y * costs_.block.z;
    if (costs_.code.empty()) return;
    if (threads % 32 != 0)
      add(0.3, costs_.code.front().place,
          "a block has " + std::to_string(threads) + " threads: its last warp is not full", "take a multiple of 32");
    if (costs_.blocks() < report_.chip->multiprocessors)
      add(0.6, costs_.code.front().place,
          "the grid has " + std::to_string(costs_.blocks()) + " blocks for " +
              std::to_string(report_.chip->multiprocessors) + " multiprocessors: the others are idle",
          "launch more blocks, each with less to do");
  }

  /// f64 where the source may well not have meant it.
  void look_at_doubles() {
    if (report_.prediction.limit != Resource::Arithmetic) return;
    const auto doubles = [](const CodeCosts& code) {
      return code.lanes * (code.operations.f64 + code.operations.math_f64);
    };
    const auto heaviest = std::ranges::max_element(costs_.code, {}, doubles);
    if (heaviest == costs_.code.end() || doubles(*heaviest) == 0) return;
    add(0.7, heaviest->place,
        "the kernel waits for f64 arithmetic, of which " + std::string(report_.chip->name) + " does " +
            std::to_string(report_.chip->f64_lanes) + " a clock, and " + std::to_string(report_.chip->f32_lanes) +
            " of f32",
        "compute in f32 where that is exact enough: `f32(0.5)`, not `0.5`, keeps an f32");
  }

  double share_of(std::int64_t part, std::int64_t AccessCosts::*of, bool is_shared) const {
    std::int64_t all = 0;
    for (const AccessCosts& access : costs_.accesses)
      if (access.is_shared == is_shared) all += access.*of;
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }

  const AccessCosts* heaviest_of(const std::string& array) const {
    const AccessCosts* heaviest = nullptr;
    for (const AccessCosts& access : costs_.accesses)
      if (access.array == array && !access.is_shared && (heaviest == nullptr || access.sectors > heaviest->sectors))
        heaviest = &access;
    return heaviest;
  }

  /// How many of the places for threads are empty in what warps run.
  double lost_lanes() const {
    double places = 0, taken = 0;
    for (const CodeCosts& code : costs_.code) {
      const auto instructions = static_cast<double>(code.operations.instructions);
      places += 32 * instructions * static_cast<double>(code.warps);
      taken += instructions * static_cast<double>(code.lanes);
    }
    return places == 0 ? 0 : 1 - taken / places;
  }

  const Report& report_;
  const LaunchCosts& costs_;
  std::vector<Weighed> found_;
};

}  // namespace

std::vector<Advice> advise(const Report& report) { return Adviser(report).run(); }

}  // namespace pykc::insight
