// Kernels compiled and loaded, each once for each list of argument types; and the constants of what is loaded.
#include <map>
#include <span>

#include "base/errors.h"
#include "base/on_all_cores.h"
#include "frontend/checked/tree.h"
#include "frontend/program/function_kind.h"
#include "jit/specialize.h"
#include "script/launch/launcher.h"
#include "script/values/array.h"

namespace pykc::script {
namespace {

std::string key_of(const Device& device, const Scope& module, const KernelRequest& request,
                   const std::string& appended) {
  return device.info().name + module.file().name() + ":" + request.module + "." + request.kernel +
         jit::request_key(request) + appended;
}

/// What is wrong with a kernel for these arguments; or with its file, whatever is launched.
Failure not_compiled(const Program& program, const std::string& name, const KernelRequest& request,
                     std::vector<Diagnostic> causes) {
  Diagnostics of_file;
  check(program, {}, {.warnings = false}, of_file);
  const std::vector<Diagnostic> others = of_file.take();
  const bool is_of_file = !causes.empty() && std::ranges::any_of(others, [&](const Diagnostic& other) {
    return other.severity == Severity::Error && to_text(other) == to_text(causes.back());
  });
  Failure failure =
      fail(DiagnosticId::HostKernelNotCompiled, name, is_of_file ? std::string() : jit::signature_text(request));
  failure.causes = std::move(causes);
  return failure;
}

}  // namespace

const Program& Launcher::program_of(const Scope& module, const std::string& appended) {
  if (appended.empty() && module.module == program_.main.get()) return program_;
  std::unique_ptr<Program>& program = programs_[module.file().name() + appended];
  if (!program) program = std::make_unique<Program>(program_from(program_, *module.module, appended));
  return *program;
}

std::vector<Result<Launcher::Loaded>> Launcher::load_kernels(const Device& device, const Scope& module,
                                                             const std::string& name,
                                                             std::span<const KernelRequest> requests,
                                                             const std::string& appended) {
  std::vector<std::string> keys;
  std::vector<const KernelRequest*> missing;
  std::map<std::string, std::size_t> places;  // in `missing`: several may ask for one kernel
  for (const KernelRequest& request : requests) {
    keys.push_back(key_of(device, module, request, appended));
    if (!kernels_.contains(keys.back()) && places.try_emplace(keys.back(), missing.size()).second)
      missing.push_back(&request);
  }
  struct Compiled {
    std::vector<Diagnostic> warnings;
    Result<Module> module;
  };
  const Program& program = program_of(module, appended);
  const std::vector<Compiled> compiled = on_all_cores(missing.size(), [&](std::size_t i) {
    std::vector<Diagnostic> warnings;
    Result<Module> loaded = jit::specialize(device, program, *missing[i], run_.options().compile, &warnings);
    return Compiled{std::move(warnings), std::move(loaded)};
  });

  const auto keep = [&](const std::string& key, const KernelRequest& request) -> Result<Loaded> {
    if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second;
    const Compiled& made = compiled[places.at(key)];
    if (!made.module) return made.module.error();
    ASSIGN_OR_RETURN(const Kernel kernel, made.module->kernel(name));
    if (run_.options().warning)
      for (const Diagnostic& warning : made.warnings)
        if (warnings_.insert(to_text(warning)).second) run_.options().warning(warning);
    const ast::Module& owner = request.module.empty() ? *module.module : *program_.find(request.module);
    const Loaded loaded{kernel, *made.module, &module, is_numba_kernel(owner, name), std::make_shared<ConstantBytes>(),
                        device};
    return kernels_.emplace(key, loaded).first->second;
  };
  std::vector<Result<Loaded>> all;
  for (std::size_t i = 0; i < requests.size(); ++i) all.push_back(keep(keys[i], requests[i]));
  return all;
}

Outcome<const Launcher::Loaded*> Launcher::kernel_for(const Scope& module, const std::string& name,
                                                      const KernelRequest& request, const std::string& appended) {
  ASSIGN_OR_RETURN(const Device device, run_.device());
  return kernel_for(device, module, name, request, appended);
}

Outcome<checked::Type> Launcher::type_of_call(const Scope& module, const std::string& function,
                                              const KernelRequest& request, const std::string& appended) {
  const std::string key = module.file().name() + ":" + jit::request_key(request) + appended;
  if (const auto found = call_types_.find(key); found != call_types_.end()) return found->second.type;
  Diagnostics diagnostics;
  checked::Module checked = check(program_of(module, appended), {request}, {.warnings = false}, diagnostics);
  if (diagnostics.has_errors())
    return not_compiled(program_of(module, appended), function, request, diagnostics.take());
  checked::Type type;
  for (const checked::Function& candidate : checked.functions)
    if (!candidate.is_kernel && candidate.name == function) type = candidate.result;  // the last calls those before
  return call_types_.emplace(key, CallType{type, std::move(checked.types)}).first->second.type;
}

Outcome<const Launcher::Loaded*> Launcher::kernel_for(const Device& device, const Scope& module,
                                                      const std::string& name, const KernelRequest& request,
                                                      const std::string& appended) {
  const std::string key = key_of(device, module, request, appended);
  if (const auto found = kernels_.find(key); found != kernels_.end()) return &found->second;
  const Result<Loaded> loaded = std::move(load_kernels(device, module, name, {&request, 1}, appended).front());
  if (loaded) return &kernels_.at(key);
  if (loaded.error().code != ErrorCode::InvalidSource)
    return with_reason(DiagnosticId::HostLaunchFailed, name, loaded.error());
  return not_compiled(program_of(module, appended), name, request, loaded.error().diagnostics);
}

const ArrayRef* Launcher::host_array(const std::string& constant, const Scope& scope) const {
  const std::size_t dot = constant.rfind('.');
  const Scope* home = &scope;
  if (dot != std::string::npos) {
    const auto found = scopes_.find(program_.find(constant.substr(0, dot)));
    if (found == scopes_.end()) return nullptr;
    home = found->second.get();
  }
  const auto value = home->names.find(constant.substr(dot + 1));
  return value == home->names.end() ? nullptr : value->second.as<ArrayRef>();
}

Status Launcher::set_constants(const Loaded& loaded) {
  for (const ConstantInfo& constant : loaded.module.constants()) {
    const ArrayRef* array = host_array(constant.name, *loaded.home);
    if (!array) continue;  // its module has not run: nothing can have changed it
    ASSIGN_OR_RETURN(const ArrayRef dense, dense_array(*array));
    ASSIGN_OR_RETURN(const std::byte* const first, dense->read());
    const std::span bytes(first, static_cast<std::size_t>(dense->size() * dense->element_bytes()));
    const Result<Buffer> memory = loaded.module.constant_bytes(constant.name);
    if (!memory) return with_reason(DiagnosticId::HostLaunchFailed, constant.name, memory.error());
    std::vector<std::byte>& present = (*loaded.constants)[constant.name];
    present.resize(static_cast<std::size_t>(memory->bytes()));  // zero at first
    if (bytes.size() != present.size())
      return with_reason(DiagnosticId::HostLaunchFailed, constant.name,
                         invalid_argument("its name is bound to another array"));
    if (std::ranges::equal(bytes, present)) continue;  // a copy would wait for the kernels before
    if (Result<void> done = memory->copy_from_host(bytes.data(), memory->bytes()); !done)
      return with_reason(DiagnosticId::HostLaunchFailed, constant.name, done.error());
    present.assign(bytes.begin(), bytes.end());
  }
  return Done{};
}

}  // namespace pykc::script
