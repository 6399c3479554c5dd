#include "runtime/cpu/costs/warp_trace.h"

namespace pykc::cpu {
namespace {

/// As long as a trace may get: some 100 MB where all are accesses.
constexpr std::size_t kMostMoments = std::size_t{1} << 18;

/// The finaliser of MurmurHash3: two ways get one key in one of 2^64 cases.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t hash = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

}  // namespace

void WarpTrace::clear() {
  moments_.clear();
  requests_.clear();
  by_key_.clear();
  next_ = 0;
}

Moment* WarpTrace::at(std::uint64_t key, std::uint32_t site, std::uint32_t lane) {
  if (next_ >= moments_.size() || moments_[next_].key != key) {
    const auto known = by_key_.find(key);
    if (known == by_key_.end()) {
      if (moments_.size() >= kMostMoments) return nullptr;
      by_key_.emplace(key, moments_.size());
      next_ = moments_.size();
      moments_.push_back({.key = key, .site = site});
    } else {
      next_ = known->second;
    }
  }
  Moment& moment = moments_[next_++];
  moment.lanes |= 1U << lane;
  return &moment;
}

Request& WarpTrace::request_of(Moment& moment) {
  if (moment.request < 0) {
    moment.request = static_cast<std::int32_t>(requests_.size());
    requests_.emplace_back();
  }
  Request& request = requests_[static_cast<std::size_t>(moment.request)];
  request.lanes = moment.lanes;
  return request;
}

void Way::clear() {
  blocks_.clear();
  functions_.clear();
  function_ = 0;
}

void Way::enter(std::uint32_t site, std::uint16_t depth) {
  cut(depth);
  blocks_.push_back({mix(around(), site), site, 0});
}

void Way::turn(std::uint32_t site, std::uint16_t depth) {
  const std::size_t place = function_ + depth;
  const std::uint32_t turn = blocks_.size() > place && blocks_[place].site == site ? blocks_[place].turn + 1 : 0;
  cut(depth);
  blocks_.push_back({mix(mix(around(), site), turn), site, turn});
}

void Way::call(std::uint32_t site, std::uint16_t depth) {
  cut(std::size_t{depth} + 1);
  blocks_.push_back({mix(around(), site), site, 0});
  functions_.push_back(function_);
  function_ = blocks_.size();
}

void Way::return_from_call() {
  blocks_.resize(function_ - 1);  // and what stood for the call
  function_ = functions_.back();
  functions_.pop_back();
}

std::uint64_t Way::key(std::uint32_t site, std::uint16_t depth) const {
  const std::size_t place = function_ + depth;
  return mix(place < blocks_.size() ? blocks_[place].key : 0, site);
}

}  // namespace pykc::cpu
