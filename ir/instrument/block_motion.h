// How the values of a kernel move from one block to another: by how much, for each step of blockIdx along x, y and z.
//
//   i = blockIdx.x * blockDim.x + threadIdx.x     blockDim.x along x
//   (blockIdx.y * 16 + ty) * n + i                16 n along y, blockDim.x along x; where n is an extent
//   i < n                                         nothing, in blocks for which it comes out the same
//   i % 7, x[i]                                   unknown
//
// Two blocks in which all comparisons come out the same go the same way, so that the second does at other places what
// the first does. This is what a launch asks when it has watched one of them (runtime/cpu/sanitizer/alike_blocks.h).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

namespace pykc::ir {

/// A number that a launch has once: a sum of products of integer arguments, extents and the shape of the launch. It
/// wraps, as an i64 does.
class LaunchNumber {
 public:
  /// An integer parameter of a kernel; without one, a builtin.
  struct Factor {
    std::int64_t number = 0;
    const Function* kernel = nullptr;
    friend auto operator<=>(const Factor&, const Factor&) = default;
  };

  LaunchNumber() = default;
  explicit LaunchNumber(std::int64_t constant) { add({}, constant); }
  explicit LaunchNumber(Factor factor) { add({factor}, 1); }

  bool is_zero() const { return terms_.empty(); }
  std::optional<std::int64_t> constant() const;
  /// These give nothing where it would become too long.
  std::optional<LaunchNumber> plus(const LaunchNumber& other, std::int64_t times_other = 1) const;
  std::optional<LaunchNumber> times(const LaunchNumber& other) const;
  /// Divided by a positive number that all of its terms are multiples of, whatever the launch; else nothing.
  std::optional<LaunchNumber> divided_by(std::int64_t divisor) const;

  /// Whether a kernel has all of its factors.
  bool is_known_in(const Function& kernel) const;
  Instruction* emit(Builder& builder) const;

  friend auto operator<=>(const LaunchNumber&, const LaunchNumber&) = default;

 private:
  using Product = std::vector<Factor>;
  void add(const Product& product, std::int64_t times);
  std::map<Product, std::int64_t> terms_;
};

/// By how much a value changes along x, y and z; and what it is, where the launch has it once.
struct BlockMotion {
  std::array<LaunchNumber, 3> steps;
  std::optional<LaunchNumber> value = {};
  bool stands_still() const;
  friend bool operator==(const BlockMotion&, const BlockMotion&) = default;
};

/// What is known of the values of a module. They are examined again and again, in any order, until nothing changes; a
/// value that has not been reached yet moves in no way that is known.
class BlockMotions {
 public:
  /// Null where none is known.
  const BlockMotion* of(const Instruction* value) const;
  /// Gives false where a value moves in a way that cannot be followed.
  bool examine(const Function& function, const Instruction& value);
  /// A variable, a parameter or a result is set to a value, too. False where that moves in another way than before.
  bool set(const Local* local, const Instruction* value) { return join(locals_[local], of(value)); }
  bool set(const Function* callee, std::int64_t parameter, const Instruction* value) {
    return join(parameters_[{callee, parameter}], of(value));
  }
  bool set_result(const Function* function, std::int64_t result, const Instruction* value) {
    return join(results_[{function, result}], of(value));
  }
  /// Whether something was learnt since it was asked.
  bool has_changed() { return std::exchange(has_changed_, false); }

 private:
  using Known = std::optional<BlockMotion>;
  using Place = std::pair<const Function*, std::int64_t>;
  bool join(Known& known, const BlockMotion* other);
  std::optional<Known> motion_of(const Function& function, const Instruction& value);
  static Known by_operands(const Instruction& value, const std::vector<const BlockMotion*>& operands);

  std::unordered_map<const Instruction*, BlockMotion> of_;
  std::unordered_map<const Local*, Known> locals_;
  std::map<Place, Known> parameters_, results_;
  bool has_changed_ = false;
};

/// The comparisons that must come out alike in two blocks, and the values that must not wrap on the way from one to the
/// other.
struct BlockGuard {
  Instruction *moving, *other;  // i64; no other: `moving` must not wrap
  bool splits_equal_from_less = false, splits_equal_from_more = false;
};
std::vector<BlockGuard> guards_of(const Instruction& instruction, const BlockMotions& motions);

}  // namespace pykc::ir
