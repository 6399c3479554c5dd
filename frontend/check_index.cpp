#include "frontend/check_body.h"

namespace pykc::checker {

/// The indices between brackets: one, or those of a tuple.
std::optional<std::vector<Value>> Body::index_list(const ast::Expr& index) {
  const Value list = value(index);
  if (!list.known()) return std::nullopt;
  if (!list.is_tuple()) return std::vector<Value>{list};
  return take_apart(list);
}

/// The elements of a tuple that is simple or spelled out, each as a value of its own.
std::vector<Value> Body::take_apart(const Value& tuple) {
  if (!tuple.elements.empty()) return tuple.elements;
  std::vector<Value> elements;
  const auto* spelled = tuple.expr->as<checked::TupleExpr>();
  for (std::size_t i = 0; i < tuple.type().elements.size(); ++i) {
    const Expr* element = spelled ? spelled->elements[i]
                                  : tree_.make(tuple.type().elements[i], tuple.range(),
                                               checked::TupleElement{tuple.expr, static_cast<int>(i)});
    elements.push_back(TreeBuilder::strong(element));
  }
  return elements;
}

Value Body::index_tuple(const Value& tuple, const Value& index, SourceRange range) {
  const auto size = static_cast<Int128>(tuple.type().elements.size());
  if (!index.is_constant() || !is_integer(index.scalar())) {
    report(index.range(), DiagnosticId::NotConstant, "the index of a tuple")
        .note(
            "a tuple's elements may have different types; use `const.array_like` or `local.array` for a variable "
            "index");
    return {};
  }
  Int128 position = integer_of(*index.expr);
  if (position < 0) position += size;
  if (position < 0 || position >= size) {
    report(index.range(), DiagnosticId::IndexOutOfRange,
           std::to_string(static_cast<std::int64_t>(integer_of(*index.expr))), "a tuple",
           std::to_string(static_cast<std::int64_t>(size)));
    return {};
  }
  const auto at = static_cast<std::size_t>(position);
  if (!tuple.elements.empty()) return tuple.elements[at];
  if (const auto* spelled = tuple.expr->as<checked::TupleExpr>()) return TreeBuilder::strong(spelled->elements[at]);
  return TreeBuilder::strong(
      tree_.make(tuple.type().elements[at], range, checked::TupleElement{tuple.expr, static_cast<int>(at)}));
}

Value Body::index(const Value& array, std::vector<Value> indices, SourceRange range) {
  const ArrayType& type = array.type().array;
  if (static_cast<int>(indices.size()) != type.rank()) {
    const std::string name = name_of_array(*array.expr);
    auto diagnostic = report(range, DiagnosticId::IndexCount, name.empty() ? "the array" : "`" + name + "`",
                             std::to_string(type.rank()), std::to_string(indices.size()));
    diagnostic.note("its type is " + checked::to_string(array.type()));
    if (static_cast<int>(indices.size()) < type.rank())
      diagnostic.note("a part of an array is not a value in a kernel yet: index every dimension");
    return {};
  }
  checked::Element element{array.expr, {}, function_ ? function_->options.wraparound : true, -1};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Expr* converted = index_value(array, indices[i], static_cast<int>(i));
    if (!converted) return {};
    element.indices.push_back(converted);
  }
  if (session_.options().checked && !is_trial_ && type.rank() > 0)
    element.bounds_fault = bounds_fault(*array.expr, range);
  return TreeBuilder::strong(tree_.make(checked::Type::of(type.element), range, std::move(element)));
}

const checked::Expr* Body::index_value(const Value& array, const Value& index, int dimension) {
  if (!index.known()) return nullptr;
  if (!index.is_scalar() || !is_integer(index.scalar())) {
    auto diagnostic = report(index.range(), DiagnosticId::IndexType, describe(index));
    if (index.is_scalar()) diagnostic.fix("int(" + std::string(scope_.file().text(index.range())) + ")");
    return nullptr;
  }
  const std::int64_t extent = array.type().array.extents[static_cast<std::size_t>(dimension)];
  if (index.is_constant() && extent != ArrayType::kDynamic) {
    const Int128 position = integer_of(*index.expr);
    if (position >= extent || position < -extent) {
      report(index.range(), DiagnosticId::IndexOutOfRange, scope_.file().text(index.range()),
             "dimension " + std::to_string(dimension) + " of " + checked::to_string(array.type()),
             std::to_string(extent));
      return nullptr;
    }
  }
  warn_of_late_widening(index, ScalarType::I64);
  return tree_.convert(index, ScalarType::I64);
}

std::string Body::name_of_array(const Expr& array) const {
  if (is_trial_) return {};  // nobody reads the message, and arrays have no numbers yet
  if (const auto* ref = array.as<checked::VariableRef>()) return ref->variable->name;
  if (const auto* ref = array.as<checked::ConstantArrayRef>())
    return session_.module().constant_arrays[static_cast<std::size_t>(ref->index)].name;
  if (!output_) return {};
  if (const auto* ref = array.as<checked::SharedArrayRef>())
    return output_->shared_arrays[static_cast<std::size_t>(ref->index)].name;
  if (const auto* ref = array.as<checked::LocalArrayRef>())
    return output_->local_arrays[static_cast<std::size_t>(ref->index)].name;
  return {};
}

/// The fault reports three values: the index, the extent, and the number of the dimension.
int Body::bounds_fault(const Expr& array, SourceRange range) {
  const std::string name = name_of_array(array);
  const SourceFile::LineColumn place = scope_.file().line_column(range.begin);
  return session_.add_fault({"index {0} is out of bounds for dimension {2} of " +
                                 (name.empty() ? std::string("an array") : "`" + name + "`") + " with extent {1}",
                             scope_.file().name(), place.line, place.column});
}

}  // namespace pykc::checker
