// How a value moves along an axis: value = base + slope · x, where neither base nor slope depends on x.
//
//   i = blockIdx.x * blockDim.x + threadIdx.x     along threadIdx.x: 1
//   row * n + i, row = threadIdx.y                along threadIdx.y: n, so between 0 and 2^48 where n is an extent
//   m - 4 * i                                     along threadIdx.x: -4
//   i % 8, x[i]                                   unknown, for the steps from one x to the next differ
//
// What x is, the user of the analysis says: an index of a thread, the counter of a loop. Other axes stand still
// meanwhile, so that a value that moves along several has a slope for each. The user also says what else stands still,
// for that depends on who is compared with whom: the threads of a block (ir/split/lockstep), those of one row of it
// (codegen/cpu/guards), the turns of a loop.
//
//   Slopes slopes(function, Certainty::Proof, [](const Instruction* value) -> std::optional<Slope> {
//     if (has_builtin_effect(value, Effect::Block)) return Slope::exactly(0);
//     return slope_of_thread_index(value, 0);
//   });
//   slopes.of(i).is_one();
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>

#include "ir/module.h"

namespace pykc::ir {

/// By how much a value changes where x grows by 1: everywhere by the same amount, which lies between `least` and
/// `most`. A slope without bounds is unknown: then the amount need not be the same everywhere either.
struct Slope {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();

  static constexpr Slope exactly(std::int64_t amount) { return {amount, amount}; }
  static constexpr Slope unknown() { return {}; }

  friend constexpr bool operator==(const Slope&, const Slope&) = default;
  constexpr bool is_known() const { return *this != unknown(); }
  /// The value stands still.
  constexpr bool is_none() const { return *this == exactly(0); }
  /// It goes to the next number, up or down.
  constexpr bool is_one() const { return *this == exactly(1) || *this == exactly(-1); }
  constexpr bool never_falls() const { return least >= 0; }
  /// The largest amount, whatever its sign.
  std::uint64_t steepness() const;
};

/// What may follow from a slope. The two kinds of users need different answers where a value may wrap around.
enum class Certainty : std::uint8_t {
  Proof,  // code is right only with it: what may overflow, and every cast, has an unknown slope
  Guess,  // it tells which of two right codes is faster: nothing overflows, casts keep the slope, a pointer counts
          // elements, and a choice between two values moves as both do
};

class Slopes {
 public:
  /// The slope of x itself, of what stands still, and unknown for what is not to be followed; nothing where the
  /// operands tell.
  using Given = std::function<std::optional<Slope>(const Instruction*)>;

  Slopes(const Function& function, Certainty certainty, Given given)
      : function_(function), certainty_(certainty), given_(std::move(given)) {}
  Slope of(const Instruction* value);

 private:
  Slope by_operands(const Instruction& value);
  Slope product(const Instruction& value);
  bool may_overflow(const Instruction& value) const;

  const Function& function_;
  Certainty certainty_;
  Given given_;
  std::unordered_map<const Instruction*, Slope> known_;
};

/// Which of a thread's indices in its block a value is: 0 for x, 1 for y, 2 for z.
std::optional<std::size_t> axis_of(const Instruction* value);
/// The slope of a thread's index along an axis of the block; nothing for other values.
std::optional<Slope> slope_of_thread_index(const Instruction* value, std::size_t axis);

/// Whether sums and differences of two or three such values cannot overflow.
bool is_far_from_overflow(const Instruction* value, const Function& function);

}  // namespace pykc::ir
