// Builtins that work on an element of an array, which they take as the array and an index: atomics, accesses with
// advice to the caches, and copies to shared memory.
#include "frontend/check/calls/atomic.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/calls/builtin.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/convert.h"
#include "ir/text/form.h"

namespace pykc::checker {
namespace {

using enum ScalarType;
constexpr ScalarType kNumbers[] = {I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64};
constexpr ScalarType kIntegers[] = {I8, I16, I32, I64, U8, U16, U32, U64};
constexpr ScalarType kCounters[] = {U32, U64};
constexpr ScalarType kScalars[] = {Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, F8E4M3, F8E5M2};

struct AtomicRow {
  BuiltinId id;
  ir::AtomicOp op;
  std::span<const ScalarType> types;
};

constexpr AtomicRow kAtomics[] = {
    {BuiltinId::AtomicAdd, ir::AtomicOp::Add, kNumbers},
    {BuiltinId::AtomicSub, ir::AtomicOp::Sub, kNumbers},
    {BuiltinId::AtomicMax, ir::AtomicOp::Max, kNumbers},
    {BuiltinId::AtomicMin, ir::AtomicOp::Min, kNumbers},
    {BuiltinId::AtomicNanMax, ir::AtomicOp::Max, kNumbers},
    {BuiltinId::AtomicNanMin, ir::AtomicOp::Min, kNumbers},
    {BuiltinId::AtomicAnd, ir::AtomicOp::And, kIntegers},
    {BuiltinId::AtomicOr, ir::AtomicOp::Or, kIntegers},
    {BuiltinId::AtomicXor, ir::AtomicOp::Xor, kIntegers},
    {BuiltinId::AtomicExch, ir::AtomicOp::Exchange, kNumbers},
    {BuiltinId::AtomicInc, ir::AtomicOp::Increment, kCounters},
    {BuiltinId::AtomicDec, ir::AtomicOp::Decrement, kCounters},
    {BuiltinId::AtomicCas, ir::AtomicOp::Exchange, kNumbers},
    {BuiltinId::AtomicCompareAndSwap, ir::AtomicOp::Exchange, kNumbers},
};

using Kind = checked::Access::Kind;

struct AccessRow {
  BuiltinId id;
  checked::Access::Kind kind;
  ir::CacheHint hint = {};
  int level = 0;
  std::span<const ScalarType> types = kScalars;
};

constexpr AccessRow kAccesses[] = {
    {BuiltinId::AtomicLoad, Kind::AtomicLoad, {}, 0, kNumbers},
    {BuiltinId::AtomicStore, Kind::AtomicStore, {}, 0, kNumbers},
    {BuiltinId::Ldca, Kind::HintedLoad, ir::CacheHint::All},
    {BuiltinId::Ldcg, Kind::HintedLoad, ir::CacheHint::Global},
    {BuiltinId::Ldcs, Kind::HintedLoad, ir::CacheHint::Streaming},
    {BuiltinId::Ldlu, Kind::HintedLoad, ir::CacheHint::LastUse},
    {BuiltinId::Ldcv, Kind::HintedLoad, ir::CacheHint::Volatile},
    {BuiltinId::Ldg, Kind::HintedLoad, ir::CacheHint::NonCoherent},
    {BuiltinId::Stcg, Kind::HintedStore, ir::CacheHint::Global},
    {BuiltinId::Stcs, Kind::HintedStore, ir::CacheHint::Streaming},
    {BuiltinId::Stwb, Kind::HintedStore, ir::CacheHint::WriteBack},
    {BuiltinId::Stwt, Kind::HintedStore, ir::CacheHint::WriteThrough},
    {BuiltinId::PrefetchL1, Kind::Prefetch, {}, 1},
    {BuiltinId::PrefetchL2, Kind::Prefetch, {}, 2},
};

template <typename Row>
const Row* row_of(std::span<const Row> rows, BuiltinId id) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.id == id; });
  return found == rows.end() ? nullptr : &*found;
}

/// In Numba's dialect `max` and `min` leave a NaN that is there.
ir::AtomicOp operation_on(const AtomicRow& row, ScalarType type, bool has_weak_literals) {
  if (has_weak_literals || !is_float(type)) return row.op;
  if (row.id == BuiltinId::AtomicMax) return ir::AtomicOp::Raise;
  if (row.id == BuiltinId::AtomicMin) return ir::AtomicOp::Lower;
  return row.op;
}

