#include "ir/instrument/math_costs.h"

namespace pykc::ir {
namespace {

MathCost cost_of_function(BuiltinId function, bool is_f64) {
  switch (function) {
#define MATH_COST(id, f32, f64_of_f32, f64, f64_of_f64) \
  case BuiltinId::id:                                   \
    return is_f64 ? MathCost{f64, f64_of_f64} : MathCost{f32, f64_of_f32};
#define DIVISION_COST(type, cost, of_f64)
#include "ir/instrument/math_costs.def"
    default:
      return {};
  }
}

MathCost cost_of_division(ScalarType type) {
  switch (type) {
#define MATH_COST(id, f32, f64_of_f32, f64, f64_of_f64)
#define DIVISION_COST(type, cost, of_f64) \
  case ScalarType::type:                  \
    return {cost, of_f64};
#include "ir/instrument/math_costs.def"
    case ScalarType::F16:
    case ScalarType::BF16:
      return cost_of_division(ScalarType::F32);
    case ScalarType::I8:
    case ScalarType::I16:
      return cost_of_division(ScalarType::I32);
    default:
      return cost_of_division(ScalarType::U32);
  }
}

}  // namespace

MathCost math_cost_of(const Instruction& instruction, bool fast_math, bool is_divisor_known) {
  const ScalarType type = instruction.type.scalar;
  const bool is_approximate = fast_math && is_float(type) && type != ScalarType::F64;
  switch (instruction.opcode) {
    case Opcode::Builtin:
      return is_approximate ? MathCost() : cost_of_function(instruction.builtin, type == ScalarType::F64);
    case Opcode::Div:
      return is_approximate ? MathCost() : cost_of_division(type);
    case Opcode::FloorDiv:
    case Opcode::Mod:
      return is_approximate || is_divisor_known ? MathCost() : cost_of_division(type);
    default:
      return {};
  }
}

}  // namespace pykc::ir
