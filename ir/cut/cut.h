// The steps of cut_long_functions: what stands where, and making one run of instructions a function.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/module.h"

namespace pykc::ir::cut {

/// Where an instruction and the blocks in it stand in the text. What replaces a run stands where the run stood.
struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool contains(std::size_t i) const { return begin <= i && i < end; }
};

/// From the first to the last use of a local.
struct Span {
  std::size_t first = 0;
  std::size_t last = 0;
  bool is_of_block = false;  // used outside of every ThreadLoop
};

/// What is known of the instructions of a function while parts are cut out of it.
class Index {
 public:
  explicit Index(const Function& function) { index(function.body, false); }

  Place place(const Instruction* instruction) const { return places_.at(instruction); }
  Span span(const Local* local) const { return spans_.at(local); }
  /// Whether the instruction cannot be moved to a part, for the sake of something in it.
  bool must_stay(const Instruction* instruction) const { return bound_.contains(instruction); }
  bool is_used_from(std::size_t place, const Instruction* value) const;
  /// Notes the instructions of `block` from number `first` on, which stand for the run at `place`.
  void add(const Block& block, std::size_t first, Place place);
  /// Puts `by` in the place of `value` in what stands at `place` or behind it.
  void replace_from(std::size_t place, Instruction* value, Instruction* by);

 private:
  /// What ties an instruction to its function: it reads a slot, which a part of the block may, but one of a thread may
  /// not; or a record that is passed by value, which only a kernel may.
  enum class Bond : std::uint8_t { None, Slot, Record };
  Bond index(const Block& block, bool is_thread_code);
  Bond index(Instruction* instruction, bool is_thread_code);

  std::size_t next_ = 0;
  std::unordered_map<const Instruction*, Place> places_;
  std::unordered_map<const Instruction*, std::vector<Instruction*>> users_;
  std::unordered_map<const Local*, Span> spans_;
  std::unordered_set<const Instruction*> bound_;
};

/// Makes a run of instructions of `from`, whose end can be reached, a function; appends its call to `to`.
std::unique_ptr<Function> make_part(Function& from, Index& index, const Block& run, FunctionPart kind,
                                    std::string symbol, Block& to);

}  // namespace pykc::ir::cut
