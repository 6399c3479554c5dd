#include "tests/random/trial.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "ir/walk.h"
#include "stdlib/builtins.h"
#include "tests/random/ptxas.h"

namespace pykc::random_test {
namespace {

using differential::Case;
using differential::Execution;

constexpr std::int64_t kStepsOfReduced = 20'000'000;
constexpr const char* kStepLimit = "the step limit is reached";  // as the interpreter says it

bool fits(const differential::CaseArgument& argument, const ParameterInfo& parameter) {
  if (argument.is_array != parameter.is_array) return false;
  if (!argument.is_array) return true;
  const ArrayType& array = parameter.array;
  if (argument.layout == Layout::Strided && array.layout != Layout::Strided) return false;
  return array.has_static_shape() ? argument.shape == array.extents
                                  : static_cast<int>(argument.shape.size()) == array.rank();
}

bool fits(const Case& launch, const ir::Function& kernel) {
  const std::vector<ParameterInfo>& parameters = kernel.kernel.parameters;
  return std::ranges::equal(launch.arguments, parameters,
                            [](const auto& argument, const auto& parameter) { return fits(argument, parameter); });
}

/// Of the functions that Math rows name, these are exact, whoever computes them.
bool is_approximate(BuiltinId id) {
  constexpr BuiltinId kExact[] = {BuiltinId::Fmod, BuiltinId::Remainder, BuiltinId::Nextafter, BuiltinId::Ldexp};
  return info(id).cpu.kind == Lowering::Kind::Math && std::ranges::find(kExact, id) == std::end(kExact);
}

bool calls_approximations(const ir::Module& module) {
  return std::ranges::any_of(module.functions, [](const std::unique_ptr<ir::Function>& function) {
    return ir::any_instruction(function->body, [](const ir::Instruction* instruction) {
      return instruction->opcode == ir::Opcode::Builtin && is_approximate(instruction->builtin);
    });
  });
}

bool is_out_of_memory(const std::string& error) {
  return error.find("OUT_OF_MEMORY") != std::string::npos || error.find("has no room") != std::string::npos;
}

/// Processes share the memory of a GPU: who finds none waits until others end.
Execution run_with_memory(const Device& device, const Artifact& artifact, const Case& launch) {
  constexpr int kTrials = 30;
  Execution execution = differential::run_device(device, artifact, launch);
  for (int i = 1; i < kTrials && is_out_of_memory(execution.error); ++i) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    execution = differential::run_device(device, artifact, launch);
  }
  return execution;
}

bool is_gpu(const Device& device) { return device.info().name != "cpu"; }

/// `chip`: the GPU that is to run it.
Result<Artifact> compile_and_assemble(const std::string& source, const CompileOptions& options, const std::string& chip,
                                      const std::string& ptxas) {
  Result<Artifact> artifact = compile(source, options, "case.pyk");
  if (!artifact || ptxas.empty()) return artifact;
  Result<std::string> cubin = assemble_by(ptxas, artifact->code, chip, artifact->assembler_level);
  if (!cubin) return cubin.error();
  artifact->code = *std::move(cubin);
  return artifact;
}

Result<Artifact> compile_for(const Device& device, const std::string& source, const Settings& settings) {
  return compile_and_assemble(source, compile_options(settings, device), device.info().target,
                              is_gpu(device) ? settings.ptxas : std::string());
}

Execution run_compiled(const Device& device, const std::string& source, const Settings& settings, const Case& launch) {
  const Result<Artifact> artifact = compile_for(device, source, settings);
  if (artifact) return run_with_memory(device, *artifact, launch);
  Execution failed;
  failed.error = differential::explain(artifact.error());
  return failed;
}

/// Why the program is no code of a GPU; empty where it is.
std::string fault_of_gpu_code(const std::string& source, const Settings& settings) {
  const std::string chip = gpu_target(settings);
  const Result<Artifact> artifact = compile_and_assemble(source, compile_options(settings, chip), chip, settings.ptxas);
  return artifact ? std::string() : chip + ": " + differential::explain(artifact.error());
}

std::string differences_of(const Prepared& program, const std::string& source, const Settings& settings,
                           const std::vector<Device>& devices) {
  const Execution expected = expected_of(program, source, settings);
  if (is_endless(expected.error)) return expected.error;
  std::string text;
  for (const Device& device : devices)
    text += difference_in_time(expected, device, program.launch, settings.attempts,
                               [&] { return run_compiled(device, source, settings, program.launch); });
  if (std::ranges::none_of(devices, is_gpu)) text += fault_of_gpu_code(source, settings);
  return text;
}

}  // namespace

