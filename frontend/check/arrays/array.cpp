// Arrays that a kernel declares: shared.array, local.array, and tables of constants.
#include "frontend/check/arrays/array.h"

#include <algorithm>
#include <array>

#include "frontend/check/arrays/array_function.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/calls/builtin.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/iterate.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/symbols.h"
#include "frontend/check/types/closure.h"

namespace pykc::checker {

using checked::Type;
using LaunchOp = LaunchExpression::Op;

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 31;
constexpr int kMostAlignment = 1024, kDynamicAlignment = 16;  // in bytes

struct LaunchBinary {
  checked::BinaryOp op;
  LaunchOp launch;
};
constexpr LaunchBinary kLaunchBinaries[] = {{checked::BinaryOp::Add, LaunchOp::Add},
                                            {checked::BinaryOp::Sub, LaunchOp::Subtract},
                                            {checked::BinaryOp::Mul, LaunchOp::Multiply},
                                            {checked::BinaryOp::FloorDiv, LaunchOp::FloorDivide},
                                            {checked::BinaryOp::Mod, LaunchOp::Modulo}};

struct LaunchBuiltin {
  BuiltinId id;
  LaunchOp launch;
};
constexpr LaunchBuiltin kLaunchBuiltins[] = {
    {BuiltinId::BlockDimX, LaunchOp::BlockDimX}, {BuiltinId::BlockDimY, LaunchOp::BlockDimY},
    {BuiltinId::BlockDimZ, LaunchOp::BlockDimZ}, {BuiltinId::GridDimX, LaunchOp::GridDimX},
    {BuiltinId::GridDimY, LaunchOp::GridDimY},   {BuiltinId::GridDimZ, LaunchOp::GridDimZ},
    {BuiltinId::Min, LaunchOp::Minimum},         {BuiltinId::Max, LaunchOp::Maximum}};

/// Writes the expression in postfix order; false where it depends on more than the launch.
bool launch_expression(const FunctionChecker& checker, const Expr& expr, LaunchExpression& out) {
  if (!expr.type.is_scalar() || expr.type->scalar != ScalarType::I64) return false;
  if (expr.as<checked::Constant>()) {
    out.terms.push_back({LaunchOp::Constant, static_cast<std::int64_t>(integer_of(expr))});
    return true;
  }
  if (const auto* ref = expr.as<checked::VariableRef>()) {
    const auto local = std::find_if(checker.locals.begin(), checker.locals.end(),
                                    [&](const Local& l) { return l.variable == ref->variable && l.only_value; });
    return ref->variable && local != checker.locals.end() && launch_expression(checker, *local->only_value, out);
  }
  if (const auto* node = expr.as<checked::Binary>()) {
    for (const LaunchBinary& row : kLaunchBinaries) {
      if (row.op != node->op) continue;
      if (!launch_expression(checker, *node->left, out) || !launch_expression(checker, *node->right, out)) return false;
      out.terms.push_back({row.launch, 0});
      return true;
    }
  }
  if (const auto* node = expr.as<checked::CallBuiltin>()) {
    for (const LaunchBuiltin& row : kLaunchBuiltins) {
      if (row.id != node->builtin) continue;
      for (const Expr* argument : node->arguments)
        if (!launch_expression(checker, *argument, out)) return false;
      out.terms.push_back({row.launch, 0});
      return true;
    }
  }
  return false;
}

/// The tree of an expression over the launch. It names no variable, so it can be evaluated where the kernel begins.
const checked::Expr* launch_value(FunctionChecker& checker, const LaunchExpression& expression, SourceRange range) {
  std::vector<const Expr*> stack;
  for (const LaunchExpression::Term& term : expression.terms) {
    if (term.op == LaunchOp::Constant) {
      stack.push_back(checker.tree.integer(term.constant, ScalarType::I64, range));
      continue;
    }
    const auto builtin = std::find_if(std::begin(kLaunchBuiltins), std::end(kLaunchBuiltins),
                                      [&](const LaunchBuiltin& row) { return row.launch == term.op; });
    const bool is_leaf = builtin != std::end(kLaunchBuiltins) && is_property(builtin->id);
    if (is_leaf) {
      stack.push_back(property(checker, builtin->id, range).expr);
      continue;
    }
    const Expr *right = stack.back(), *left = stack[stack.size() - 2];
    stack.resize(stack.size() - 2);
    const auto binary = std::find_if(std::begin(kLaunchBinaries), std::end(kLaunchBinaries),
                                     [&](const LaunchBinary& row) { return row.launch == term.op; });
    stack.push_back(binary != std::end(kLaunchBinaries)
                        ? checker.tree.binary(binary->op, left, right, range)
                        : checker.tree.builtin(builtin->id, ScalarType::I64, {left, right}, range));
  }
  return stack.back();
}

/// The integers that variables of one value make of an expression; nothing where it has others.
std::optional<std::vector<Int128>> numbers_of(FunctionChecker& checker, const ast::Expr& expr) {
  if (const auto* name = expr.as<ast::Name>()) {
    if (const std::optional<int> index = local_index(checker, name->id, expr.range)) {
      const std::vector<Int128>& numbers = checker.locals[static_cast<std::size_t>(*index)].only_numbers;
      if (!numbers.empty()) return numbers;  // a parameter may be a constant without
    }
  }
  std::vector<Int128> numbers;
  if (const auto* tuple = expr.as<ast::Tuple>()) {
    for (const ast::ExprPtr& element : tuple->elements) {
      const std::optional<std::vector<Int128>> one = numbers_of(checker, *element);
      if (!one || one->size() != 1) return std::nullopt;
      numbers.push_back(one->front());
    }
    return numbers;
  }
  if (const auto* node = expr.as<ast::Binary>()) {
    const std::optional<std::vector<Int128>> left = numbers_of(checker, *node->left);
    const std::optional<std::vector<Int128>> right = numbers_of(checker, *node->right);
    if (!left || !right || left->size() != 1 || right->size() != 1) return std::nullopt;
    const Value made = binary(checker, node->op, checker.tree.weak_integer(left->front(), node->left->range),
                              checker.tree.weak_integer(right->front(), node->right->range), expr.range);
    return made.known() && made.is_constant() && is_integer(made.scalar())
               ? std::optional(std::vector<Int128>{integer_of(*made.expr)})
               : std::nullopt;
  }
  if (!expr.as<ast::Name>() && !expr.as<ast::Attribute>() && !expr.as<ast::IntLiteral>()) return std::nullopt;
  const Value value = checker.value(expr);
  if (!value.is_scalar() || !value.is_constant() || !is_integer(value.scalar())) return std::nullopt;
  return std::vector<Int128>{integer_of(*value.expr)};
}

/// The value of the expression, as a constant where variables of one value make it one.
Value shape_value(FunctionChecker& checker, const ast::Expr& expr, const Entity& found) {
  const Value given = to_value(checker, found, expr.range);
  const std::vector<Value> parts = !given.known()     ? std::vector<Value>()
                                   : given.is_tuple() ? take_apart(checker, given)
                                                      : std::vector<Value>{given};
  const bool is_constant = std::ranges::all_of(parts, [](const Value& part) { return part.is_constant(); });
  if (is_constant) return given;
  const std::optional<std::vector<Int128>> numbers = numbers_of(checker, expr);
  if (!numbers || numbers->size() != parts.size()) return given;
  std::vector<Value> constants;
  for (std::size_t i = 0; i < parts.size(); ++i)
    constants.push_back(checker.tree.weak_integer((*numbers)[i], parts[i].range()));
  return given.is_tuple() ? checker.tree.tuple(std::move(constants), expr.range) : constants.front();
}

std::optional<Shape> shape(FunctionChecker& checker, const ast::Expr& expr, std::string_view what,
                           bool may_be_dynamic) {
  const Entity found = checker.entity(expr);
  if (std::holds_alternative<TypeRef>(found)) {
    checker.report(expr.range, DiagnosticId::ArrayShape, what, "an integer or a tuple of integers")
        .note("this is a type; the shape comes first")
        .fix(std::string(what) + "(shape, " + std::string(checker.scope.file().text(expr.range)) + ")");
    return std::nullopt;
  }
  const Value given = shape_value(checker, expr, found);
  if (!given.known()) return std::nullopt;
  const std::vector<Value> extents = given.is_tuple() ? take_apart(checker, given) : std::vector<Value>{given};
  if (extents.size() > kMaximumRank) {
    checker.report(expr.range, DiagnosticId::TooManyDimensions);
    return std::nullopt;
  }
  Shape result;
  bool is_dynamic = false;
  Int128 size = 1;
  for (const Value& extent : extents) {
    if (!extent.is_scalar() || !is_integer(extent.scalar())) {
      checker.report(extent.range(), DiagnosticId::ArrayShape, what, "an integer or a tuple of integers")
          .note("this is " + describe(extent));
      return std::nullopt;
    }
    if (!extent.is_constant()) {
      is_dynamic = true;
      continue;
    }
    const Int128 count = integer_of(*extent.expr);
    size *= count;
    if (count < 0 || size > kMostElements || (count == 0 && extents.size() > 1)) {
      checker.report(extent.range(), DiagnosticId::ArrayShape, what,
                     "at least 1, and small enough for the memory it stands in");
      return std::nullopt;
    }
    result.extents.push_back(static_cast<std::int64_t>(count));
  }
  if (!is_dynamic) {
    result.takes_launch_bytes = may_be_dynamic && size == 0;
    if (size > 0 || result.takes_launch_bytes) return result;
    checker.report(expr.range, DiagnosticId::ArrayShape, what, "at least 1");
    return std::nullopt;
  }
  result.extents.assign(extents.size(), ArrayType::kDynamic);
  for (const Value& extent : extents) {
    LaunchExpression launch;
    if (!may_be_dynamic && extent.is_constant()) continue;
    const Expr* converted = checker.tree.convert(extent, ScalarType::I64);
    if (may_be_dynamic && launch_expression(checker, *converted, launch)) {
      result.dynamic.push_back(launch_value(checker, launch, extent.range()));
      result.launch_sizes.push_back(std::move(launch));
      continue;
    }
    if (checker.is_trial) continue;  // variables are not bound to their values yet
    auto diagnostic = checker.report(extent.range(), DiagnosticId::NotConstant, "the shape of " + std::string(what));
    diagnostic.note("use a literal or a module constant such as `TILE = 32`");
    if (may_be_dynamic)
      diagnostic.note(
          "or an expression over `blockDim` and `gridDim`, or `shared.array(0, dtype)`, which takes the bytes of the "
          "launch");
    return std::nullopt;
  }
  return result;
}

/// `alignment=64`: a power of two.
std::optional<int> alignment_of(FunctionChecker& checker, const ast::Expr& expr, int most) {
  const Entity given = opened(checker, checker.entity(expr));  // a constant may come as an argument
  if (std::holds_alternative<NoneRef>(given)) return 0;
  const auto* value = std::get_if<Value>(&given);
  if (std::holds_alternative<Unknown>(given) || (value && !value->known())) return std::nullopt;
  const bool is_constant = value && value->is_constant() && is_integer(value->scalar());
  const Int128 bytes = is_constant ? integer_of(*value->expr) : 0;
  if (bytes > 0 && bytes <= most && (bytes & (bytes - 1)) == 0) return static_cast<int>(bytes);
  checker.report(expr.range, DiagnosticId::ArgumentValue, "alignment",
                 "a constant power of two, at most " + std::to_string(most) +
                     (most == kDynamicAlignment ? " for an array that the launch sizes" : ""));
  return std::nullopt;
}

std::optional<std::pair<Shape, ElementType>> shape_and_type(FunctionChecker& checker, const ast::Call& call,
                                                            SourceRange range, std::string_view name,
                                                            bool may_be_dynamic) {
  constexpr std::string_view kParameters[] = {"shape", "dtype", "alignment"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, name, kParameters, 2, "(shape, dtype, alignment=None)");
  if (!arguments) return std::nullopt;
  std::optional<Shape> extents = shape(checker, *(*arguments)[0], name, may_be_dynamic);
  const std::optional<ElementType> type = element_type(checker, *(*arguments)[1]);
  if (!extents || !type) return std::nullopt;
  const ast::Expr* alignment = (*arguments)[2];
  if (alignment && !alignment->as<ast::NoneLiteral>()) {
    const bool is_sized_by_launch = extents->takes_launch_bytes || !extents->dynamic.empty();
    const std::optional<int> bytes =
        alignment_of(checker, *alignment, is_sized_by_launch ? kDynamicAlignment : kMostAlignment);
    if (!bytes) return std::nullopt;
    extents->alignment = *bytes;
  }
  return std::pair(std::move(*extents), *type);
}

}  // namespace

