#include "frontend/lower/function.h"

#include "frontend/lower/array.h"
#include "frontend/lower/expr.h"
#include "frontend/lower/record.h"
#include "frontend/lower/stmt.h"
#include "ir/analysis/control_flow.h"

namespace pykc::lowering {
namespace {

const ir::Type kI64 = ir::Type::of(ScalarType::I64);

void append_array_parts(const checked::Type& type, const std::string& prefix, std::vector<PartInfo>& parts) {
  const ElementType& element = type.array.element;
  parts.push_back({prefix, ir::Type::pointer(unit_of(element), type.space), false,
                   element.is_record() ? element.record->alignment : 0});
  if (type.array.has_static_shape()) return;
  for (int i = 0; i < type.array.rank(); ++i) parts.push_back({prefix + ".shape" + std::to_string(i), kI64, true});
  if (!has_strides(type)) return;
  for (int i = 0; i < type.array.rank(); ++i) parts.push_back({prefix + ".stride" + std::to_string(i), kI64, false});
}

void append_parts(const checked::Type& type, const std::string& prefix, std::vector<PartInfo>& parts) {
  switch (type.kind) {
    case checked::Type::Kind::None:
      return;
    case checked::Type::Kind::Scalar:
      parts.push_back({prefix, ir::Type::of(type.scalar), false});
      return;
    case checked::Type::Kind::Array:
      return append_array_parts(type, prefix, parts);
    case checked::Type::Kind::Tuple:
    case checked::Type::Kind::Static:
      for (std::size_t i = 0; i < type.elements.size(); ++i)
        append_parts(type.elements[i], prefix + '.' + std::to_string(i), parts);
      return;
    case checked::Type::Kind::Record: {
      const std::vector<checked::Type> fields = checked::components(type);
      for (std::size_t i = 0; i < fields.size(); ++i)
        append_parts(fields[i], prefix + '.' + type.record->fields[i].name, parts);
    }
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
    const checked::Type& type = variable->type;
    assign(lowering, variable,
           is_by_value(lowering.source, type) ? load(lowering, lowering.build.parameter(index++), type)
                                              : take(parts_of(type).size()));
  }
  if (lowering.source.is_kernel) return;
  for (const DynamicArray& array : lowering.context.dynamic_arrays.handed_to(&lowering.source))
    lowering.handed_arrays.push_back(take(parts_of(array.type()).size()));
}

void create_locals(FunctionLowering& lowering, const checked::Variable* variable, Storage& storage) {
  for (const PartInfo& part : parts_of(variable->type))
    storage.locals.push_back(lowering.target.create_local(name_of(*variable) + part.suffix, part.type));
}

}  // namespace

std::vector<PartInfo> parts_of(const checked::Type& type) {
  std::vector<PartInfo> parts;
  append_parts(type, "", parts);
  return parts;
}

FunctionLowering::FunctionLowering(const checked::Function& source, ir::Function& target, const Context& context)
    : source(source), target(target), context(context), uses(source), build(target) {}

void lower(FunctionLowering& lowering) {
  lowering.build.set_range(lowering.source.range);
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

Parts read(FunctionLowering& lowering, const checked::Variable* variable) {
  Storage& storage = lowering.storage[variable];
  if (!storage.values.empty()) return storage.values;
  if (storage.locals.empty()) create_locals(lowering, variable, storage);
  Parts values;
  for (ir::Local* local : storage.locals) values.push_back(lowering.build.load_local(local));
  return values;
}

Parts lower(FunctionLowering& lowering, const checked::CallFunction& node, const checked::Type&) {
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
