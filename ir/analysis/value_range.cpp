// Intervals are computed over 128-bit integers, wide enough that no sum or product of 64-bit bounds overflows; each
// result is then fitted into its type: what may leave the type wraps, so it can be anything the type holds.
#include "ir/analysis/value_range.h"

#include <algorithm>

namespace pykc::ir {
namespace {

__extension__ typedef __int128 Wide;

struct Interval {
  Wide minimum;
  Wide maximum;
};

constexpr int kMaximumDepth = 8;
constexpr std::int64_t kMaximumExtent = std::int64_t{1} << 48;
constexpr Wide kInt64Minimum = std::numeric_limits<std::int64_t>::min();
constexpr Wide kInt64Maximum = std::numeric_limits<std::int64_t>::max();

struct BuiltinRange {
  BuiltinId id;
  std::int64_t minimum;
  std::int64_t maximum;
};

// The limits of CUDA, which the runtime holds every launch to on every device.
constexpr BuiltinRange kBuiltinRanges[] = {
    {BuiltinId::ThreadIdxX, 0, 1023},
    {BuiltinId::ThreadIdxY, 0, 1023},
    {BuiltinId::ThreadIdxZ, 0, 63},
    {BuiltinId::BlockIdxX, 0, 0x7ffffffe},
    {BuiltinId::BlockIdxY, 0, 65534},
    {BuiltinId::BlockIdxZ, 0, 65534},
    {BuiltinId::BlockDimX, 1, 1024},
    {BuiltinId::BlockDimY, 1, 1024},
    {BuiltinId::BlockDimZ, 1, 64},
    {BuiltinId::GridDimX, 1, 0x7fffffff},
    {BuiltinId::GridDimY, 1, 65535},
    {BuiltinId::GridDimZ, 1, 65535},
    {BuiltinId::LaneId, 0, 31},
    {BuiltinId::WarpSize, 32, 32},
    {BuiltinId::SyncthreadsCount, 0, 1024},
    {BuiltinId::Popc, 0, 64},
    {BuiltinId::Clz, 0, 64},
    {BuiltinId::Ffs, 0, 64},
};

Interval range_of_type(Type type) {
  if (!type.is_scalar() || is_float(type.scalar)) return {kInt64Minimum, kInt64Maximum};
  if (type.scalar == ScalarType::Bool) return {0, 1};
  const int bits = size_in_bits(type.scalar);
  if (is_unsigned_integer(type.scalar)) return {0, (Wide{1} << bits) - 1};
  return {-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
}

bool contains(Interval outer, Interval inner) {
  return outer.minimum <= inner.minimum && inner.maximum <= outer.maximum;
}

bool is_small(Interval interval) { return contains({kInt64Minimum, kInt64Maximum}, interval); }
bool is_non_negative(Interval interval) { return interval.minimum >= 0; }

Interval unite(Interval a, Interval b) { return {std::min(a.minimum, b.minimum), std::max(a.maximum, b.maximum)}; }

Interval hull(std::initializer_list<Wide> values) { return {std::min(values), std::max(values)}; }

Wide floor_divide(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// The smallest 2^k - 1 that is not below `value`.
Wide bit_mask_above(Wide value) {
  Wide mask = 0;
  while (mask < value) mask = 2 * mask + 1;
  return mask;
}

class Ranges {
 public:
  explicit Ranges(const Function& function) : function_(function) {}

  Interval of(const Instruction* value, int depth) {
    const Interval type_range = range_of_type(value->type);
    if (depth == 0 || !value->type.is_scalar() || is_float(value->type.scalar)) return type_range;
    const Interval range = computed(value, depth - 1, type_range);
    if (contains(type_range, range)) return range;
    if (!value->no_wrap) return type_range;
    return {std::clamp(range.minimum, type_range.minimum, type_range.maximum),
            std::clamp(range.maximum, type_range.minimum, type_range.maximum)};
  }

 private:
  Interval computed(const Instruction* value, int depth, Interval type_range) {
    switch (value->opcode) {
      case Opcode::Constant:
        return constant(value, type_range);
      case Opcode::Parameter:
        return parameter(value, type_range);
      case Opcode::LocalLoad:
        return local(value, type_range);
      case Opcode::LaunchSharedBytes:
        return {0, kMaximumExtent};
      case Opcode::Builtin:
        return builtin(value, depth, type_range);
      case Opcode::Cast:
        return cast(value, depth, type_range);
      case Opcode::Select:
        return unite(of(value->operands[1], depth), of(value->operands[2], depth));
      case Opcode::Neg:
        return negated(of(value->operands[0], depth));
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::Mul:
      case Opcode::FloorDiv:
      case Opcode::Mod:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::Shl:
      case Opcode::Shr:
        return binary(value->opcode, of(value->operands[0], depth), of(value->operands[1], depth), type_range);
      default:
        return type_range;
    }
  }

  static Interval constant(const Instruction* value, Interval type_range) {
    const Wide bits = value->constant;
    const bool is_negative = type_range.minimum < 0 && bits > type_range.maximum;
    const Wide number = is_negative ? bits - 2 * (type_range.maximum + 1) : bits;
    return {number, number};
  }

  Interval parameter(const Instruction* value, Interval type_range) const {
    const bool is_extent = function_.parameters[static_cast<std::size_t>(value->index)].non_negative;
    return is_extent ? Interval{0, std::min<Wide>(kMaximumExtent, type_range.maximum)} : type_range;
  }

  static Interval local(const Instruction* value, Interval type_range) {
    const bool is_known = value->type.is(ScalarType::I64);
    return is_known ? Interval{value->local->minimum, value->local->maximum} : type_range;
  }

  Interval cast(const Instruction* value, int depth, Interval type_range) {
    const Instruction* operand = value->operands[0];
    if (!operand->type.is_scalar() || is_float(operand->type.scalar) || value->type.is(ScalarType::Bool)) {
      return type_range;
    }
    return of(operand, depth);
  }

  Interval builtin(const Instruction* value, int depth, Interval type_range) {
    for (const BuiltinRange& row : kBuiltinRanges) {
      if (row.id == value->builtin) return {row.minimum, row.maximum};
    }
    const std::vector<Instruction*>& operands = value->operands;
    switch (value->builtin) {
      case BuiltinId::Min: {
        const Interval a = of(operands[0], depth), b = of(operands[1], depth);
        return {std::min(a.minimum, b.minimum), std::min(a.maximum, b.maximum)};
      }
      case BuiltinId::Max: {
        const Interval a = of(operands[0], depth), b = of(operands[1], depth);
        return {std::max(a.minimum, b.minimum), std::max(a.maximum, b.maximum)};
      }
      case BuiltinId::Abs: {
        const Interval a = of(operands[0], depth);
        if (is_non_negative(a)) return a;
        return {std::max<Wide>(0, -a.maximum), std::max(-a.minimum, a.maximum)};
      }
      case BuiltinId::Selp:
        return unite(of(operands[1], depth), of(operands[2], depth));
      default:
        return type_range;
    }
  }

  static Interval binary(Opcode opcode, Interval a, Interval b, Interval type_range) {
    if (!is_small(a) || !is_small(b)) return type_range;
    switch (opcode) {
      case Opcode::Add:
        return {a.minimum + b.minimum, a.maximum + b.maximum};
      case Opcode::Sub:
        return {a.minimum - b.maximum, a.maximum - b.minimum};
      case Opcode::Mul:
        return product(a, b);
      case Opcode::FloorDiv:
        return quotient(a, b, type_range);
      case Opcode::Mod:
        return remainder(a, b);
      case Opcode::And:
        return intersection_of_bits(a, b, type_range);
      case Opcode::Or:
      case Opcode::Xor:
        return union_of_bits(a, b, type_range);
      case Opcode::Shl:
        return shifted_left(a, b, type_range);
      default:
        return shifted_right(a, b);
    }
  }

  static Interval negated(Interval a) { return {-a.maximum, -a.minimum}; }

  static Interval product(Interval a, Interval b) {
    return hull({a.minimum * b.minimum, a.minimum * b.maximum, a.maximum * b.minimum, a.maximum * b.maximum});
  }

  static Interval quotient(Interval a, Interval b, Interval type_range) {
    if (b.minimum < 0) return type_range;
    const Wide least = std::max<Wide>(b.minimum, 1);
    const Wide most = std::max<Wide>(b.maximum, 1);
    const Interval divided = hull({floor_divide(a.minimum, least), floor_divide(a.minimum, most),
                                   floor_divide(a.maximum, least), floor_divide(a.maximum, most)});
    return b.minimum == 0 ? unite(divided, {0, 0}) : divided;  // a divisor of 0 gives 0
  }

  static Interval remainder(Interval a, Interval b) {
    Interval result = {std::min<Wide>(b.minimum + 1, 0), std::max<Wide>(b.maximum - 1, 0)};
    if (is_non_negative(a) && is_non_negative(b)) result.maximum = std::min(result.maximum, a.maximum);
    return result;
  }

  static Interval intersection_of_bits(Interval a, Interval b, Interval type_range) {
    if (is_non_negative(a) && is_non_negative(b)) return {0, std::min(a.maximum, b.maximum)};
    if (is_non_negative(a)) return {0, a.maximum};
    if (is_non_negative(b)) return {0, b.maximum};
    return type_range;
  }

  static Interval union_of_bits(Interval a, Interval b, Interval type_range) {
    if (!is_non_negative(a) || !is_non_negative(b)) return type_range;
    return {0, bit_mask_above(std::max(a.maximum, b.maximum))};
  }

  static Interval shifted_left(Interval a, Interval count, Interval type_range) {
    if (count.minimum != count.maximum || count.minimum < 0 || count.minimum > 62) return type_range;
    return product(a, {Wide{1} << count.minimum, Wide{1} << count.minimum});
  }

  /// Every count, sensible or not, brings the value nearer to 0 or -1.
  static Interval shifted_right(Interval a, Interval count) {
    if (count.minimum == count.maximum && count.minimum >= 0 && count.minimum <= 62) {
      return {a.minimum >> count.minimum, a.maximum >> count.minimum};
    }
    return {std::min<Wide>(a.minimum, 0), std::max<Wide>(a.maximum, is_non_negative(a) ? 0 : -1)};
  }

  const Function& function_;
};

std::optional<bool> is_below(Interval a, Interval b) {
  if (a.maximum < b.minimum) return true;
  if (a.minimum >= b.maximum) return false;
  return std::nullopt;
}

std::optional<bool> are_equal(Interval a, Interval b) {
  if (a.maximum < b.minimum || b.maximum < a.minimum) return false;
  if (a.minimum == b.maximum && a.maximum == b.minimum) return true;
  return std::nullopt;
}

std::optional<bool> opposite(std::optional<bool> holds) {
  if (holds) return !*holds;
  return std::nullopt;
}

std::optional<bool> decided(Opcode comparison, Interval a, Interval b) {
  switch (comparison) {
    case Opcode::Lt:
      return is_below(a, b);
    case Opcode::Gt:
      return is_below(b, a);
    case Opcode::Ge:
      return opposite(is_below(a, b));
    case Opcode::Le:
      return opposite(is_below(b, a));
    case Opcode::Ne:
      return opposite(are_equal(a, b));
    default:
      return are_equal(a, b);
  }
}

}  // namespace

ValueRange range_of(const Instruction* value, const Function& function) {
  const Interval range = Ranges(function).of(value, kMaximumDepth);
  if (!is_small(range)) return {};
  return {static_cast<std::int64_t>(range.minimum), static_cast<std::int64_t>(range.maximum)};
}

std::optional<bool> decide_by_ranges(const Instruction* comparison, const Function& function) {
  Ranges ranges(function);
  return decided(comparison->opcode, ranges.of(comparison->operands[0], kMaximumDepth),
                 ranges.of(comparison->operands[1], kMaximumDepth));
}

}  // namespace pykc::ir
