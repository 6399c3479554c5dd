// tensor_map(a, box=(64, 64), swizzle=128): what a GPU's copy unit must know of an array, and of the boxes that are
// copied from and to it. What it can describe is the hardware's: CUDA's driver API, cuTensorMapEncodeTiled.
#include <algorithm>

#include "base/text.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/calls/ptx.h"
#include "frontend/check/expressions/expression.h"

namespace pykc::checker {
namespace {

constexpr std::int64_t kMostExtent = 256;  // of a box
constexpr std::int64_t kUnit = 16;         // bytes: rows of a box are multiples of it

Unknown wrong(FunctionChecker& checker, SourceRange range, const std::string& wanted) {
  checker.report(range, DiagnosticId::ArgumentValue, "tensor_map", wanted);
  return {};
}

std::optional<std::vector<std::int64_t>> box_of(FunctionChecker& checker, const ast::Expr& argument) {
  const Value given = checker.value(argument);
  if (!given.known()) return std::nullopt;
  std::vector<std::int64_t> box;
  for (const Value& extent : given.is_tuple() ? take_apart(checker, given) : std::vector<Value>{given}) {
    const bool is_constant = extent.is_constant() && extent.is_scalar() && is_integer(extent.scalar());
    const Int128 count = is_constant ? integer_of(*extent.expr) : 0;
    if (count < 1 || count > kMostExtent) {
      wrong(checker, extent.range(), "for `box` constants of 1 to " + std::to_string(kMostExtent));
      return std::nullopt;
    }
    box.push_back(static_cast<std::int64_t>(count));
  }
  return box;
}

bool has_right_type(const ArrayType& type) {
  return !type.element.is_record() && type.element.scalar != ScalarType::Bool && type.rank() >= 1 && type.rank() <= 5;
}

}  // namespace

Entity call_tensor_map(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"a", "box", "swizzle", "is_written"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "tensor_map", kParameters, 2, info(LanguageFunction::TensorMap).signature);
  if (!arguments) return Unknown{};
  const Value array = checker.value(*(*arguments)[0]);
  if (!array.known()) return Unknown{};
  const bool is_global = array.is_array() && array.type()->space == ir::AddressSpace::Global;
  if (!is_global || !has_right_type(array.type()->array))
    return wrong(checker, array.range(),
                 "a parameter of its kernel, an array of 1 to 5 axes of numbers; not " + describe(array));
  const std::optional<std::vector<std::int64_t>> box = box_of(checker, *(*arguments)[1]);
  if (!box) return Unknown{};
  const ArrayType& type = array.type()->array;
  if (static_cast<int>(box->size()) != type.rank())
    return wrong(checker, (*arguments)[1]->range,
                 "for `box` as many extents as the array has axes, " + std::to_string(type.rank()));
  Int128 swizzle = 0;
  if ((*arguments)[2] != nullptr) {
    const std::optional<Int128> given = constant_integer(checker, *(*arguments)[2], "`swizzle`");
    if (!given) return Unknown{};
    if (*given != 0 && *given != 32 && *given != 64 && *given != 128)
      return wrong(checker, (*arguments)[2]->range, "for `swizzle` 0, 32, 64 or 128");
    swizzle = *given;
  }
  const std::int64_t row =
      (type.layout == Layout::ColumnMajor ? box->front() : box->back()) * size_in_bytes(type.element);
  if (row % kUnit != 0 || (swizzle > 0 && row > swizzle))
    return wrong(checker, (*arguments)[1]->range,
                 "rows of a box that are multiples of 16 bytes" +
                     (swizzle > 0 ? ", and not longer than the swizzle" : std::string()) + "; these have " +
                     std::to_string(row));
  std::optional<bool> is_written = true;
  if ((*arguments)[3] != nullptr) is_written = constant_bool(checker, *(*arguments)[3], "`is_written`");
  if (!is_written) return Unknown{};
  checked::TensorMap node{array.expr, *box, static_cast<int>(swizzle), *is_written};
  return TreeBuilder::strong(checker.tree.scalar(ScalarType::U64, range, std::move(node)));
}

}  // namespace pykc::checker
