// Which variables have been assigned where: the state of definite-assignment analysis at one point of a function.
#pragma once

#include <cstdint>
#include <vector>

namespace pykc::checker {

/// A set of local variables, by number.
class LocalSet {
 public:
  explicit LocalSet(std::size_t size = 0) : words_((size + 63) / 64) {}
  void insert(int index) { words_[word(index)] |= bit(index); }
  bool contains(int index) const { return words_[word(index)] & bit(index); }
  void unite(const LocalSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void intersect(const LocalSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }

 private:
  static std::size_t word(int index) { return static_cast<std::size_t>(index) / 64; }
  static std::uint64_t bit(int index) { return std::uint64_t{1} << (index % 64); }
  std::vector<std::uint64_t> words_;
};

struct FlowState {
  LocalSet definite;  // assigned on every path to here
  LocalSet possible;  // assigned on some path
  bool is_reachable = false;

  /// The state where this path and another meet.
  void meet(const FlowState& other) {
    if (!other.is_reachable) return;
    if (!is_reachable) {
      *this = other;
      return;
    }
    definite.intersect(other.definite);
    possible.unite(other.possible);
  }
};

}  // namespace pykc::checker
