#include "frontend/lower/function.h"

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

}  // namespace

std::vector<PartInfo> parts_of(const checked::Type& type) {
  std::vector<PartInfo> parts;
  append_parts(type, "", parts);
  return parts;
}

FunctionLowering::FunctionLowering(const checked::Function& source, ir::Function& target, const Context& context)
    : source_(source), target_(target), context_(context), uses_(source), b_(target) {}

void FunctionLowering::lower() {
  b_.set_range(source_.range);
  bind_parameters();
  if (source_.is_kernel) stop_after_fault();
  lower(source_.body);
  end_function();
}

/// The checker has seen to it that a function with results never ends without a return; where only it can know (a loop
/// that never ends, say), the end is a loop that nobody reaches.
void FunctionLowering::end_function() {
  if (!ir::can_fall_through(target_.body)) return;
  if (target_.results.empty())
    b_.return_();
  else
    b_.loop();
}

void FunctionLowering::bind_parameters() {
  int index = 0;
  const auto take = [&](std::size_t count) {
    Parts values;
    for (; count > 0; --count) values.push_back(b_.parameter(index++));
    return values;
  };
  for (const checked::Variable* variable : source_.parameters) {
    const checked::Type& type = variable->type;
    assign(variable, is_by_value(source_, type) ? load(b_.parameter(index++), type) : take(parts_of(type).size()));
  }
  if (source_.is_kernel) return;
  for (const DynamicArray& array : context_.dynamic_arrays.handed_to(&source_))
    handed_arrays_.push_back(take(parts_of(array.type()).size()));
}

void FunctionLowering::create_locals(const checked::Variable* variable, Storage& storage) {
  for (const PartInfo& part : parts_of(variable->type))
    storage.locals.push_back(target_.create_local(name_of(*variable) + part.suffix, part.type));
}

void FunctionLowering::assign(const checked::Variable* variable, const Parts& values) {
  Storage& storage = storage_[variable];
  if (!uses_.needs_local(variable)) {
    storage.values = values;
    return;
  }
  if (storage.locals.empty()) create_locals(variable, storage);
  for (std::size_t i = 0; i < values.size(); ++i) b_.store_local(storage.locals[i], values[i]);
}

Parts FunctionLowering::read(const checked::Variable* variable) {
  Storage& storage = storage_[variable];
  if (!storage.values.empty()) return storage.values;
  if (storage.locals.empty()) create_locals(variable, storage);
  Parts values;
  for (ir::Local* local : storage.locals) values.push_back(b_.load_local(local));
  return values;
}

Parts FunctionLowering::lower(const checked::CallFunction& node, const checked::Type&) {
  Parts arguments;
  for (const checked::ExprRef argument : node.arguments) {
    const Parts parts = lower(argument);
    arguments.insert(arguments.end(), parts.begin(), parts.end());
  }
  for (const DynamicArray& array : context_.dynamic_arrays.handed_to(node.callee)) {
    const Parts parts = dynamic_array(array);
    arguments.insert(arguments.end(), parts.begin(), parts.end());
  }
  ir::Function* callee = context_.functions.at(node.callee);
  Instruction* call = b_.call(callee, std::move(arguments));
  Parts results;
  for (std::size_t i = 0; i < callee->results.size(); ++i) results.push_back(b_.extract(call, static_cast<int>(i)));
  return results;
}

}  // namespace pykc::lowering