Entity call_shared_array(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  const auto declared = shape_and_type(checker, call, range, "shared.array", true);
  if (!declared) return Unknown{};
  const auto& [shape, element] = *declared;
  std::vector<std::int64_t> extents = shape.extents;
  if (shape.takes_launch_bytes) extents = {ArrayType::kDynamic};
  const Type type =
      checker.types.of(ArrayType{element, Layout::RowMajor, std::move(extents)}, ir::AddressSpace::Shared);
  if (!checker.output) return TreeBuilder::strong(checker.tree.make(type, range, checked::SharedArrayRef{-1}));
  const int index = static_cast<int>(checker.output->shared_arrays.size());
  checker.output->shared_arrays.push_back({.name = "",
                                           .type = type->array,
                                           .extents = shape.dynamic,
                                           .extent_sizes = shape.launch_sizes,
                                           .takes_launch_bytes = shape.takes_launch_bytes,
                                           .alignment = shape.alignment});
  return TreeBuilder::strong(checker.tree.make(type, range, checked::SharedArrayRef{index}));
}

Entity call_local_array(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  const auto declared = shape_and_type(checker, call, range, "local.array", false);
  if (!declared) return Unknown{};
  const auto& [shape, element] = *declared;
  return own_array(checker, {element, Layout::RowMajor, shape.extents}, range, shape.alignment);
}

