#include "codegen/emit/launch.h"

#include "codegen/emit/arithmetic.h"

namespace pykc::codegen {
namespace {

/// A number or an extent of the launch; null for an operation.
Value* launch_leaf(Emitter& emitter, const LaunchExpression::Term& term) {
  using enum LaunchExpression::Op;
  switch (term.op) {
    case Constant:
      return emitter.constant_i64(term.constant);
    case BlockDimX:
      return emitter.target->block_extent(0);
    case BlockDimY:
      return emitter.target->block_extent(1);
    case BlockDimZ:
      return emitter.target->block_extent(2);
    case GridDimX:
      return emitter.target->grid_extent(0);
    case GridDimY:
      return emitter.target->grid_extent(1);
    case GridDimZ:
      return emitter.target->grid_extent(2);
    default:
      return nullptr;
  }
}

Value* launch_operation(Emitter& emitter, LaunchExpression::Op op, Value* a, Value* b) {
  Builder& builder = emitter.builder;
  using enum LaunchExpression::Op;
  switch (op) {
    case Add:
      return builder.CreateAdd(a, b);
    case Subtract:
      return builder.CreateSub(a, b);
    case Multiply:
      return builder.CreateMul(a, b);
    case FloorDivide:
      return floor_divide(builder, a, b, true);
    case Modulo:
      return floor_modulo(builder, a, b, true);
    case Minimum:
      return minimum(emitter, ScalarType::I64, a, b);
    default:
      return maximum(emitter, ScalarType::I64, a, b);
  }
}

/// An expression over the launch, as an i64.
Value* evaluate(Emitter& emitter, const LaunchExpression& expression) {
  llvm::SmallVector<Value*> stack;
  for (const LaunchExpression::Term& term : expression.terms) {
    if (Value* leaf = launch_leaf(emitter, term)) {
      stack.push_back(leaf);
    } else {
      Value* b = stack.pop_back_val();
      Value* a = stack.pop_back_val();
      stack.push_back(launch_operation(emitter, term.op, a, b));
    }
  }
  return stack.empty() ? emitter.constant_i64(0) : stack.back();
}

}  // namespace

Value* emit_coordinate(Emitter& emitter, LaunchCoordinate coordinate) {
  switch (coordinate.of) {
    case LaunchCoordinate::Of::ThreadIdx:
      return emitter.target->thread_index(coordinate.axis);
    case LaunchCoordinate::Of::BlockIdx:
      return emitter.target->block_index(coordinate.axis);
    case LaunchCoordinate::Of::BlockDim:
      return emitter.target->block_extent(coordinate.axis);
    case LaunchCoordinate::Of::GridDim:
      return emitter.target->grid_extent(coordinate.axis);
  }
  llvm_unreachable("every coordinate has a case");
}

/// The sized arrays stand one after the other, each on its own boundary and rounded up to 16 bytes; those that take the
/// launch's own bytes all start after the last of them.
Value* dynamic_offset(Emitter& emitter, std::int64_t index) {
  Builder& builder = emitter.builder;
  const auto is_sized = [](const ir::ArrayStorage& array) {
    return array.is_dynamic && !array.dynamic_bytes.terms.empty();
  };
  const std::vector<ir::ArrayStorage>& arrays = emitter.source.shared_arrays;
  const bool takes_the_rest = index == kAfterAllSized || !is_sized(arrays[static_cast<std::size_t>(index)]);
  const std::size_t end = takes_the_rest ? arrays.size() : static_cast<std::size_t>(index);
  const auto rounded_up = [&](Value* bytes, std::int64_t to) {
    return builder.CreateAnd(builder.CreateAdd(bytes, emitter.constant_i64(to - 1)), emitter.constant_i64(-to));
  };
  Value* offset = emitter.constant_i64(0);
  for (std::size_t n = 0; n < end; ++n) {
    if (!is_sized(arrays[n])) continue;
    if (arrays[n].alignment > 16) offset = rounded_up(offset, arrays[n].alignment);
    offset = builder.CreateAdd(offset, rounded_up(evaluate(emitter, arrays[n].dynamic_bytes), 16));
  }
  return takes_the_rest ? offset : rounded_up(offset, arrays[end].alignment);
}

}  // namespace pykc::codegen