std::string difference_in_time(const Execution& expected, const Device& device, const Case& launch, int attempts,
                               const std::function<Execution()>& run) {
  for (int i = 0; i < attempts; ++i) {
    const std::string found =
        differential::difference(expected, run(), launch, "the interpreter and " + device.info().name);
    if (!found.empty() || !is_gpu(device)) return found;
  }
  return {};
}

Settings settings_of(std::uint64_t seed) {
  return {.optimization = seed % 8 < 5 ? 3 : static_cast<int>(seed % 8) - 5,
          .checked = seed % 5 == 4,
          .sanitize = seed % 7 == 6};
}

std::string gpu_target(const Settings& settings) { return settings.target.empty() ? "sm_90" : settings.target; }

CompileOptions compile_options(const Settings& settings, const std::string& target) {
  return {
      .target = target,
      .optimization = settings.optimization,
      .checked = settings.checked,
      .sanitize = settings.sanitize ? Sanitize{.races = true, .uninitialised = true, .divergence = true} : Sanitize(),
      .cache = false,
      .warnings = false};
}

CompileOptions compile_options(const Settings& settings, const Device& device) {
  return compile_options(settings, is_gpu(device) && !settings.target.empty() ? settings.target : device.info().target);
}

Prepared prepare(const std::string& source, const Settings& settings) {
  Prepared prepared;
  std::vector<std::string> errors;
  const std::vector<Case> cases = differential::read_cases(source, errors);
  if (cases.size() != 1 || !errors.empty()) {
    prepared.error = "there is not one `# run:` line that reads";
    return prepared;
  }
  prepared.launch = cases[0];
  const CompileOptions options{.checked = settings.checked, .cache = false, .warnings = false};
  prepared.module = differential::compile_to_ir(source, options, prepared.error);
  const ir::Function* kernel = prepared.module ? prepared.module->find(prepared.launch.kernel) : nullptr;
  if (!kernel || !fits(prepared.launch, *kernel)) {
    if (prepared.error.empty()) prepared.error = "the `# run:` line does not fit the kernel";
    prepared.module.reset();
    return prepared;
  }
  differential::bind_records(prepared.launch, kernel->kernel.parameters);
  return prepared;
}

Execution expected_of(const Prepared& program, const std::string& source, const Settings& settings) {
  if (!calls_approximations(*program.module))
    return differential::run_interpreter(*program.module, program.launch, {.step_limit = settings.steps});
  const Device cpu = Device::open("cpu").value();
  const Settings plain{.optimization = 0, .checked = settings.checked};
  return run_compiled(cpu, source, plain, program.launch);
}

bool is_endless(const std::string& wrong) { return wrong.find(kStepLimit) != std::string::npos; }

std::string differences(const std::string& source, const Settings& settings, const std::vector<Device>& devices) {
  const Prepared program = prepare(source, settings);
  return program.module ? differences_of(program, source, settings, devices) : program.error;
}

std::string flaw_of(const std::string& source, const Settings& settings) {
  const Prepared checked = prepare(source, {.optimization = settings.optimization, .checked = true});
  if (!checked.module) return checked.error;
  const differential::Interpretation forward{.step_limit = kStepsOfReduced, .find_races = true};
  const differential::Interpretation backward{.step_limit = kStepsOfReduced, .last_thread_first = true, .poison = 0};
  const differential::Interpretation positive{.step_limit = kStepsOfReduced, .poison = 0x5a};
  const Execution one = differential::run_interpreter(*checked.module, checked.launch, forward);
  if (!one.error.empty()) return one.error;
  for (const differential::Interpretation& how : {backward, positive}) {
    const Execution other = differential::run_interpreter(*checked.module, checked.launch, how);
    const std::string difference =
        differential::difference(one, other, checked.launch, "other threads first, or other bytes in unwritten memory");
    if (!difference.empty()) return difference;
  }
  return {};
}

bool is_right_and_differs(const std::string& source, const Settings& settings, const std::vector<Device>& devices) {
  if (!flaw_of(source, settings).empty()) return false;
  const Prepared program = prepare(source, settings);
  return program.module && !differences_of(program, source, settings, devices).empty();
}

}  // namespace pykc::random_test