template <typename Words>
std::string list_of(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

std::string names_of(std::span<const ScalarType> types) {
  std::vector<std::string_view> names;
  for (const ScalarType type : types) names.push_back(to_string(type));
  return list_of(names);
}

bool reads(BuiltinId id) {
  const AccessRow* row = row_of<AccessRow>(kAccesses, id);
  return row && row->kind != Kind::AtomicStore && row->kind != Kind::HintedStore;
}

/// A load has nothing to release, a store nothing to acquire.
std::vector<std::string_view> orders_of(BuiltinId id) {
  const std::vector<std::string_view> words(std::begin(ir::kOrderWords), std::end(ir::kOrderWords));
  if (id == BuiltinId::AtomicLoad) return {words[0], words[1], words[4]};
  if (id == BuiltinId::AtomicStore) return {words[0], words[2], words[4]};
  return words;
}

template <typename Words>
std::size_t position_of(const Words& words, std::string_view word) {
  return static_cast<std::size_t>(std::find(std::begin(words), std::end(words), word) - std::begin(words));
}

/// An `order=` or a `scope=`.
bool read_ordering(FunctionChecker& checker, BuiltinId id, std::size_t parameter, const ast::Expr& argument,
                   checked::Ordering& ordering) {
  const bool is_order = checker.module.signature(id).parameters[parameter].name == "order";
  const std::vector<std::string_view> allowed =
      is_order ? orders_of(id) : std::vector(std::begin(ir::kScopeWords), std::end(ir::kScopeWords));
  const Entity given = checker.entity(argument);
  if (std::holds_alternative<Unknown>(given)) return false;
  const auto* text = std::get_if<TextRef>(&given);
  if (!text || position_of(allowed, text->text) == allowed.size()) {
    checker.report(argument.range, DiagnosticId::ArgumentValue, is_order ? "order" : "scope",
                   "one of the strings " + list_of(allowed) + " in " + as_code(info(id).name));
    return false;
  }
  if (is_order)
    ordering.order = static_cast<ir::MemoryOrder>(position_of(ir::kOrderWords, text->text));
  else
    ordering.scope = static_cast<ir::MemoryScope>(position_of(ir::kScopeWords, text->text));
  return true;
}

/// The element that an array and an index name; without an index, the first.
Value element_argument(FunctionChecker& checker, BuiltinId id, const ast::Expr& array_argument,
                       const ast::Expr* index_argument, bool is_written) {
  const Value array = checker.value(array_argument);
  std::optional<std::vector<Value>> indices;
  if (index_argument) indices = index_list(checker, *index_argument);
  if (!array.known()) return {};
  if (!array.is_array()) {
    report_argument_type(checker, id, array, "an array");
    return {};
  }
  if (!index_argument)
    indices =
        std::vector<Value>(array.type()->array.extents.size(), checker.tree.weak_integer(0, array_argument.range));
  if (!indices) return {};
  // Numba's atomics take a float for an index, which `(i, j)` becomes where a u64 meets an i64.
  const bool converts = !checker.rules->has_weak_literals && row_of<AtomicRow>(kAtomics, id);
  for (Value& position : *indices)
    if (converts && position.is_scalar() && is_float(position.scalar()) && !position.is_constant())
      position = cast_value(checker, position, ScalarType::I64, position.range());
  const SourceRange range = index_argument ? join(array_argument.range, index_argument->range) : array_argument.range;
  const Value element = index(checker, array, std::move(*indices), range);
  if (!element.known() || (is_written && !require_writable(checker, element, array_argument.range))) return {};
  return element;
}

bool require_element_type(FunctionChecker& checker, BuiltinId id, const Value& element, SourceRange range,
                          std::span<const ScalarType> types) {
  if (element.is_scalar() && std::find(types.begin(), types.end(), element.scalar()) != types.end()) return true;
  auto diagnostic = checker.report(range, DiagnosticId::AtomicType, info(id).name, describe(element));
  diagnostic.note("it works on " + names_of(types));
  if (id == BuiltinId::AtomicInc || id == BuiltinId::AtomicDec)
    diagnostic.note("declare the array as u32, or use `atomic.add` for a counter that does not wrap at a limit");
  return false;
}

/// memcpy_async(dst, dst_index, src, src_index, count=1)
Value call_memcpy_async(FunctionChecker& checker, const Arguments& arguments, SourceRange range) {
  constexpr BuiltinId kId = BuiltinId::MemcpyAsync;
  const Value to = element_argument(checker, kId, *arguments[0], arguments[1], true);
  const Value from = element_argument(checker, kId, *arguments[2], arguments[3], false);
  std::optional<Int128> count = 1;
  if (arguments[4]) count = constant_integer(checker, *arguments[4], "the number of elements");
  if (!to.known() || !from.known() || !count) return {};
  if (!require_element_type(checker, kId, to, arguments[0]->range, kScalars)) return {};
  if (to.type() != from.type()) {
    report_argument_type(checker, kId, from, "an element of the same type, " + describe(to));
    return {};
  }
  const auto require_space = [&](const Value& element, const ast::Expr& argument, ir::AddressSpace space,
                                 std::string_view what) {
    const auto* place = element.expr->as<checked::Element>();
    if (place && place->array->type->space == space) return true;
    checker.report(argument.range, DiagnosticId::ArgumentValue, info(kId).name, what);
    return false;
  };
  if (!require_space(to, *arguments[0], ir::AddressSpace::Shared, "a shared array to copy to") ||
      !require_space(from, *arguments[2], ir::AddressSpace::Global, "an array in global memory to copy from"))
    return {};
  const Int128 bytes = *count * size_in_bytes(to.scalar());
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    checker.report(arguments[4] ? arguments[4]->range : range, DiagnosticId::ArgumentValue, info(kId).name,
                   "4, 8 or 16 bytes to copy, not " + std::to_string(static_cast<std::int64_t>(bytes)));
    return {};
  }
  const int stride_fault =
      checker.module.options.bounds_checks && !checker.is_trial && *count > 1
          ? add_fault(checker, "memcpy_async copies neighbours in memory, and these elements lie {0} apart", range)
          : -1;
  return TreeBuilder::strong(checker.tree.make(
      checked::Type::none(), range, checked::CopyAsync{to.expr, from.expr, static_cast<int>(bytes), stride_fault}));
}

