// checked::Module → ir::Module: first every function's outside, so that calls find their callees, then the bodies.
#include <algorithm>

#include "frontend/frontend.h"
#include "frontend/lower/function.h"
#include "frontend/lower/read_only.h"
#include "ir/analysis/local_ranges.h"

namespace pykc {
namespace {

using lowering::DynamicArray;
using lowering::DynamicArrays;
using lowering::PartInfo;
using Op = LaunchExpression::Op;

constexpr std::int64_t kSharedAlignment = 16;

/// A tuple counts as its elements, one after the other: `t.0`, `t.1`.
void add_parameter_infos(const std::string& name, checked::Type type, std::vector<ParameterInfo>& parameters) {
  if (type.is_tuple() || type.is_static()) {
    for (std::size_t i = 0; i < type->elements.size(); ++i)
      add_parameter_infos(name + "." + std::to_string(i), type->elements[i], parameters);
    return;
  }
  ParameterInfo& parameter = parameters.emplace_back();
  parameter.name = name;
  parameter.is_array = type.is_array();
  if (parameter.is_array)
    parameter.array = type->array;
  else
    parameter.value = type.is_record() ? ElementType(type->record) : type->scalar;
}

void append(LaunchExpression& expression, const LaunchExpression& other) {
  expression.terms.insert(expression.terms.end(), other.terms.begin(), other.terms.end());
}

void append_constant(LaunchExpression& expression, Op op, std::int64_t value) {
  expression.terms.push_back({Op::Constant, value});
  expression.terms.push_back({op, 0});
}

bool can_be_negative(const LaunchExpression& expression) {
  return std::ranges::any_of(expression.terms, [](const LaunchExpression::Term& term) {
    return term.op == Op::Subtract || (term.op == Op::Constant && term.constant < 0);
  });
}

/// The bytes of an array in dynamic shared memory; an extent below 0 counts as 0.
LaunchExpression bytes_of(const checked::SharedArray& array) {
  LaunchExpression bytes;
  if (array.is_beyond_static) bytes.terms.push_back({Op::Constant, array.type.count()});
  for (const LaunchExpression& extent : array.extent_sizes) {
    const bool is_first = bytes.terms.empty();
    append(bytes, extent);
    if (can_be_negative(extent)) append_constant(bytes, Op::Maximum, 0);
    if (!is_first) bytes.terms.push_back({Op::Multiply, 0});
  }
  append_constant(bytes, Op::Multiply, size_in_bytes(array.type.element));
  return bytes;
}

std::int64_t unit_count(const ArrayType& type) { return type.count() * lowering::units_of(type.element); }

ir::ArrayStorage shared_storage(const checked::SharedArray& array) {
  ir::ArrayStorage storage;
  storage.name = array.name;
  storage.element = lowering::unit_of(array.type.element);
  storage.alignment = std::max(storage.alignment, array.alignment);
  storage.declared = array.type;
  storage.is_dynamic = lowering::is_dynamic(array);
  if (!storage.is_dynamic)
    storage.count = unit_count(array.type);
  else if (!array.takes_launch_bytes)
    storage.dynamic_bytes = bytes_of(array);
  return storage;
}

ir::ArrayStorage local_storage(const checked::LocalArray& array) {
  ir::ArrayStorage storage;
  storage.name = array.name;
  storage.element = lowering::unit_of(array.type.element);
  storage.count = unit_count(array.type);
  storage.alignment = std::max(storage.alignment, array.alignment);
  storage.declared = array.type;
  return storage;
}

void append_rounding(LaunchExpression& bytes, std::int64_t to) {
  append_constant(bytes, Op::Add, to - 1);
  append_constant(bytes, Op::FloorDivide, to);
  append_constant(bytes, Op::Multiply, to);
}

/// The sized arrays lie one behind the other, each on its own boundary and rounded up to 16 bytes.
LaunchExpression total_bytes(const std::vector<ir::ArrayStorage>& arrays) {
  LaunchExpression total;
  for (const ir::ArrayStorage& array : arrays) {
    if (array.dynamic_bytes.terms.empty()) continue;
    const bool is_first = total.terms.empty();
    if (!is_first && array.alignment > kSharedAlignment) append_rounding(total, array.alignment);
    append(total, array.dynamic_bytes);
    append_rounding(total, kSharedAlignment);
    if (!is_first) total.terms.push_back({Op::Add, 0});
  }
  return total;
}

void add_record_parameter(ir::Function& target, const std::string& name, const RecordRef& record) {
  ir::Parameter parameter;
  parameter.name = name;
  parameter.type = ir::Type::pointer(lowering::unit_of(record), ir::AddressSpace::Parameter);
  parameter.alignment = record->alignment;
  parameter.bytes = record->bytes;
  target.parameters.push_back(std::move(parameter));
}

void add_parameters(ir::Function& target, const std::string& name, const std::vector<PartInfo>& parts, bool no_alias) {
  for (const PartInfo& part : parts) {
    ir::Parameter parameter;
    parameter.name = name + part.suffix;
    parameter.type = part.type;
    parameter.no_alias = no_alias && part.type.is_pointer();
    parameter.non_negative = part.is_extent;
    parameter.alignment = part.alignment;
    target.parameters.push_back(std::move(parameter));
  }
}

std::string name_of(const DynamicArray& array) { return array.owner->symbol + ".shared" + std::to_string(array.index); }

/// Shared arrays, and for a device function the parameters that stand for dynamic ones.
void declare_shared_arrays(const checked::Function& source, ir::Function& target, const DynamicArrays& dynamic_arrays) {
  for (const checked::SharedArray& array : source.shared_arrays)
    if (source.is_kernel || !lowering::is_dynamic(array)) target.shared_arrays.push_back(shared_storage(array));
  for (const DynamicArray& array : dynamic_arrays.handed_to(&source)) {
    if (source.is_kernel)
      target.shared_arrays.push_back(shared_storage(array.declaration()));
    else
      add_parameters(target, name_of(array), lowering::parts_of(array.declaration().type, ir::AddressSpace::Shared),
                     false);
  }
}

KernelInfo kernel_info(const checked::Function& source, const ir::Function& target) {
  KernelInfo kernel;
  kernel.name = source.name;
  kernel.symbol = source.symbol;
  for (const checked::Variable* variable : source.parameters)
    add_parameter_infos(variable->name, variable->type, kernel.parameters);
  kernel.max_threads_per_block = source.options.max_threads_per_block;
  kernel.dynamic_shared_bytes = total_bytes(target.shared_arrays);
  kernel.uses_launch_shared_bytes = std::ranges::any_of(target.shared_arrays, [](const ir::ArrayStorage& array) {
    return array.is_dynamic && array.dynamic_bytes.terms.empty();
  });
  return kernel;
}

void declare(const checked::Function& source, ir::Function& target, const DynamicArrays& dynamic_arrays) {
  target.name = source.name;
  target.symbol = source.symbol;
  target.is_kernel = source.is_kernel;
  target.range = source.range;
  target.source = source.source;
  target.min_blocks_per_multiprocessor = source.options.min_blocks_per_multiprocessor;
  target.max_registers = source.options.max_registers;
  target.cluster = source.options.cluster;
  target.fast_math = source.options.fast_math;
  target.contract = source.options.contract;
  for (const checked::Variable* variable : source.parameters) {
    if (lowering::is_by_value(source, variable->type))
      add_record_parameter(target, variable->name, variable->type->record);
    else
      add_parameters(target, variable->name, lowering::parts_of(variable->type), source.options.no_alias);
  }
  declare_shared_arrays(source, target, dynamic_arrays);
  for (const PartInfo& part : lowering::parts_of(source.result)) target.results.push_back(part.type);
  for (const checked::LocalArray& array : source.local_arrays) target.local_arrays.push_back(local_storage(array));
  if (source.is_kernel) target.kernel = kernel_info(source, target);
}

void lower_body(const checked::Function& source, ir::Function& target, const lowering::Context& context) {
  lowering::FunctionLowering lowering(source, target, context);
  lower(lowering);
  ir::infer_local_ranges(target);
}

}  // namespace

std::unique_ptr<ir::Module> lower(const checked::Module& source) {
  auto module = std::make_unique<ir::Module>();
  module->name = source.name;
  module->source = source.source;
  module->faults = source.faults;
  for (const checked::ConstantArray& array : source.constant_arrays)
    module->constant_arrays.push_back({array.name, lowering::unit_of(array.type.element), array.bytes, array.host});

  lowering::Context context{{}, DynamicArrays(source), source.stop_fault};
  for (const checked::Function& function : source.functions) {
    ir::Function& target = *module->functions.emplace_back(std::make_unique<ir::Function>());
    declare(function, target, context.dynamic_arrays);
    context.functions[&function] = &target;
  }
  for (const checked::Function& function : source.functions)
    lower_body(function, *context.functions.at(&function), context);
  lowering::mark_read_only_parameters(*module);
  return module;
}

}  // namespace pykc
