// The variables of a function: every name that it assigns anywhere, as in Python.
#include <algorithm>
#include <map>
#include <utility>

#include "frontend/check/names/scope.h"
#include "frontend/check/types/versions.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {
namespace {

/// How many `if`s that leave count for what stands behind them; what is behind more is taken as it stands.
constexpr int kMostBehind = 64;

/// Whether nothing runs behind the statements.
bool leaves(const ast::Suite& statements) {
  if (statements.empty()) return false;
  const ast::Stmt& last = *statements.back();
  const auto* branch = last.as<ast::If>();
  return last.as<ast::Return>() || last.as<ast::Raise>() || last.as<ast::Break>() || last.as<ast::Continue>() ||
         (branch && leaves(branch->then) && leaves(branch->otherwise));
}

class LocalCollector {
 public:
  enum class Reads : std::uint8_t { Counted, Ignored };

  /// Reads within inner functions count, too: each is walked over for them.
  LocalCollector(LocalTable& table, Reads reads) : table_(table), counts_reads_(reads == Reads::Counted) {}

  /// Parameter number i is local number i, even where a name stands twice (which the parser has reported).
  void parameter(const ast::Parameter& parameter) {
    table_.index.insert_or_assign(parameter.name, static_cast<int>(table_.list.size()));
    table_.list.push_back({.name = parameter.name,
                           .range = parameter.range,
                           .is_parameter = true,
                           .annotation = parameter.annotation.get()});
  }

  void capture(std::string_view name, SourceRange range) {
    table_.index.insert_or_assign(name, static_cast<int>(table_.list.size()));
    table_.list.push_back({.name = name, .range = range, .is_parameter = true});
  }

  void versions(const std::vector<VersionedName>& names) {
    std::map<std::pair<std::string_view, int>, int> known;
    for (const VersionedName& use : names) {
      const auto [entry, is_new] = known.try_emplace({use.name, use.version}, static_cast<int>(table_.list.size()));
      if (is_new) table_.list.push_back({.name = use.name, .range = use.range});
      table_.versions.emplace(use.range.begin, entry->second);
    }
  }

  /// Behind an `if` whose one side leaves, statements count as its other side: a constant may leave them out.
  void suite(const ast::Suite& statements) {
    const int outer = guard_, outer_behind = behind_;
    for (const ast::StmtPtr& stmt : statements) {
      statement(*stmt);
      if (const auto* branch = stmt->as<ast::If>()) behind(*stmt, *branch);
    }
    guard_ = outer;
    behind_ = outer_behind;
  }

  void statement(const ast::Stmt& stmt) {
    ast::for_each_expression(stmt, [&](const ast::Expr& expr) { count_reads(expr); });
    if (const auto* assign = stmt.as<ast::Assign>()) {
      for (const ast::ExprPtr& target : assign->targets) assigned(*target, How::Plain);
      if (const auto* lambda = assign->value->as<ast::Lambda>()) closure(*assign->targets.front(), *lambda->function);
    }
    if (const auto* function = stmt.as<ast::FunctionDef>()) {
      LocalDecl& local = add(function->name, function->name_range);
      ++local.assignments;
      local.closure = function;
      if (counts_reads_)
        for (const std::string_view name : free_names(*function)) ++reads_[name];
    }
    if (const auto* assign = stmt.as<ast::AugmentedAssign>()) assigned(*assign->target, How::Augmented);
    if (const auto* assign = stmt.as<ast::AnnotatedAssign>()) annotated(*assign);
    if (const auto* loop = stmt.as<ast::For>()) assigned(*loop->target, How::Part);
    if (is_site(stmt)) table_.sites.push_back({&stmt, guard_});
    if (const auto* branch = stmt.as<ast::If>()) {
      under_guard(stmt, false, branch->then);
      under_guard(stmt, true, branch->otherwise);
    } else if (const auto* loop = stmt.as<ast::For>()) {
      under_guard(stmt, false, loop->body);
      suite(loop->otherwise);
    } else {
      ast::for_each_nested(stmt, [&](const ast::Stmt& child) { statement(child); });
    }
  }

  void finish() {
    for (LocalDecl& local : table_.list) {
      const auto found = reads_.find(local.name);
      local.reads = found == reads_.end() ? 0 : found->second;
      if (local.assignments != 1 || local.is_parameter) local.closure = nullptr;
    }
  }

 private:
  enum class How : std::uint8_t { Plain, Part, Augmented };

  static bool is_site(const ast::Stmt& stmt) {
    return stmt.as<ast::Assign>() || stmt.as<ast::AugmentedAssign>() || stmt.as<ast::AnnotatedAssign>() ||
           stmt.as<ast::For>() || stmt.as<ast::Return>();
  }

  void closure(const ast::Expr& target, const ast::FunctionDef& function) {
    if (const auto* name = target.as<ast::Name>()) add(name->id, target.range).closure = &function;
  }

  void under_guard(const ast::Stmt& stmt, bool is_otherwise, const ast::Suite& statements) {
    if (statements.empty()) return;
    const int outer = guard_;
    add_guard({&stmt, is_otherwise, outer});
    suite(statements);
    guard_ = outer;
  }

