// A tensor map tells a GPU's copy unit where an array lies, how large it is, and which boxes of it are copied. The
// source asks for it where it copies, `tensor_map(a, box=(64, 64))`; the hardware takes it from a kernel's parameters,
// where the host has put it. So the functions that ask are copied into their kernels, until each array is seen to be a
// parameter; then the map becomes one more parameter, behind all others.
#include <algorithm>
#include <iterator>
#include <ranges>

#include "ir/passes/inline_calls.h"
#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

constexpr int kMapBytes = 128, kMapAlignment = 64;

/// How far the elements of each axis of a contiguous array of this shape lie apart.
std::vector<std::int64_t> strides_of(const ArrayType& type) {
  std::vector<std::int64_t> strides(type.extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const std::size_t axis = type.layout == Layout::ColumnMajor ? i : strides.size() - 1 - i;
    strides[axis] = stride;
    stride *= type.extents[axis];
  }
  return strides;
}

/// Whether the extents and strides are those that the kernel was passed with the address, or those of its type.
bool is_whole(const std::vector<Instruction*>& array, const ArrayType& type) {
  if (!type.has_static_shape()) {
    for (std::size_t i = 1; i < array.size(); ++i)
      if (array[i]->opcode != Opcode::Parameter || array[i]->index != array[0]->index + static_cast<std::int64_t>(i))
        return false;
    return true;
  }
  std::vector<std::int64_t> stated = type.extents;
  std::ranges::copy(strides_of(type), std::back_inserter(stated));
  return std::ranges::equal(array | std::views::drop(1), stated, [](const Instruction* value, std::int64_t number) {
    return value->opcode == Opcode::Constant && static_cast<std::int64_t>(value->constant) == number;
  });
}

/// The number, among the kernel's parameters as the source has them, of an array that is one of them; -1 for others.
int number_of(const Function& kernel, const std::vector<Instruction*>& array, std::size_t axes) {
  const Instruction& address = *array[0];
  if (address.opcode != Opcode::Parameter) return -1;
  const std::string& name = kernel.parameters[static_cast<std::size_t>(address.index)].name;
  const auto found = std::ranges::find(kernel.kernel.parameters, name, &ParameterInfo::name);
  const bool is_array = found != kernel.kernel.parameters.end() && found->is_array;
  if (!is_array || found->array.extents.size() != axes || !is_whole(array, found->array)) return -1;
  return static_cast<int>(found - kernel.kernel.parameters.begin());
}

/// The parameter that is the map; the same for all who ask for the same.
Instruction* parameter_for(Function& kernel, const TensorMapInfo& wanted) {
  std::vector<TensorMapInfo>& maps = kernel.kernel.tensor_maps;
  const auto known = std::ranges::find(maps, wanted);
  const std::size_t others = kernel.parameters.size() - maps.size();
  const std::size_t number = others + static_cast<std::size_t>(known - maps.begin());
  if (known == maps.end()) {
    Parameter parameter;
    parameter.name = kernel.kernel.parameters[static_cast<std::size_t>(wanted.parameter)].name + ".map" +
                     std::to_string(maps.size());
    parameter.type = Type::pointer(ScalarType::U8, AddressSpace::Parameter);
    parameter.alignment = kMapAlignment;
    parameter.bytes = kMapBytes;
    kernel.parameters.push_back(std::move(parameter));
    maps.push_back(wanted);
  }
  Instruction* value = kernel.create(Opcode::Parameter, kernel.parameters[number].type, kernel.range);
  value->index = static_cast<std::int64_t>(number);
  kernel.body.instructions.insert(kernel.body.instructions.begin(), value);
  return value;
}

}  // namespace

void bind_tensor_maps(Module& module, Diagnostics& diagnostics) {
  const auto is_map = [](const Instruction* i) { return i->opcode == Opcode::TensorMap; };
  if (std::ranges::none_of(module.functions, [&](const auto& f) { return any_instruction(f->body, is_map); })) return;
  inline_calls(module, functions_with(module, Opcode::TensorMap));
  for (const std::unique_ptr<Function>& function : module.functions) {
    if (!any_instruction(function->body, is_map)) continue;
    promote_locals(*function);
    fold_constants(*function);
    std::vector<Instruction*> asking;
    for_each_instruction(function->body, [&](Instruction* i) {
      if (is_map(i)) asking.push_back(i);
    });
    for (Instruction* i : asking) {
      const TensorMapBox& box = function->tensor_maps[static_cast<std::size_t>(i->index)];
      const int array = number_of(*function, i->operands, box.extents.size());
      if (array < 0)
        diagnostics.report(source_of(module, *function, i), i->range, DiagnosticId::TensorMapArray);
      else
        i->operands = {parameter_for(*function, {array, box.extents, box.swizzle})};
    }
  }
}

}  // namespace pykc::ir
