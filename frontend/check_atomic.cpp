#include <algorithm>
#include <span>

#include "frontend/check_body.h"

namespace pykc::checker {

namespace {

using enum ScalarType;
constexpr ScalarType kAddable[] = {I32, U32, I64, U64, F16, F32, F64};
constexpr ScalarType kArithmetic[] = {I32, U32, I64, U64, F32, F64};
constexpr ScalarType kIntegers[] = {I32, U32, I64, U64};
constexpr ScalarType kUnsigned[] = {U32, U64};

struct AtomicRow {
  BuiltinId id;
  ir::AtomicOp op;
  std::span<const ScalarType> types;
};

const AtomicRow kAtomics[] = {
    {BuiltinId::AtomicAdd, ir::AtomicOp::Add, kAddable},
    {BuiltinId::AtomicSub, ir::AtomicOp::Sub, kArithmetic},
    {BuiltinId::AtomicMax, ir::AtomicOp::Max, kArithmetic},
    {BuiltinId::AtomicMin, ir::AtomicOp::Min, kArithmetic},
    {BuiltinId::AtomicAnd, ir::AtomicOp::And, kIntegers},
    {BuiltinId::AtomicOr, ir::AtomicOp::Or, kIntegers},
    {BuiltinId::AtomicXor, ir::AtomicOp::Xor, kIntegers},
    {BuiltinId::AtomicExch, ir::AtomicOp::Exchange, kArithmetic},
    {BuiltinId::AtomicInc, ir::AtomicOp::Increment, kUnsigned},
    {BuiltinId::AtomicDec, ir::AtomicOp::Decrement, kUnsigned},
    {BuiltinId::AtomicCas, ir::AtomicOp::Exchange, kArithmetic},
    {BuiltinId::AtomicCompareAndSwap, ir::AtomicOp::Exchange, kArithmetic},
};

const AtomicRow& row_of(BuiltinId id) {
  return *std::find_if(std::begin(kAtomics), std::end(kAtomics), [&](const AtomicRow& row) { return row.id == id; });
}

std::string list_of(std::span<const ScalarType> types) {
  std::string text;
  for (const ScalarType type : types) text += (text.empty() ? "" : ", ") + std::string(to_string(type));
  return text;
}

}  // namespace

/// atomic.add(array, index, value), atomic.cas(array, index, old, value), atomic.compare_and_swap(array, old, value)
Value Body::call_atomic(BuiltinId id, const Arguments& arguments, SourceRange range) {
  const bool has_index = id != BuiltinId::AtomicCompareAndSwap;
  const bool compares = id == BuiltinId::AtomicCas || id == BuiltinId::AtomicCompareAndSwap;
  const Value array = value(*arguments[0]);
  std::optional<std::vector<Value>> indices;
  if (has_index) indices = index_list(*arguments[1]);
  std::vector<Value> operands;
  for (std::size_t i = has_index ? 2 : 1; i < arguments.size(); ++i)
    operands.push_back(scalar(*arguments[i], "an atomic"));
  if (!array.known()) return {};
  if (!array.is_array()) {
    report_argument_type(id, array, "an array");
    return {};
  }
  if (!has_index) indices = std::vector<Value>(array.type().array.extents.size(), tree_.weak_integer(0, range));
  if (!indices) return {};
  const Value element =
      index(array, std::move(*indices), join(arguments[0]->range, arguments[has_index ? 1 : 0]->range));
  if (!element.known() || !require_writable(element, arguments[0]->range)) return {};
  const AtomicRow& row = row_of(id);
  const ScalarType type = element.scalar();
  if (std::find(row.types.begin(), row.types.end(), type) == row.types.end()) {
    auto diagnostic = report(arguments[0]->range, DiagnosticId::AtomicType, info(id).name, to_string(type));
    diagnostic.note("it works on " + list_of(row.types));
    if (id == BuiltinId::AtomicInc || id == BuiltinId::AtomicDec)
      diagnostic.note("declare the array as u32, or use `atomic.add` for a counter that does not wrap at a limit");
    return {};
  }
  std::vector<const Expr*> converted;
  for (const Value& operand : operands) {
    if (!operand.known()) return {};
    converted.push_back(convert_for_assignment(operand, type, operand.range()));
    if (!converted.back()) return {};
  }
  if (compares)
    return TreeBuilder::strong(
        tree_.scalar(type, range, checked::AtomicCompareAndSwap{element.expr, converted[0], converted[1]}));
  return TreeBuilder::strong(tree_.scalar(type, range, checked::Atomic{row.op, element.expr, converted[0]}));
}

}  // namespace pykc::checker
