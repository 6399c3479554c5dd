// What is known of a value is its Origin: which of the thread's coordinates went into it, and how far it moves from one
// thread to the next. A first walk finds the origins of all variables, whatever the order of the statements; a second
// one looks at the accesses, and knows which axes of the launch have been compared with something before them.
//
// ir/analysis/affine asks the same of the IR, and shares nothing but the question. There a value is computed once, its
// slope is an interval of amounts, and what is not known may move in any way. Here a variable is set again and again,
// in loops too: a few words that can only rise settle soon, where intervals would grow turn by turn; and what is not
// known counts as standing still, since only a warning follows.
//
// Everything errs on the side of silence: a value from memory, from a call or from a remainder has no origin; any
// comparison that mentions a block's coordinate guards its axis.
#include "frontend/check/statements/accesses.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "frontend/checked/walk.h"

namespace pykc::checker {
namespace {

using checked::Expr;
using checked::Suite;
using Axes = std::uint8_t;  // one bit an axis

enum class Distance : std::uint8_t { None, Near, Far };  // from one thread to the next along x

struct Origin {
  Axes threads = 0;  // threadIdx along these axes went into it
  Axes blocks = 0;   // blockIdx, or the size of the grid
  Distance distance = Distance::None;
  friend bool operator==(const Origin&, const Origin&) = default;
};

Origin join(Origin a, Origin b) {
  return {static_cast<Axes>(a.threads | b.threads), static_cast<Axes>(a.blocks | b.blocks),
          std::max(a.distance, b.distance)};
}

constexpr int kRounds = 8;        // of the first walk; a chain of assignments is rarely longer
constexpr std::int64_t kFar = 8;  // elements: beyond this, a warp's accesses fall apart

Origin origin_of(BuiltinId builtin) {
  using enum LaunchCoordinate::Of;
  const std::optional<LaunchCoordinate> coordinate = launch_coordinate(builtin);
  if (!coordinate || coordinate->of == BlockDim) return {};
  const auto axes = static_cast<Axes>(1 << coordinate->axis);
  if (coordinate->of != ThreadIdx) return {0, axes, Distance::None};
  return {axes, 0, coordinate->axis == 0 ? Distance::Near : Distance::None};
}

std::optional<std::int64_t> constant_of(const Expr& expr) {
  const auto* constant = expr.as<checked::Constant>();
  if (constant == nullptr) return std::nullopt;
  return static_cast<std::int64_t>(constant->bits);
}

class Origins {
 public:
  explicit Origins(const Suite& body) {
    for (int round = 0; round < kRounds && changes(body); ++round) {
    }
  }

  Origin of(const Expr& expr) const {
    if (const auto* ref = expr.as<checked::VariableRef>()) return of(ref->variable);
    if (const auto* cast = expr.as<checked::Cast>()) return of(*cast->operand);
    if (const auto* unary = expr.as<checked::Unary>()) return of(*unary->operand);
    if (const auto* let = expr.as<checked::Let>()) return of(*let->body);
    if (const auto* guarded = expr.as<checked::Guarded>()) return of(*guarded->body);
    if (const auto* compare = expr.as<checked::Compare>()) return join(of(*compare->left), of(*compare->right));
    if (const auto* logical = expr.as<checked::Logical>()) return join(of(*logical->left), of(*logical->right));
    if (const auto* binary = expr.as<checked::Binary>()) return of(*binary);
    if (const auto* choice = expr.as<checked::Conditional>()) return of(*choice);
    if (const auto* call = expr.as<checked::CallBuiltin>()) return of(*call);
    return {};
  }

  /// The origin of everything that an expression mentions.
  Origin mentioned_in(const Expr& expr) const {
    Origin origin = of(expr);
    checked::for_each_operand(expr, [&](checked::ExprRef operand) { origin = join(origin, mentioned_in(*operand)); });
    return origin;
  }

 private:
  Origin of(const checked::Variable* variable) const {
    const auto found = origins_.find(variable);
    return found == origins_.end() ? Origin{} : found->second;
  }

  Origin of(const checked::Binary& node) const {
    const Origin left = of(*node.left), right = of(*node.right);
    Origin sum = join(left, right);
    switch (node.op) {
      case checked::BinaryOp::Mul:
      case checked::BinaryOp::Shl:
        sum.distance = scaled(left.distance, *node.right, node.op);
        if (node.op == checked::BinaryOp::Mul)
          sum.distance = std::max(sum.distance, scaled(right.distance, *node.left, node.op));
        return sum;
      case checked::BinaryOp::FloorDiv:
      case checked::BinaryOp::Shr:
        sum.distance = Distance::None;
        return sum;
      case checked::BinaryOp::Mod:  // what is left is as small as the divisor
      case checked::BinaryOp::And:
        return {};
      default:
        return sum;
    }
  }

