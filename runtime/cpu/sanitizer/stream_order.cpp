#include "runtime/cpu/sanitizer/stream_order.h"

#include <algorithm>
#include <utility>

namespace pykc::cpu {
namespace {

/// Pieces of work that are kept, and pages of what they touch: 256 MB. What is older is not looked at any more.
constexpr std::size_t kMostWork = 256, kMostPages = std::size_t{1} << 19;

void join(StreamTimes& times, const StreamTimes& other) {
  for (const auto& [stream, number] : other) times[stream] = std::max(times[stream], number);
}

bool knows(const StreamTimes& times, const StreamWork& work) {
  const auto known = times.find(work.stream);
  return known != times.end() && known->second >= work.number;
}

std::size_t pages_of(const StreamWork& work) {
  std::size_t pages = 0;
  for (const StreamWork::Part& part : work.parts) pages += part.bytes.pages();
  return pages;
}

/// Two lines are told of once, whichever of them came first.
bool is_told(const std::vector<StreamRace>& races, const StreamWork::Part& a, const StreamWork::Part& b) {
  const auto lines = [](const StreamWork::Part& one, const StreamWork::Part& other) {
    const auto line = [](const StreamWork::Part& part) { return std::pair(part.place.file, part.place.line); };
    return std::minmax({line(one), line(other)});
  };
  return std::ranges::any_of(races, [&](const StreamRace& race) {
    return lines(race.before->parts[race.before_part], race.now->parts[race.now_part]) == lines(a, b);
  });
}

bool conflict(const StreamWork::Part& a, const StreamWork::Part& b) {
  return (a.writes || b.writes) && !(a.is_atomic && b.is_atomic) && !a.is_ignored && !b.is_ignored;
}

}  // namespace

std::uint64_t StreamOrder::add_stream() {
  ++streams_;
  return ++last_stream_;
}

void StreamOrder::enter(std::uint64_t stream) {
  if (!is_active()) return;
  const std::lock_guard lock(mutex_);
  StreamTimes& times = known_[stream];
  join(times, host_);
  if (stream == kDefaultStream) {
    for (const auto& [other, known] : known_) join(times, known);
  } else {
    join(times, known_[kDefaultStream]);
  }
  times[stream] = ++last_work_;
}

StreamTimes StreamOrder::at(std::uint64_t stream) {
  if (!is_active()) return {};
  const std::lock_guard lock(mutex_);
  if (stream != kDefaultStream) return known_[stream];
  StreamTimes times;
  for (const auto& [other, known] : known_) join(times, known);
  return times;
}

void StreamOrder::wait(std::uint64_t stream, const StreamTimes& event) {
  if (!is_active()) return;
  const std::lock_guard lock(mutex_);
  join(known_[stream], event);
}

void StreamOrder::wait_on_host(std::uint64_t stream) { wait_on_host(at(stream)); }

void StreamOrder::wait_on_host(const StreamTimes& event) {
  if (!is_active()) return;
  const std::lock_guard lock(mutex_);
  join(host_, event);
  forget_what_is_known();
}

void StreamOrder::wait_for_all() { wait_on_host(kDefaultStream); }

void StreamOrder::forget_what_is_known() {
  std::erase_if(open_, [&](const auto& work) { return knows(host_, *work); });
  if (open_.empty()) known_.clear(), host_.clear();
}

std::vector<StreamRace> StreamOrder::finish(std::uint64_t stream, std::shared_ptr<StreamWork> work) {
  const std::lock_guard lock(mutex_);
  const StreamTimes& times = known_[stream];
  work->stream = stream;
  work->number = times.contains(stream) ? times.at(stream) : 0;
  std::vector<StreamRace> races;
  for (const std::shared_ptr<StreamWork>& before : open_) {
    if (knows(times, *before)) continue;
    for (std::size_t i = 0; i < before->parts.size(); ++i)
      for (std::size_t k = 0; k < work->parts.size(); ++k) {
        if (!conflict(before->parts[i], work->parts[k]) || is_told(races, before->parts[i], work->parts[k])) continue;
        if (const auto address = before->parts[i].bytes.first_common(work->parts[k].bytes))
          races.push_back({before, work, i, k, *address});
      }
  }
  // What the default stream does is known to all that comes later.
  if (stream != kDefaultStream) open_.push_back(std::move(work));
  std::size_t pages = 0;
  for (const auto& kept : open_) pages += pages_of(*kept);
  while (open_.size() > kMostWork || (pages > kMostPages && !open_.empty())) {
    pages -= pages_of(*open_.front());
    open_.pop_front();
  }
  return races;
}

void StreamOrder::forget(const void* memory, std::int64_t bytes) {
  if (!is_active()) return;
  const std::lock_guard lock(mutex_);
  for (const auto& work : open_)
    for (StreamWork::Part& part : work->parts) part.bytes.remove(reinterpret_cast<std::uintptr_t>(memory), bytes);
}

std::shared_ptr<StreamWork> work_of(const detail::StridedCopy& copy, bool reads) {
  auto work = std::make_shared<StreamWork>(StreamWork{.name = "a copy"});
  work->parts.resize(reads ? 2 : 1);
  work->parts.front().writes = true;
  work->parts.back().reads = reads;
  if (copy.row_bytes == 0) return work;
  for_each_row(copy, [&](std::int64_t to, std::int64_t from) {
    work->parts.front().bytes.add(reinterpret_cast<std::uintptr_t>(copy.target + to), copy.row_bytes);
    if (reads) work->parts.back().bytes.add(reinterpret_cast<std::uintptr_t>(copy.source + from), copy.row_bytes);
  });
  return work;
}

}  // namespace pykc::cpu
