// Which locals may still be read: at the start of each block and behind each construct, for one thread.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/module.h"

namespace pykc::ir {

/// A set of locals by number.
class LocalSet {
 public:
  bool contains(std::size_t i) const { return i / 64 < words_.size() && (words_[i / 64] >> (i % 64) & 1) != 0; }
  void insert(std::size_t i);
  void erase(std::size_t i);
  /// Whether anything was new.
  bool add(const LocalSet& other);
  void keep_only(const LocalSet& other);

 private:
  std::vector<std::uint64_t> words_;
};

/// What instructions do to locals beyond LocalLoad and LocalStore, while a kernel is being split: which locals SlotAny
/// and WarpExchange touch, which are masks (read for every thread, wherever it stands), and where a Return in a
/// ThreadLoop lets its thread go on: behind a Loop or Scope, or (null) nowhere, for it has ended.
struct LocalEffects {
  struct Access {
    std::vector<const Local*> reads;
    std::vector<const Local*> writes;
  };
  std::unordered_map<const Instruction*, Access> accesses;
  std::unordered_set<const Local*> masks;
  std::unordered_map<const Instruction*, const Instruction*> exits;
};

class Liveness {
 public:
  explicit Liveness(const Function& function, const LocalEffects* effects = nullptr);

  std::size_t number_of(const Local* local) const { return numbers_.at(local); }
  /// At the start of block `block` of a construct. In the first block of a Loop: of every turn.
  const LocalSet& at_start(const Instruction* construct, int block) const;
  /// Where the construct has ended. Of a Return in a ThreadLoop: at that place.
  const LocalSet& after(const Instruction* construct) const;

 private:
  struct Point {
    std::array<LocalSet, 2> starts;
    LocalSet after;
  };
  LocalSet walk(const Block& block, LocalSet live);
  LocalSet walk(const Instruction* instruction, LocalSet live);
  LocalSet walk_loop(const Instruction* loop);
  LocalSet walk_thread_loop(const Instruction* loop);
  LocalSet apply_effects(const Instruction* instruction, LocalSet live) const;
  LocalSet at_return(const Instruction* leave);

  const LocalEffects* effects_;
  std::unordered_map<const Local*, std::size_t> numbers_;
  std::unordered_map<const Instruction*, Point> points_;  // addresses of elements are stable
  LocalSet masks_;
  const LocalSet* after_turn_ = nullptr;  // inside a ThreadLoop
};

}  // namespace pykc::ir