/// map_shared_rank(array, rank): what lies outside of the cluster is an error in a checked build, and on the CPU device
/// always.
Entity call_map_shared_rank(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"array", "rank"};
  const std::optional<Arguments> arguments = bind_arguments(checker, call, range, "map_shared_rank", kParameters, 2,
                                                            info(LanguageFunction::MapSharedRank).signature);
  if (!arguments) return Unknown{};
  const Value array = checker.value(*(*arguments)[0]);
  const Value number = checker.value(*(*arguments)[1]);
  if (!array.known() || !number.known()) return Unknown{};
  if (!array.is_array() || array.type()->space != ir::AddressSpace::Shared) {
    checker.report((*arguments)[0]->range, DiagnosticId::ArgumentValue, "map_shared_rank",
                   "an array in shared memory, not " + describe(array));
    return Unknown{};
  }
  const Expr* given = index_number(checker, number);
  if (!given) return Unknown{};
  const Type type = checker.types.of(array.type()->array, ir::AddressSpace::Cluster);
  const Expr* made = with_temporary(checker, given, [&](const Expr* rank) {
    const Expr* mapped = checker.tree.make(type, range, checked::ClusterArray{array.expr, rank});
    if (checker.is_trial) return mapped;
    const auto builtin = [&](BuiltinId id) { return checker.tree.builtin(id, ScalarType::I64, {}, range); };
    const auto zero = [&] { return checker.tree.integer(0, ScalarType::I64, range); };
    const Expr* blocks = builtin(BuiltinId::ClusterBlocks);
    const Expr* is_sound =
        checker.tree.logical(true, checker.tree.compare(checked::CompareOp::Ge, rank, zero(), range),
                             checker.tree.compare(checked::CompareOp::Lt, rank, blocks, range), range);
    if (!checker.module.options.bounds_checks)
      is_sound = checker.tree.logical(
          false, checker.tree.compare(checked::CompareOp::Ne, builtin(BuiltinId::CudaArch), zero(), range), is_sound,
          range);
    const int fault = add_fault(checker, "the cluster has no block {0}: it has {1}", range);
    return checker.tree.make(type, range, checked::Guarded{is_sound, fault, {rank, blocks}, mapped});
  });
  return TreeBuilder::strong(made);
}