/// is_aligned(array, bytes)
Value call_is_aligned(FunctionChecker& checker, const Arguments& arguments, SourceRange range) {
  constexpr BuiltinId kId = BuiltinId::IsAligned;
  const Value array = checker.value(*arguments[0]);
  const std::optional<Int128> bytes = constant_integer(checker, *arguments[1], "the number of bytes");
  if (!array.known() || !bytes) return {};
  if (!array.is_array()) {
    report_argument_type(checker, kId, array, "an array");
    return {};
  }
  constexpr Int128 kMost = 1024;
  if (*bytes < 1 || *bytes > kMost || (*bytes & (*bytes - 1)) != 0) {
    checker.report(arguments[1]->range, DiagnosticId::ArgumentValue, "bytes",
                   "a power of two of at most 1024 in " + as_code(info(kId).name));
    return {};
  }
  return TreeBuilder::strong(
      checker.tree.scalar(ScalarType::Bool, range, checked::IsAligned{array.expr, static_cast<int>(*bytes)}));
}

/// is_shared(array): the type says it.
Value call_is_shared(FunctionChecker& checker, const Arguments& arguments, SourceRange range) {
  const Value array = checker.value(*arguments[0]);
  if (!array.known()) return {};
  if (!array.is_array()) {
    report_argument_type(checker, BuiltinId::IsShared, array, "an array");
    return {};
  }
  return TreeBuilder::strong(checker.tree.boolean(array.type()->space == ir::AddressSpace::Shared, range));
}

}  // namespace

/// atomic.add(array, index, value, …), atomic.compare_and_swap(array, old, value), ldcg(array, index) …: the signature
/// says which argument is what.
Value call_on_element(FunctionChecker& checker, BuiltinId id, const Arguments& arguments, SourceRange range) {
  if (id == BuiltinId::MemcpyAsync) return call_memcpy_async(checker, arguments, range);
  if (id == BuiltinId::IsShared) return call_is_shared(checker, arguments, range);
  if (id == BuiltinId::IsAligned) return call_is_aligned(checker, arguments, range);
  const BuiltinSignature& signature = checker.module.signature(id);
  const ast::Expr* index = nullptr;
  std::vector<Value> operands;
  checked::Ordering ordering;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const SignatureType& type = signature.parameters[i].type;
    if (type.is_index) index = arguments[i];
    if (type.letter) operands.push_back(scalar(checker, *arguments[i], as_code(info(id).name)));
    if (!type.is_index && !type.letter && arguments[i] && !read_ordering(checker, id, i, *arguments[i], ordering))
      return {};
  }
  const Value element = element_argument(checker, id, *arguments[0], index, !reads(id));
  if (!element.known()) return {};
  const AtomicRow* atomic = row_of<AtomicRow>(kAtomics, id);
  const AccessRow* access = row_of<AccessRow>(kAccesses, id);
  if (!require_element_type(checker, id, element, arguments[0]->range, atomic ? atomic->types : access->types))
    return {};
  std::vector<const Expr*> converted;
  for (const Value& operand : operands) {
    if (!operand.known()) return {};
    converted.push_back(convert_for_assignment(checker, operand, element.scalar(), operand.range()));
    if (!converted.back()) return {};
  }
  if (converted.size() == 2)
    return TreeBuilder::strong(checker.tree.make(
        element.type(), range, checked::AtomicCompareAndSwap{ordering, element.expr, converted[0], converted[1]}));
  if (atomic) {
    const ir::AtomicOp op = operation_on(*atomic, element.scalar(), checker.rules->has_weak_literals);
    return TreeBuilder::strong(
        checker.tree.make(element.type(), range, checked::Atomic{op, ordering, element.expr, converted[0]}));
  }
  const bool gives = access->kind == Kind::AtomicLoad || access->kind == Kind::HintedLoad;
  return TreeBuilder::strong(
      checker.tree.make(gives ? element.type() : checked::Type::none(), range,
                        checked::Access{access->kind, ordering, access->hint, access->level, element.expr,
                                        converted.empty() ? nullptr : converted[0]}));
}

}  // namespace pykc::checker