  static Distance scaled(Distance distance, const Expr& factor, checked::BinaryOp op) {
    if (distance != Distance::Near) return distance;
    const std::optional<std::int64_t> constant = constant_of(factor);
    const std::int64_t far = op == checked::BinaryOp::Shl ? 3 : kFar;
    return constant && *constant > -far && *constant < far ? Distance::Near : Distance::Far;
  }

  /// The condition guards both values.
  Origin of(const checked::Conditional& node) const {
    const Axes guarded = mentioned_in(*node.condition).blocks;
    Origin origin = join(of(*node.then), of(*node.otherwise));
    origin.blocks &= static_cast<Axes>(~guarded);
    return origin;
  }

  Origin of(const checked::CallBuiltin& node) const {
    if (node.builtin == BuiltinId::Max) return join(of(*node.arguments[0]), of(*node.arguments[1]));
    if (node.builtin == BuiltinId::Min)
      return {0, 0, std::max(of(*node.arguments[0]).distance, of(*node.arguments[1]).distance)};
    return origin_of(node.builtin);
  }

  bool changes(const Suite& suite) {
    bool changed = false;
    for (const checked::Stmt* stmt : suite) {
      if (const auto* assign = stmt->as<checked::Assign>()) changed |= add(assign->variable, of(*assign->value));
      // A loop's variable stays below its stop.
      if (const auto* loop = stmt->as<checked::ForRange>())
        changed |= add(loop->variable, {0, 0, of(*loop->start).distance});
      checked::for_each_part(
          *stmt, [&](checked::ExprRef expr) { changed |= add_temporaries(*expr); },
          [&](const Suite& inner) { changed |= changes(inner); });
    }
    return changed;
  }

  bool add_temporaries(const Expr& expr) {
    bool changed = false;
    if (const auto* let = expr.as<checked::Let>()) changed = add(let->variable, of(*let->value));
    checked::for_each_operand(expr, [&](checked::ExprRef operand) { changed |= add_temporaries(*operand); });
    return changed;
  }

  bool add(const checked::Variable* variable, Origin origin) {
    Origin& known = origins_[variable];
    const Origin joined = join(known, origin);
    const bool is_new = joined != known;
    known = joined;
    return is_new;
  }

  std::unordered_map<const checked::Variable*, Origin> origins_;
};

bool leaves(const Suite& suite) {
  if (suite.empty()) return false;
  const checked::Stmt& last = *suite.back();
  const auto* check = last.as<checked::Check>();
  return last.as<checked::Return>() || last.as<checked::Break>() || last.as<checked::Continue>() ||
         (check != nullptr && check->condition == nullptr);
}

class AccessWarnings {
 public:
  AccessWarnings(const checked::Function& kernel, const SourceFile& file, Diagnostics& diagnostics)
      : origins_(kernel.body), file_(file), diagnostics_(diagnostics) {
    walk(kernel.body);
  }

 private:
  struct Guards {
    Axes axes = 0;            // compared with something
    bool one_thread = false;  // only threads with a certain threadIdx.x come here
  };

  /// A comparison guards what follows, too, where it decides who gets there.
  void walk(const Suite& suite) {
    const Guards outer = guards_;
    for (const checked::Stmt* stmt : suite) {
      if (const auto* branch = stmt->as<checked::If>()) {
        walk(*branch);
      } else if (const auto* loop = stmt->as<checked::While>()) {
        look(*loop->condition);
        walk_under(*loop->condition, loop->body);
        walk(loop->otherwise);
      } else {
        checked::for_each_part(
            *stmt, [&](checked::ExprRef expr) { look(*expr); }, [&](const Suite& inner) { walk(inner); });
        if (const auto* check = stmt->as<checked::Check>(); check != nullptr && check->condition != nullptr)
          guard(*check->condition);
        if (const auto* assign = stmt->as<checked::Assign>(); assign != nullptr && limits_itself(*assign))
          guard(*assign->value);
      }
    }
    guards_ = outer;
  }

  /// `i = min(i, n - 1)`: from here on the name stands for something else.
  bool limits_itself(const checked::Assign& assign) const {
    return is_limited(*assign.value) && mentions(*assign.value, assign.variable);
  }

  bool is_limited(const Expr& expr) const {
    if (const auto* cast = expr.as<checked::Cast>()) return is_limited(*cast->operand);
    if (const auto* choice = expr.as<checked::Conditional>())
      return origins_.mentioned_in(*choice->condition).blocks != 0;
    const auto* call = expr.as<checked::CallBuiltin>();
    if (call == nullptr) return false;
    if (call->builtin == BuiltinId::Min) return true;
    return call->builtin == BuiltinId::Max &&
           std::ranges::any_of(call->arguments, [&](checked::ExprRef argument) { return is_limited(*argument); });
  }

  static bool mentions(const Expr& expr, const checked::Variable* variable) {
    const auto* ref = expr.as<checked::VariableRef>();
    bool found = ref != nullptr && ref->variable == variable;
    checked::for_each_operand(expr, [&](checked::ExprRef operand) { found |= mentions(*operand, variable); });
    return found;
  }