/// An array of the thread's own, of a static shape.
Value own_array(FunctionChecker& checker, ArrayType type, SourceRange range, int alignment) {
  const Type local = checker.types.of(std::move(type), ir::AddressSpace::Local);
  if (!checker.output) return TreeBuilder::strong(checker.tree.make(local, range, checked::LocalArrayRef{-1}));
  const int index = static_cast<int>(checker.output->local_arrays.size());
  checker.output->local_arrays.push_back({"", local->array, alignment});
  return TreeBuilder::strong(checker.tree.make(local, range, checked::LocalArrayRef{index}));
}

/// Told from its spelling before its names are looked up: what host code alone assigns would not survive that.
bool is_host_constant(FunctionChecker& checker, const ConstantDecl& constant) {
  return constant.path.empty() && !constant.annotation && declares_host_constant(*constant.value) &&
         language_function_of(checker, *constant.value->as<ast::Call>()) == LanguageFunction::ConstArray;
}

/// `NAME = const.array(shape, dtype)`: zero until the host fills it, so nothing is known of its numbers here.
Entity host_constant(FunctionChecker& checker, const ConstantDecl& constant, const ast::Call& call) {
  const SourceRange range = constant.value->range;
  const auto declared = shape_and_type(checker, call, range, "const.array", false);
  if (!declared) return Unknown{};
  const auto& [shape, element] = *declared;
  if (shape.extents.empty()) {
    checker.report(range, DiagnosticId::ArrayShape, "const.array", "given; `const.array(1, dtype)` holds one number");
    return Unknown{};
  }
  Table table{.name = constant.name, .type = {element, Layout::RowMajor, shape.extents}, .bytes = {}};
  const std::int64_t bytes = table.type.count() * size_in_bytes(element);
  if (bytes > kMostConstantBytes) {
    checker.report(range, DiagnosticId::TooMuchConstant, constant.name, bytes, kMostConstantBytes);
    return Unknown{};
  }
  table.bytes.assign(static_cast<std::size_t>(bytes), '\0');
  const std::string& module = constant.scope->name();
  table.host = ConstantInfo{.name = module.empty() ? constant.name : module + "." + constant.name,
                            .symbol = unique_symbol(checker.module, constant.name),
                            .type = table.type};
  return TableRef{add_table(checker.module, std::move(table))};
}