  void behind(const ast::Stmt& stmt, const ast::If& branch) {
    const bool then_leaves = leaves(branch.then), otherwise_leaves = leaves(branch.otherwise);
    if (then_leaves == otherwise_leaves || behind_ == kMostBehind) return;
    ++behind_;
    add_guard({&stmt, then_leaves, guard_, true});
    const ast::Stmt* elif = then_leaves && branch.otherwise.size() == 1 ? branch.otherwise.front().get() : nullptr;
    if (const auto* next = elif ? elif->as<ast::If>() : nullptr) behind(*elif, *next);
  }

  void add_guard(const Guard& guard) {
    guard_ = static_cast<int>(table_.guards.size());
    table_.guards.push_back(guard);
  }

  LocalDecl& add(std::string_view name, SourceRange range) {
    const std::optional<int> known = table_.find(name, range);
    if (known) return table_.list[static_cast<std::size_t>(*known)];
    table_.index.emplace(name, static_cast<int>(table_.list.size()));
    return table_.list.emplace_back(LocalDecl{.name = name, .range = range});
  }

  void assigned(const ast::Expr& target, How how) {
    if (const auto* name = target.as<ast::Name>()) {
      LocalDecl& local = add(name->id, target.range);
      ++local.assignments;
      local.is_plain |= how == How::Plain;
      if (how != How::Augmented) --reads_[name->id];  // count_reads took it for a read
    }
    if (const auto* attribute = target.as<ast::Attribute>()) field_assigned(*attribute);
    if (const auto* tuple = target.as<ast::Tuple>())
      for (const ast::ExprPtr& element : tuple->elements) assigned(*element, How::Part);
    if (const auto* list = target.as<ast::List>())
      for (const ast::ExprPtr& element : list->elements) assigned(*element, How::Part);
    if (const auto* starred = target.as<ast::Starred>()) assigned(*starred->value, How::Part);
  }

  /// `p.x = …` gives the variable p another value.
  void field_assigned(const ast::Attribute& target) {
    const ast::Expr* owner = target.value.get();
    while (const auto* outer = owner->as<ast::Attribute>()) owner = outer->value.get();
    const auto* name = owner->as<ast::Name>();
    const std::optional<int> found = name ? table_.find(name->id, owner->range) : std::nullopt;
    if (found) ++table_.list[static_cast<std::size_t>(*found)].assignments;
  }

  void annotated(const ast::AnnotatedAssign& assign) {
    const auto* name = assign.target->as<ast::Name>();
    if (!name) return;
    assigned(*assign.target, How::Plain);
    LocalDecl& local = add(name->id, assign.target->range);
    if (!assign.value) --local.assignments;
    if (!local.annotation) local.annotation = assign.annotation.get();
  }

  void count_reads(const ast::Expr& expr) {
    if (const auto* name = expr.as<ast::Name>()) ++reads_[name->id];
    ast::for_each_child(expr, [&](const ast::Expr& child) { count_reads(child); });
  }

  LocalTable& table_;
  bool counts_reads_;
  int guard_ = -1;
  int behind_ = 0;  // guards that are behind their `if`, of those around the statement
  std::unordered_map<std::string_view, int> reads_;
};

}  // namespace

std::optional<int> LocalTable::find(std::string_view name, SourceRange at) const {
  if (const auto version = versions.find(at.begin); version != versions.end()) return version->second;
  const auto found = index.find(name);
  return found == index.end() ? std::nullopt : std::optional(found->second);
}

void collect_locals(FunctionDecl& function) {
  LocalTable& table = function.locals;
  if (table.collected) return;
  table.collected = true;
  LocalCollector collector(table, LocalCollector::Reads::Counted);
  for (const ast::Parameter& parameter : function.def->parameters) collector.parameter(parameter);
  for (const std::string_view name : function.captures) collector.capture(name, function.def->name_range);
  // What has one type natively may have another one in Numba's dialect wherever it is assigned anew.
  if (function.dialect == Dialect::Numba) collector.versions(versions_of_names(*function.def));
  collector.suite(function.def->body);
  collector.finish();
}

namespace {

class NameCollector {
 public:
  void statement(const ast::Stmt& stmt) {
    ast::for_each_expression(stmt, [&](const ast::Expr& expr) { expression(expr); });
    ast::for_each_nested(stmt, [&](const ast::Stmt& child) { statement(child); });
    if (const auto* function = stmt.as<ast::FunctionDef>()) all(free_names(*function));
  }
  std::vector<std::string_view> names;

 private:
  void expression(const ast::Expr& expr) {
    if (const auto* name = expr.as<ast::Name>()) add(name->id);
    if (const auto* lambda = expr.as<ast::Lambda>()) return all(free_names(*lambda->function));
    ast::for_each_child(expr, [&](const ast::Expr& child) { expression(child); });
  }
  void all(const std::vector<std::string_view>& list) {
    for (const std::string_view name : list) add(name);
  }
  void add(std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
};

}  // namespace

std::vector<std::string_view> free_names(const ast::FunctionDef& function) {
  LocalTable bound;
  LocalCollector locals(bound, LocalCollector::Reads::Ignored);
  for (const ast::Parameter& parameter : function.parameters) locals.parameter(parameter);
  NameCollector used;
  for (const ast::StmtPtr& stmt : function.body) {
    locals.statement(*stmt);
    used.statement(*stmt);
  }
  std::erase_if(used.names, [&](std::string_view name) { return bound.index.contains(name); });
  return used.names;
}

}  // namespace pykc::checker
