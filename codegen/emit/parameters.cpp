#include "codegen/emit/parameters.h"

#include <algorithm>

#include "codegen/kernel_info.h"
#include "codegen/optimize.h"

namespace pykc::codegen {
namespace {

constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 48;  // ir::Parameter::non_negative: 0 or more, below this

bool is_kernel_bool(const ir::Function& source, const ir::Parameter& parameter) {
  return source.is_kernel && parameter.type.is(ScalarType::Bool);
}

/// noalias speaks of memory that is written: where a parameter is only read, and all that are written are known to
/// reach no other parameter's memory, it holds for the reader too. It is what lets a GPU load through its read-only
/// cache (ld.global.nc).
bool is_unaliased(const ir::Function& source, const ir::Parameter& parameter) {
  if (source.runs_warps_apart && !parameter.read_only) return false;  // other warps write while the function waits
  if (parameter.no_alias) return true;
  return source.is_kernel && parameter.read_only &&
         std::ranges::all_of(source.parameters, [](const ir::Parameter& other) {
           return !other.type.is_pointer() || other.read_only || other.no_alias;
         });
}

void add_pointer_attributes(const ir::Function& source, const ir::Parameter& parameter, llvm::Argument& argument) {
  llvm::AttrBuilder attributes(argument.getContext());
  attributes.addAlignmentAttr(
      static_cast<unsigned>(std::max(parameter.alignment, size_in_bytes(parameter.type.scalar))));
  if (parameter.read_only) attributes.addAttribute(llvm::Attribute::ReadOnly);
  const auto waits_for_writers = [&] { return source.is_kernel && begins_early(source); };
  if (is_unaliased(source, parameter) && !waits_for_writers()) attributes.addAttribute(llvm::Attribute::NoAlias);
  argument.addAttrs(attributes);
}

}  // namespace

llvm::SmallVector<llvm::Type*> parameter_types(const ModuleState& state, const ir::Function& source) {
  llvm::SmallVector<llvm::Type*> types;
  for (const ir::Parameter& parameter : source.parameters)
    types.push_back(is_kernel_bool(source, parameter) ? llvm::Type::getInt8Ty(state.context)
                                                      : value_type(state.context, parameter.type, state.types));
  return types;
}

void add_parameter_attributes(const ir::Function& source, llvm::Function& function) {
  for (unsigned n = 0; n < source.parameters.size(); ++n) {
    const ir::Parameter& parameter = source.parameters[n];
    llvm::Argument& argument = *function.getArg(n);
    argument.setName(parameter.name);
    argument.addAttr(llvm::Attribute::NoUndef);
    if (parameter.type.is_pointer()) add_pointer_attributes(source, parameter, argument);
    if (!source.is_kernel && parameter.type.is_pointer() && parameter.type.space == ir::AddressSpace::Local)
      function.addFnAttr(kTakesLocalArray);
    if (!parameter.non_negative) continue;
    const llvm::ConstantRange range(llvm::APInt(64, 0), llvm::APInt(64, kMaxExtent));
    argument.addAttr(llvm::Attribute::get(function.getContext(), llvm::Attribute::Range, range));
  }
}

std::vector<llvm::Value*> parameter_values(const ir::Function& source, llvm::Function& function,
                                           llvm::IRBuilder<>& builder) {
  std::vector<llvm::Value*> values;
  for (unsigned n = 0; n < source.parameters.size(); ++n) {
    llvm::Value* argument = function.getArg(n);
    values.push_back(is_kernel_bool(source, source.parameters[n]) ? builder.CreateIsNotNull(argument) : argument);
  }
  return values;
}

}  // namespace pykc::codegen