Entity misplaced_const_array(FunctionChecker& checker, SourceRange range) {
  checker.report(range, DiagnosticId::MisplacedConstantArray);
  return Unknown{};
}

Entity call_const_array_like(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"a"};
  const std::optional<Arguments> arguments = bind_arguments(checker, call, range, "const.array_like", kParameters, 1,
                                                            info(LanguageFunction::ConstArrayLike).signature);
  if (!arguments) return Unknown{};
  const ast::Expr& source = *(*arguments)[0];
  const bool is_spelled = source.as<ast::List>() || source.as<ast::Tuple>();
  const Entity found = is_spelled ? table(checker, source, nullptr) : checker.entity(source);
  const auto array = [&](const TableRef& ref) -> Entity {
    if (!checker.function) return ref;  // a constant of the module, which kernels have as an array
    return table_value(checker, ref.table, range);
  };
  if (const auto* ref = std::get_if<TableRef>(&found)) return array(*ref);
  if (const auto* tuple = std::get_if<Value>(&found); tuple && tuple->is_tuple()) {
    const Entity made = table_of(checker, *tuple, nullptr, source.range);
    if (const auto* ref = std::get_if<TableRef>(&made)) return array(*ref);
    return Unknown{};
  }
  if (!std::holds_alternative<Unknown>(found))
    checker.report(source.range, DiagnosticId::NotATable, describe(found))
        .note("give it a list or an array of the module: `WEIGHTS = np.array([1, 2, 1], dtype=np.float32)`");
  return Unknown{};
}

Value table_value(FunctionChecker& checker, const Table* table, SourceRange range) {
  const Type type = checker.types.of(table->type, ir::AddressSpace::Constant);
  const int index = checker.is_trial || !checker.function ? -1 : constant_array(checker.module, table);
  return TreeBuilder::strong(checker.tree.make(type, range, checked::ConstantArrayRef{index}));
}

}  // namespace pykc::checker