  void walk(const checked::If& branch) {
    look(*branch.condition);
    walk_under(*branch.condition, branch.then);
    walk_under(*branch.condition, branch.otherwise);
    if (leaves(branch.then) || leaves(branch.otherwise)) guard(*branch.condition);
  }

  void walk_under(const Expr& condition, const Suite& suite) {
    const Guards outer = guards_;
    guard(condition);
    walk(suite);
    guards_ = outer;
  }

  void guard(const Expr& condition) {
    guards_.axes |= origins_.mentioned_in(condition).blocks;
    guards_.one_thread |= names_one_thread(condition);
  }

  bool names_one_thread(const Expr& condition) const {
    const auto* compare = condition.as<checked::Compare>();
    if (compare != nullptr)
      return compare->op == checked::CompareOp::Eq && (origins_.mentioned_in(condition).threads & 1) != 0;
    bool found = false;
    checked::for_each_operand(condition, [&](checked::ExprRef operand) { found |= names_one_thread(*operand); });
    return found;
  }

  /// Every access of an expression; the right side of `and` and `or`, and what a condition chooses, are guarded.
  void look(const Expr& expr) {
    if (const auto* logical = expr.as<checked::Logical>()) return look_under(*logical->left, {logical->right});
    if (const auto* choice = expr.as<checked::Conditional>())
      return look_under(*choice->condition, {choice->then, choice->otherwise});
    if (const auto* element = expr.as<checked::Element>()) look(*element, expr.range);
    checked::for_each_operand(expr, [&](checked::ExprRef operand) { look(*operand); });
  }

  void look_under(const Expr& condition, std::initializer_list<checked::ExprRef> guarded) {
    look(condition);
    const Guards outer = guards_;
    guard(condition);
    for (const checked::ExprRef expr : guarded) look(*expr);
    guards_ = outer;
  }

  void look(const checked::Element& element, SourceRange range) {
    const auto* array = element.array->as<checked::VariableRef>();
    if (array == nullptr || !array->variable->is_parameter || element.indices.empty()) return;
    warn_of_missing_guard(element, *array->variable, range);
    warn_of_distance(element, *array->variable, range);
  }

  /// Once a kernel: the first access tells it all.
  void warn_of_missing_guard(const checked::Element& element, const checked::Variable& array, SourceRange range) {
    for (std::size_t i = 0; i < element.indices.size() && !has_warned_of_guard_; ++i) {
      const Origin origin = origins_.of(*element.indices[i]);
      const int open = origin.threads & origin.blocks & ~guards_.axes;
      if (open == 0) continue;
      has_warned_of_guard_ = true;
      const std::string extent =
          array.type->array.rank() == 1 ? "len(" + array.name + ")" : array.name + ".shape[" + std::to_string(i) + "]";
      const std::string index(file_.text(element.indices[i]->range));
      diagnostics_.report(file_, range, DiagnosticId::UnguardedAccess, file_.text(range))
          .note("a launch has whole blocks of threads, often more than there are elements")
          .note("test it first: `if " + index + " < " + extent + ":`");
    }
  }

  /// Once an array.
  void warn_of_distance(const checked::Element& element, const checked::Variable& array, SourceRange range) {
    const ArrayType& type = array.type->array;
    if (type.layout == Layout::Strided || guards_.one_thread || warned_of_distance_.contains(&array)) return;
    const bool is_row_major = type.layout == Layout::RowMajor;
    const std::size_t fastest = is_row_major ? element.indices.size() - 1 : 0;
    const Expr& fast = *element.indices[fastest];
    const Distance along = origins_.of(fast).distance;
    const bool moves_elsewhere = std::ranges::any_of(element.indices, [&](checked::ExprRef index) {
      return index != &fast && origins_.of(*index).distance != Distance::None;
    });
    const bool skips = along == Distance::None && moves_elsewhere && !constant_of(fast);
    if (!skips && along != Distance::Far) return;
    warned_of_distance_.insert(&array);
    auto report = diagnostics_.report(file_, range, DiagnosticId::UncoalescedAccess, file_.text(range));
    if (skips)
      report.note("`threadIdx.x` goes to the next thread of a warp; `" + array.name + "` is " +
                  (is_row_major ? "row-major: its last index" : "column-major: its first index") +
                  " goes to the next element, so let that one depend on `threadIdx.x`");
    else
      report.note(
          "the index moves by many elements from one thread to the next; let neighbours take neighbours, as in "
          "`for i in range(grid(1), n, gridsize(1))`");
  }

  const Origins origins_;
  const SourceFile& file_;
  Diagnostics& diagnostics_;
  Guards guards_;
  bool has_warned_of_guard_ = false;
  std::unordered_set<const checked::Variable*> warned_of_distance_;
};

}  // namespace

void warn_of_accesses(const checked::Function& kernel, const SourceFile& file, Diagnostics& diagnostics) {
  AccessWarnings(kernel, file, diagnostics);
}

}  // namespace pykc::checker
