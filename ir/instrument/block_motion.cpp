#include "ir/instrument/block_motion.h"

#include <algorithm>
#include <iterator>

#include "ir/walk.h"

namespace pykc::ir {
namespace {

constexpr std::size_t kMostTerms = 16, kMostFactors = 6;

std::int64_t wrapping_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::optional<std::size_t> axis_of_block_index(BuiltinId id) {
  static constexpr std::array kIndices = {BuiltinId::BlockIdxX, BuiltinId::BlockIdxY, BuiltinId::BlockIdxZ};
  const auto* const index = std::ranges::find(kIndices, id);
  if (index == kIndices.end()) return std::nullopt;
  return static_cast<std::size_t>(index - kIndices.begin());
}
bool is_shape_of_launch(BuiltinId id) {
  static constexpr std::array kShape = {BuiltinId::BlockDimX, BuiltinId::BlockDimY, BuiltinId::BlockDimZ,
                                        BuiltinId::GridDimX,  BuiltinId::GridDimY,  BuiltinId::GridDimZ};
  return std::ranges::find(kShape, id) != kShape.end();
}

BlockMotion still(std::optional<LaunchNumber> value = {}) { return {.steps = {}, .value = std::move(value)}; }

/// With steps that `step_along` an axis gives; nothing where it gives none.
template <typename StepAlong>
std::optional<BlockMotion> moving_by(const StepAlong& step_along) {
  BlockMotion result;
  for (std::size_t axis = 0; axis < result.steps.size(); ++axis) {
    const std::optional<LaunchNumber> step = step_along(axis);
    if (!step) return std::nullopt;
    result.steps[axis] = *step;
  }
  return result;
}

std::optional<BlockMotion> sum(const BlockMotion& a, const BlockMotion& b, std::int64_t times_b) {
  std::optional<BlockMotion> result =
      moving_by([&](std::size_t axis) { return a.steps[axis].plus(b.steps[axis], times_b); });
  if (result && a.value && b.value) result->value = a.value->plus(*b.value, times_b);
  return result;
}

/// A value times one that stands still.
std::optional<BlockMotion> product(const BlockMotion& moving, const BlockMotion& factor) {
  if (moving.stands_still())
    return still(moving.value && factor.value ? moving.value->times(*factor.value) : std::nullopt);
  if (!factor.value) return std::nullopt;
  return moving_by([&](std::size_t axis) { return moving.steps[axis].times(*factor.value); });
}

/// Rounded down; the remainder stands still.
std::optional<BlockMotion> quotient(const BlockMotion& moving, const BlockMotion& divisor) {
  const std::optional<std::int64_t> by = divisor.value ? divisor.value->constant() : std::nullopt;
  if (!by || *by <= 0) return std::nullopt;
  return moving_by([&](std::size_t axis) { return moving.steps[axis].divided_by(*by); });
}

}  // namespace

void LaunchNumber::add(const Product& product, std::int64_t times) {
  std::int64_t& term = terms_[product];
  term = wrapping_sum(term, times);
  if (term == 0) terms_.erase(product);
}

std::optional<std::int64_t> LaunchNumber::constant() const {
  if (terms_.empty()) return 0;
  const auto& [product, times] = *terms_.begin();
  return terms_.size() == 1 && product.empty() ? std::optional(times) : std::nullopt;
}

std::optional<LaunchNumber> LaunchNumber::plus(const LaunchNumber& other, std::int64_t times_other) const {
  LaunchNumber result = *this;
  for (const auto& [product, times] : other.terms_) result.add(product, wrapping_product(times, times_other));
  if (result.terms_.size() > kMostTerms) return std::nullopt;
  return result;
}

std::optional<LaunchNumber> LaunchNumber::times(const LaunchNumber& other) const {
  LaunchNumber result;
  for (const auto& [product, times] : terms_)
    for (const auto& [other_product, other_times] : other.terms_) {
      Product both;
      std::ranges::merge(product, other_product, std::back_inserter(both));
      if (both.size() > kMostFactors) return std::nullopt;
      result.add(both, wrapping_product(times, other_times));
    }
  if (result.terms_.size() > kMostTerms) return std::nullopt;
  return result;
}

std::optional<LaunchNumber> LaunchNumber::divided_by(std::int64_t divisor) const {
  LaunchNumber result;
  for (const auto& [product, times] : terms_) {
    if (times % divisor != 0 || !product.empty()) return std::nullopt;  // what is multiplied may have wrapped
    result.add(product, times / divisor);
  }
  return result;
}

bool LaunchNumber::is_known_in(const Function& kernel) const {
  return std::ranges::all_of(terms_, [&](const auto& term) {
    return std::ranges::all_of(
        term.first, [&](const Factor& factor) { return factor.kernel == nullptr || factor.kernel == &kernel; });
  });
}

Instruction* LaunchNumber::emit(Builder& builder) const {
  Instruction* all = builder.constant_i64(0);
  for (const auto& [product, times] : terms_) {
    Instruction* term = builder.constant_i64(times);
    for (const Factor& factor : product) {
      Instruction* value = factor.kernel == nullptr
                               ? builder.builtin(static_cast<BuiltinId>(factor.number), Type::of(ScalarType::I64), {})
                               : builder.parameter(static_cast<int>(factor.number));
      term = builder.emit(Opcode::Mul, {term, builder.cast(value, ScalarType::I64)});
    }
    all = builder.emit(Opcode::Add, {all, term});
  }
  return all;
}

bool BlockMotion::stands_still() const { return std::ranges::all_of(steps, &LaunchNumber::is_zero); }

const BlockMotion* BlockMotions::of(const Instruction* value) const {
  const auto found = of_.find(value);
  return found == of_.end() ? nullptr : &found->second;
}

bool BlockMotions::join(Known& known, const BlockMotion* other) {
  if (other == nullptr) return true;
  if (!known) {
    known = *other;
    has_changed_ = true;
    return true;
  }
  if (known->steps != other->steps) return false;
  if (known->value && known->value != other->value) {
    known->value.reset();
    has_changed_ = true;
  }
  return true;
}

bool BlockMotions::examine(const Function& function, const Instruction& value) {
  if (value.type == Type::none()) return true;
  const std::optional<Known> motion = motion_of(function, value);
  if (!motion) return true;  // what it is made of has not been reached yet
  if (!*motion) return false;
  const auto [place, is_new] = of_.try_emplace(&value, **motion);
  if (is_new || place->second != **motion) {
    has_changed_ = true;
    place->second = **motion;
  }
  return true;
}

/// Nothing: not known yet. A Known that is empty: never.
std::optional<BlockMotions::Known> BlockMotions::motion_of(const Function& function, const Instruction& value) {
  const auto as_far = [](const Known& known) { return known ? std::optional(known) : std::nullopt; };
  switch (value.opcode) {
    case Opcode::LocalLoad:
      return as_far(locals_[value.local]);
    case Opcode::Parameter:
      if (!function.is_kernel) return as_far(parameters_[{&function, value.index}]);
      if (value.type.is_scalar() && is_integer(value.type.scalar) && value.type.scalar != ScalarType::U64)
        return Known(still(LaunchNumber(LaunchNumber::Factor{value.index, &function})));
      return Known(still());
    case Opcode::Constant: {
      const bool is_number = value.type.is(ScalarType::I64);
      return Known(
          still(is_number ? std::optional(LaunchNumber(static_cast<std::int64_t>(value.constant))) : std::nullopt));
    }
    case Opcode::Extract:
      if (value.operands[0]->opcode == Opcode::Call) return as_far(results_[{value.operands[0]->callee, value.index}]);
      return Known();
    case Opcode::Call:
      return Known(still());
    case Opcode::Builtin: {
      if (info(value.builtin).effect != Effect::Block) break;
      if (is_shape_of_launch(value.builtin))
        return Known(still(LaunchNumber(LaunchNumber::Factor{static_cast<std::int64_t>(value.builtin)})));
      const std::optional<std::size_t> axis = axis_of_block_index(value.builtin);
      if (!axis) return Known();
      BlockMotion motion;
      motion.steps[*axis] = LaunchNumber(1);
      return Known(motion);
    }
    default:
      break;
  }
  std::vector<const BlockMotion*> operands;
  for (const Instruction* operand : value.operands) {
    operands.push_back(of(operand));
    if (operands.back() == nullptr) return std::nullopt;
  }
  return by_operands(value, operands);
}

BlockMotions::Known BlockMotions::by_operands(const Instruction& value,
                                              const std::vector<const BlockMotion*>& operands) {
  const auto operand = [&](std::size_t n) -> const BlockMotion& { return *operands[n]; };
  const bool all_stand = std::ranges::all_of(operands, [](const BlockMotion* one) { return one->stands_still(); });
  const bool is_number = value.type.is(ScalarType::I64);
  if (all_stand && !is_number) return still();
  if (!all_stand && !is_number && !value.type.is_pointer() && !is_comparison(value.opcode)) return std::nullopt;
  switch (value.opcode) {
    case Opcode::Add:
      return sum(operand(0), operand(1), 1);
    case Opcode::Sub:
      return sum(operand(0), operand(1), -1);
    case Opcode::Mul:
      return operand(1).stands_still()   ? product(operand(0), operand(1))
             : operand(0).stands_still() ? product(operand(1), operand(0))
                                         : Known();
    case Opcode::Neg:
      return sum(still(LaunchNumber()), operand(0), -1);
    case Opcode::ElementPointer:
      return sum(operand(0), operand(1), size_in_bytes(value.type.scalar));
    case Opcode::FieldPointer:
      return operand(0);
    case Opcode::Cast:  // to an i64: the number stays what it is
      if (all_stand && is_integer(value.operands[0]->type.scalar)) return operand(0);
      break;
    case Opcode::Select:
      if (operand(0).stands_still() && operand(1).steps == operand(2).steps)
        return BlockMotion{.steps = operand(1).steps, .value = {}};
      break;
    case Opcode::FloorDiv:
      if (!all_stand) return quotient(operand(0), operand(1));
      break;
    case Opcode::Mod:
      if (!all_stand) return quotient(operand(0), operand(1)) ? Known(still()) : Known();
      break;
    default:
      if (!all_stand && is_comparison(value.opcode)) {
        const bool are_numbers = value.operands[0]->type.is(ScalarType::I64);
        const bool is_followed =
            operand(0).stands_still() || operand(1).stands_still() || operand(0).steps == operand(1).steps;
        return are_numbers && is_followed ? Known(still()) : Known();
      }
      break;
  }
  return all_stand ? Known(still()) : Known();
}

std::vector<BlockGuard> guards_of(const Instruction& instruction, const BlockMotions& motions) {
  const auto moves = [&](std::size_t n) {
    const BlockMotion* const motion = motions.of(instruction.operands[n]);
    return motion != nullptr && !motion->stands_still();
  };
  const auto& operands = instruction.operands;
  if (instruction.opcode == Opcode::FloorDiv || instruction.opcode == Opcode::Mod) {
    if (moves(0)) return {{operands[0], nullptr}};
    return {};
  }
  if (!is_comparison(instruction.opcode) || (!moves(0) && !moves(1))) return {};
  if (moves(0) && moves(1)) return {{operands[0], nullptr}, {operands[1], nullptr}};
  const bool is_turned = moves(1);
  BlockGuard guard{operands[is_turned ? 1 : 0], operands[is_turned ? 0 : 1]};
  const Opcode opcode = instruction.opcode;
  const bool less = opcode == Opcode::Lt || opcode == Opcode::Ge, more = opcode == Opcode::Le || opcode == Opcode::Gt;
  guard.splits_equal_from_less = is_turned ? more : less;
  guard.splits_equal_from_more = is_turned ? less : more;
  if (!less && !more) guard.splits_equal_from_less = guard.splits_equal_from_more = true;
  return {guard};
}

}  // namespace pykc::ir
