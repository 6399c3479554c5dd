#include "frontend/lower/function.h"

#include "frontend/lower/array.h"
#include "frontend/lower/expr.h"
#include "frontend/lower/record.h"
#include "frontend/lower/stmt.h"
#include "ir/analysis/control_flow.h"

namespace pykc::lowering {
namespace {

const ir::Type kI64 = ir::Type::of(ScalarType::I64);

void append_parts(const ArrayType& array, ir::AddressSpace space, const std::string& prefix,
                  std::vector<PartInfo>& parts) {
  const ElementType& element = array.element;
  parts.push_back(
      {prefix, ir::Type::pointer(unit_of(element), space), false, element.is_record() ? element.record->alignment : 0});
  if (array.has_static_shape()) return;
  for (int i = 0; i < array.rank(); ++i) parts.push_back({prefix + ".shape" + std::to_string(i), kI64, true});
  if (!has_strides(array)) return;
  for (int i = 0; i < array.rank(); ++i) parts.push_back({prefix + ".stride" + std::to_string(i), kI64, false});
}

void append_parts(const ElementType& element, const std::string& prefix, std::vector<PartInfo>& parts);

/// Of a field that is an array, the parts of its elements from this dimension on.
void append_parts(const RecordField& field, std::size_t dimension, const std::string& prefix,
                  std::vector<PartInfo>& parts) {
  if (dimension == field.extents.size()) return append_parts(field.type, prefix, parts);
  for (std::int64_t i = 0; i < field.extents[dimension]; ++i)
    append_parts(field, dimension + 1, prefix + '.' + std::to_string(i), parts);
}

void append_parts(const ElementType& element, const std::string& prefix, std::vector<PartInfo>& parts) {
  if (!element.is_record()) return parts.push_back({prefix, ir::Type::of(element.scalar), false});
  for (const RecordField& field : element.record->fields) append_parts(field, 0, prefix + '.' + field.name, parts);
}

void append_parts(checked::Type type, const std::string& prefix, std::vector<PartInfo>& parts) {
  switch (type->kind) {
    case checked::Type::Kind::None:
      return;
    case checked::Type::Kind::Scalar:
      return append_parts(type->scalar, prefix, parts);
    case checked::Type::Kind::Record:
      return append_parts(type->record, prefix, parts);
    case checked::Type::Kind::Array:
      return append_parts(type->array, type->space, prefix, parts);
    case checked::Type::Kind::Tuple:
    case checked::Type::Kind::Static:
      for (std::size_t i = 0; i < type->elements.size(); ++i)
        append_parts(type->elements[i], prefix + '.' + std::to_string(i), parts);
  }
}

/// The checker has seen to it that a function with results never ends without a return; where only it can know (a loop
/// that never ends, say), the end is a loop that nobody reaches.
void end_function(FunctionLowering& lowering) {
  if (!ir::can_fall_through(lowering.target.body)) return;
  if (lowering.target.results.empty())
    lowering.build.return_();
  else
    lowering.build.loop();
}

void bind_parameters(FunctionLowering& lowering) {
  int index = 0;
  const auto take = [&](std::size_t count) {
    Parts values;
    for (; count > 0; --count) values.push_back(lowering.build.parameter(index++));
    return values;
  };
  for (const checked::Variable* variable : lowering.source.parameters) {
    const checked::Type type = variable->type;
    assign(lowering, variable,
           is_by_value(lowering.source, type) ? load(lowering, lowering.build.parameter(index++), type)
                                              : take(parts_of(type).size()));
  }
  if (lowering.source.is_kernel) return;
  for (const DynamicArray& array : lowering.context.dynamic_arrays.handed_to(&lowering.source))
    lowering.handed_arrays.push_back(take(parts_of(array.declaration().type, ir::AddressSpace::Shared).size()));
}

void create_locals(FunctionLowering& lowering, const checked::Variable* variable, Storage& storage) {
  for (const PartInfo& part : parts_of(variable->type))
    storage.locals.push_back(lowering.target.create_local(name_of(*variable) + part.suffix, part.type));
}

}  // namespace

std::vector<PartInfo> parts_of(checked::Type type) {
  std::vector<PartInfo> parts;
  append_parts(type, "", parts);
  return parts;
}

std::vector<PartInfo> parts_of(const ArrayType& array, ir::AddressSpace space) {
  std::vector<PartInfo> parts;
  append_parts(array, space, "", parts);
  return parts;
}

std::vector<PartInfo> parts_of(const RecordField& field) {
  std::vector<PartInfo> parts;
  append_parts(field, 0, "", parts);
  return parts;
}

FunctionLowering::FunctionLowering(const checked::Function& source, ir::Function& target, const Context& context)
    : source(source), target(target), context(context), uses(source), build(target) {}

void lower(FunctionLowering& lowering) {
  lowering.range = lowering.source.range;  // of what no statement says
  lowering.build.set_range(lowering.range);
  bind_parameters(lowering);
  if (lowering.source.is_kernel) stop_after_fault(lowering);
  lower(lowering, lowering.source.body);
  end_function(lowering);
}

void assign(FunctionLowering& lowering, const checked::Variable* variable, const Parts& values) {
  Storage& storage = lowering.storage[variable];
  if (!lowering.uses.needs_local(variable)) {
    storage.values = values;
    return;
  }
  if (storage.locals.empty()) create_locals(lowering, variable, storage);
  for (std::size_t i = 0; i < values.size(); ++i) lowering.build.store_local(storage.locals[i], values[i]);
}

Parts read(FunctionLowering& lowering, const checked::Variable* variable, std::size_t first, std::size_t count) {
  Storage& storage = lowering.storage[variable];
  if (storage.values.empty() && storage.locals.empty()) create_locals(lowering, variable, storage);
  Parts values;
  const std::size_t size = std::max(storage.values.size(), storage.locals.size());
  for (std::size_t i = first; i < size && i - first < count; ++i)
    values.push_back(storage.values.empty() ? lowering.build.load_local(storage.locals[i]) : storage.values[i]);
  return values;
}

Parts lower(FunctionLowering& lowering, const checked::CallFunction& node, checked::Type) {
  Parts arguments;
  for (const checked::ExprRef argument : node.arguments) {
    const Parts parts = lower(lowering, argument);
    arguments.insert(arguments.end(), parts.begin(), parts.end());
  }
  for (const DynamicArray& array : lowering.context.dynamic_arrays.handed_to(node.callee)) {
    const Parts parts = dynamic_array(lowering, array);
    arguments.insert(arguments.end(), parts.begin(), parts.end());
  }
  ir::Function* callee = lowering.context.functions.at(node.callee);
  Instruction* call = lowering.build.call(callee, std::move(arguments));
  Parts results;
  for (std::size_t i = 0; i < callee->results.size(); ++i)
    results.push_back(lowering.build.extract(call, static_cast<int>(i)));
  return results;
}

}  // namespace pykc::lowering
