#include "pykc/source_module.h"

#include <algorithm>

#include "base/errors.h"
#include "base/text.h"
#include "driver/driver.h"
#include "jit/source_module_state.h"

namespace pykc {
namespace detail {

Result<void> SourceModuleState::apply(const ConstantSetting& setting, const Module& module) {
  ASSIGN_OR_RETURN(const ConstantMemory memory, module.constant_memory(setting.name, setting.element, setting.count));
  return memory.buffer.copy_from_host(setting.bytes.data(), static_cast<std::int64_t>(setting.bytes.size()));
}

/// One that a module was imported for, but this kernel does not use, is not in its module.
Result<void> SourceModuleState::add(const Module& module) {
  const std::lock_guard lock(setting);
  for (const ConstantSetting& known : settings)
    if (std::ranges::find(module.constants(), known.name, &ConstantInfo::name) != module.constants().end())
      RETURN_IF_FAILED(apply(known, module));
  loaded.push_back(module);
  return {};
}

std::vector<std::string> SourceModuleState::constant_names() const {
  std::vector<std::string> names = host_constant_names(*program.main);
  for (const Program::Imported& imported : program.imports)
    for (const std::string& name : host_constant_names(*imported.module)) names.push_back(imported.name + "." + name);
  return names;
}

Result<void> SourceModuleState::set_constant(ConstantSetting wanted) {
  const std::vector<std::string> names = constant_names();
  if (std::ranges::find(names, wanted.name) == names.end()) {
    const std::string known = list_text(names);
    return Error{ErrorCode::NotFound,
                 "the source has no constant `" + wanted.name + "` that the host sets; " +
                     (known.empty() ? "`" + wanted.name + " = const.array(shape, dtype)` at its top level declares one"
                                    : "it has: " + known)};
  }
  const std::lock_guard lock(setting);
  for (const Module& module : loaded)
    if (std::ranges::find(module.constants(), wanted.name, &ConstantInfo::name) != module.constants().end())
      RETURN_IF_FAILED(apply(wanted, module));
  std::erase_if(settings, [&](const ConstantSetting& other) { return other.name == wanted.name; });
  settings.push_back(std::move(wanted));
  return {};
}

}  // namespace detail

Result<SourceModule> SourceModule::load(const Device& device, const Source& source, const CompileOptions& options) try {
  ASSIGN_OR_RETURN(Program program, driver::load_source(source, options));
  std::shared_ptr<detail::SourceModuleState> state(new detail::SourceModuleState{device, options, std::move(program)});
  for (const NamedKernel& kernel : kernels_of(state->program))
    state->kernels.push_back(
        std::unique_ptr<detail::GenericKernelState>(new detail::GenericKernelState{*state, kernel, Configuration({})}));
  return SourceModule(std::move(state));
} catch (...) {
  return error_in_flight();
}

Result<GenericKernel> SourceModule::kernel(std::string_view name) const try {
  for (const std::unique_ptr<detail::GenericKernelState>& kernel : state_->kernels)
    if (kernel->name() == name) return GenericKernel({state_, kernel.get()});
  return Error{ErrorCode::NotFound,
               "the source has no kernel `" + std::string(name) + "`; it has: " + list_text(kernel_names())};
} catch (...) {
  return error_in_flight();
}

Result<void> SourceModule::set_constant_bytes(std::string_view name, const detail::ConstantElement& element,
                                              std::span<const std::byte> bytes) const try {
  const auto count = static_cast<std::int64_t>(bytes.size()) / element.bytes;
  return state_->set_constant({std::string(name), element, count, {bytes.begin(), bytes.end()}});
} catch (...) {
  return error_in_flight();
}

Result<void> SourceModule::set_constant_bytes(std::string_view name, const ElementType& element,
                                              std::span<const std::byte> bytes) const {
  const bool is_scalar = !element.is_record();
  const ScalarType scalar = is_scalar ? element.scalar : ScalarType::U8;
  return set_constant_bytes(name, detail::ConstantElement{is_scalar, scalar, size_in_bytes(element)}, bytes);
}

std::vector<std::string> SourceModule::kernel_names() const {
  std::vector<std::string> names;
  for (const std::unique_ptr<detail::GenericKernelState>& kernel : state_->kernels) names.push_back(kernel->name());
  return names;
}

}  // namespace pykc
