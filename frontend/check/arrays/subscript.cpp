#include "frontend/check/arrays/subscript.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/check/arrays/constant_array.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/view.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/expressions/text.h"
#include "frontend/check/names/class.h"

namespace pykc::checker {
namespace {

bool are_positions(const std::vector<IndexItem>& items) {
  return std::ranges::all_of(items, [](const IndexItem& item) { return item.kind == IndexItem::Kind::Position; });
}

bool is_field(FunctionChecker& checker, const ast::Expr& expr) {
  const auto* subscript = expr.as<ast::Subscript>();
  return expr.as<ast::Attribute>() || (subscript && constant_text(checker, *subscript->index));
}

/// What the subscripts so far have taken out of a value. `a[i][j]` is `a[i, j]`: positions wait until each axis has
/// one, so that no view is made between them. Unknown after an error.
class Part {
 public:
  Part(FunctionChecker& checker, Value value, SourceRange range)
      : checker_(checker), value_(std::move(value)), range_(range) {}

  /// `a.x[i]` is `a[i].x` where no array is the field of all records.
  void take_later(std::string_view field, SourceRange field_range) { field_ = Field{std::string(field), field_range}; }

  void take(const ast::Subscript& subscript, bool is_last) {
    if (!value_.known()) return;
    const std::optional<std::string> name = constant_text(checker_, *subscript.index);
    if (name && !is_last && !field_ && waiting_.empty() && has_field_of_elements(value_, *name))
      return take_later(*name, subscript.index->range);
    if (value_.is_record() || name) {
      if (!waiting_.empty()) select_waiting();
      if (value_.known()) value_ = index_by_name(checker_, value_, *subscript.index, range_);
      return;
    }
    std::optional<std::vector<IndexItem>> items = index_items(checker_, *subscript.index);
    if (!items) {
      value_ = {};
      return;
    }
    if (field_) {
      take_from_field(*items, is_last);
      if (items->empty()) return;
    }
    const bool may_join = are_positions(*items) && waiting_.size() + items->size() <= rank();
    if (!waiting_.empty() && !may_join) select_waiting();
    if (!value_.known()) return;
    if (value_.is_tuple()) return take_from_tuple(subscript, *items);
    if (!value_.is_array()) return report_not_indexable(subscript);
    const bool waits = !is_last && are_positions(*items) && waiting_.size() + items->size() < rank();
    std::ranges::move(*items, std::back_inserter(waiting_));
    if (!waits) select_waiting();
  }

  Entity entity() const {
    if (!value_.known()) return Unknown{};
    return value_;
  }

 private:
  struct Field {
    std::string name;
    SourceRange range;
  };

  /// The element that positions stand for, once each axis has one, and its field; what is left is for this.
  void take_from_field(std::vector<IndexItem>& items, bool is_last) {
    const std::size_t count = std::min(items.size(), rank() - waiting_.size());
    const auto own = items.begin() + static_cast<std::ptrdiff_t>(count);
    waiting_.insert(waiting_.end(), items.begin(), own);
    items.erase(items.begin(), own);
    const bool is_whole = waiting_.size() == rank();
    if (!are_positions(waiting_) || (is_last && !is_whole)) {
      value_ = to_value(checker_, field_view(checker_, value_, field_->name, field_->range, field_->range), range_);
      items.clear();
    } else if (is_whole) {
      select_waiting();
      const auto [name, name_range] = *std::exchange(field_, std::nullopt);
      if (value_.known()) value_ = field_of_element(checker_, value_, name, name_range, range_);
    }
  }

  std::size_t rank() const { return value_.is_array() ? value_.type()->array.extents.size() : 0; }

  void select_waiting() { value_ = select(checker_, value_, std::exchange(waiting_, {}), range_); }

  void report_not_indexable(const ast::Subscript& subscript) {
    checker_.report(subscript.value->range, DiagnosticId::NotIndexable, describe(value_));
    value_ = {};
  }

  /// Of a field that is an array, `r.field[i, j]`, there may be several.
  void take_from_tuple(const ast::Subscript& subscript, const std::vector<IndexItem>& items) {
    if (!is_field(checker_, *subscript.value) && items.size() != 1) {
      checker_.report(subscript.index->range, DiagnosticId::IndexCount, "a tuple", 1, items.size());
      value_ = {};
      return;
    }
    for (const IndexItem& item : items) {
      if (!value_.known()) return;
      if (!value_.is_tuple()) return report_not_indexable(subscript);
      value_ = index_tuple(checker_, value_, item, range_);
    }
  }

  FunctionChecker& checker_;
  Value value_;
  const SourceRange range_;
  std::vector<IndexItem> waiting_;
  std::optional<Field> field_;
};

}  // namespace

Entity subscript(FunctionChecker& checker, const ast::Subscript& node, SourceRange range) {
  std::vector<const ast::Subscript*> chain{&node};  // from the outside in
  while (const auto* inner = chain.back()->value->as<ast::Subscript>()) chain.push_back(inner);
  const auto* attribute = chain.back()->value->as<ast::Attribute>();
  if (attribute && !attribute->value->as<ast::Name>()) attribute = nullptr;
  Entity base = checker.entity(attribute ? *attribute->value : *chain.back()->value);
  if (attribute) {
    const Value* owner = std::get_if<Value>(&base);
    if (!owner || !has_field_of_elements(*owner, attribute->name)) {
      attribute = nullptr;
      base = checker.entity(*chain.back()->value);
    }
  }
  const SourceRange base_range = chain.back()->value->range;
  if (std::holds_alternative<FunctionRef>(base)) {
    checker.report(range, DiagnosticId::LaunchInKernel, checker.scope.file().text(base_range))
        .note("call a function with `@device`: every thread of this kernel runs it");
    return Unknown{};
  }
  if (const auto* type = std::get_if<ClassRef>(&base))
    if (const auto* member = node.index->as<ast::StringLiteral>(); member && chain.size() == 1)
      return class_member(checker, *type->decl, member->value, node.index->range);
  while (!checker.function && !chain.empty() && std::holds_alternative<TableRef>(base)) {
    base = index_constants(checker, *std::get<TableRef>(base).table, *chain.back()->index, range);
    chain.pop_back();
  }
  if (chain.empty() || std::holds_alternative<Unknown>(base)) return base;
  Part part(checker, to_value(checker, std::move(base), chain.back()->value->range), range);
  if (attribute) part.take_later(attribute->name, attribute->name_range);
  for (auto subscript = chain.rbegin(); subscript != chain.rend(); ++subscript)
    part.take(**subscript, subscript + 1 == chain.rend());
  return part.entity();
}

}  // namespace pykc::checker
