#include "runtime/cpu/sanitizer/times.h"

#include <algorithm>

namespace pykc::cpu {

/// The content of a node that nobody else has, which it becomes where it is not.
template <typename Content>
Content& Times::own(Node& node) {
  if (node == nullptr)
    node = std::make_shared<Content>();
  else if (node.use_count() > 1)
    node = std::make_shared<Content>(*static_cast<const Content*>(node.get()));
  return *static_cast<Content*>(node.get());
}

void Times::grow(int levels) {
  for (; levels_ < levels; ++levels_) {
    if (root_ == nullptr || levels_ == 0) continue;
    Node below = std::move(root_);
    own<Inner>(root_)[0] = std::move(below);
  }
}

Time Times::at(std::uint64_t number) const {
  if (number >> (kBits * levels_) != 0) return 0;
  const Node* node = &root_;
  for (int level = levels_ - 1; level > 0 && *node != nullptr; --level) node = &inner(*node)[place(number, level)];
  return *node == nullptr ? 0 : leaf(*node)[place(number, 0)];
}

void Times::raise(std::uint64_t number, Time time) {
  int levels = std::max(levels_, 1);
  while (number >> (kBits * levels) != 0) ++levels;
  grow(levels);
  Node* node = &root_;
  for (int level = levels_ - 1; level > 0; --level) node = &own<Inner>(*node)[place(number, level)];
  Time& known = own<Leaf>(*node)[place(number, 0)];
  known = std::max(known, time);
}

/// One of the two where it has all of the other, so that it is shared further on.
Times::Node Times::joined(const Node& mine, const Node& theirs, int level) {
  if (theirs == nullptr || mine == theirs) return mine;
  if (mine == nullptr) return theirs;
  const auto join_all = [&]<typename Content>(const Content& ours, const Content& others, const auto& join_two) {
    Content both;
    for (std::size_t i = 0; i < kWidth; ++i) both[i] = join_two(ours[i], others[i]);
    return both == ours ? mine : both == others ? theirs : Node(std::make_shared<Content>(std::move(both)));
  };
  if (level == 0) return join_all(leaf(mine), leaf(theirs), [](Time a, Time b) { return std::max(a, b); });
  return join_all(inner(mine), inner(theirs), [&](const Node& a, const Node& b) { return joined(a, b, level - 1); });
}

void Times::join(const Times& other) {
  if (other.root_ == nullptr) return;
  if (levels_ >= other.levels_) {
    Times lifted = other;
    lifted.grow(levels_);
    root_ = joined(root_, lifted.root_, levels_ - 1);
    return;
  }
  grow(other.levels_);
  root_ = joined(root_, other.root_, levels_ - 1);
}

Times Times::part(std::uint64_t first, int levels) const {
  if (levels_ <= levels) return first == 0 ? *this : Times();
  if (first >> (kBits * levels_) != 0) return {};
  const Node* node = &root_;
  for (int level = levels_ - 1; level >= levels && *node != nullptr; --level) node = &inner(*node)[place(first, level)];
  if (*node == nullptr) return {};
  Times part;
  part.root_ = *node;
  part.levels_ = levels_;
  for (int level = levels; level < levels_; ++level) {
    Inner around;
    around[place(first, level)] = std::move(part.root_);
    part.root_ = std::make_shared<Inner>(std::move(around));
  }
  return part;
}

}  // namespace pykc::cpu
