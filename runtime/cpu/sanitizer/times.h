// A time for each of many numbers, as a trie whose copies share what they have in common: to copy one costs nothing, to
// raise a time a few nodes, and to join two as much as they differ in. So threads can pass on what they know of a
// hundred thousand others.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace pykc::cpu {

using Time = std::uint32_t;

class Times {
 public:
  bool empty() const { return root_ == nullptr; }
  /// 0 where there is none.
  Time at(std::uint64_t number) const;
  /// Makes it `time` at least.
  void raise(std::uint64_t number, Time time);
  /// The later one of both, for each number.
  void join(const Times& other);
  /// Only those of 8^levels numbers from `first` on, which is a multiple of that.
  Times part(std::uint64_t first, int levels) const;

 private:
  static constexpr int kBits = 3;
  static constexpr std::size_t kWidth = 1 << kBits;
  /// Of level 0 the times, above that nodes of the level below.
  using Node = std::shared_ptr<void>;
  using Leaf = std::array<Time, kWidth>;
  using Inner = std::array<Node, kWidth>;

  static std::size_t place(std::uint64_t number, int level) { return number >> (kBits * level) & (kWidth - 1); }
  static Leaf& leaf(const Node& node) { return *static_cast<Leaf*>(node.get()); }
  static Inner& inner(const Node& node) { return *static_cast<Inner*>(node.get()); }
  template <typename Content>
  static Content& own(Node& node);
  static Node joined(const Node& mine, const Node& theirs, int level);
  void grow(int levels);

  Node root_;
  int levels_ = 0;  // of nodes
};

}  // namespace pykc::cpu
