#include "tests/random/blame.h"

#include <functional>
#include <iterator>
#include <optional>

#include "ir/passes/passes.h"
#include "ir/text/parser.h"
#include "tests/random/ptxas.h"

namespace pykc::random_test {
namespace {

using differential::Execution;

/// A way to run the program as some stage leaves it, and the stage that is to blame where this is the first wrong one.
struct Stage {
  std::string name, to_blame;
  std::function<Execution()> run;
};

Execution failed(std::string error) {
  Execution execution;
  execution.error = std::move(error);
  return execution;
}

Execution interpret(Emit emit, const std::string& source, const CompileOptions& options, const Prepared& program) {
  const Result<CompileOutput> output = compile_to(emit, source, options, "case.pyk");
  if (!output) return failed(differential::explain(output.error()));
  std::vector<std::string> errors;
  const std::unique_ptr<ir::Module> module = ir::parse_module(output->text, errors);
  if (!module) return failed(errors.front());
  return differential::run_interpreter(*module, program.launch);
}

/// The passes that to_ir runs on every function for every target, in their order.
struct Pass {
  const char* name;
  void (*run)(ir::Function&);
};
constexpr Pass kPasses[] = {{"promote_locals", [](ir::Function& function) { ir::promote_locals(function); }},
                            {"fold_constants", [](ir::Function& function) { ir::fold_constants(function); }}};

/// Behind the first `count` of them.
Execution interpret_passes(std::size_t count, const std::string& source, const Settings& settings) {
  const Prepared program = prepare(source, settings);
  for (std::size_t i = 0; i < count; ++i)
    for (const auto& function : program.module->functions) kPasses[i].run(*function);
  return differential::run_interpreter(*program.module, program.launch);
}

/// `assembly`: the level of the driver's assembler, for a GPU; none: what the device does by itself.
Execution run_compiled_for(const Device& device, const std::string& source, const CompileOptions& options,
                           const Prepared& program, std::optional<int> assembly) {
  Result<Artifact> artifact = compile(source, options, "case.pyk");
  if (!artifact) return failed(differential::explain(artifact.error()));
  if (assembly) {
    Result<std::string> cubin = assemble(artifact->code, *assembly);
    if (!cubin) return failed(cubin.error().message);
    artifact->code = std::move(*cubin);
  }
  return differential::run_device(device, *artifact, program.launch);
}

std::vector<Stage> stages_of(const std::string& source, const Settings& settings, const Device& device,
                             const Prepared& program) {
  const CompileOptions options = compile_options(settings, device);
  const bool is_cpu = device.info().name == "cpu";
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < std::size(kPasses); ++i)
    stages.push_back({std::string("the interpreter behind ") + kPasses[i].name, kPasses[i].name,
                      [=] { return interpret_passes(i + 1, source, settings); }});
  stages.push_back({"the interpreter behind all passes", "another pass for all targets",
                    [=, &program] { return interpret(Emit::Ir, source, options, program); }});
  if (is_cpu)
    stages.push_back({"the interpreter behind the split at barriers", "the split at barriers, or inlining before it",
                      [=, &program] { return interpret(Emit::CpuIr, source, options, program); }});
  const std::optional<int> unoptimised = is_cpu ? std::nullopt : std::optional(0);
  for (int level = 0; level <= settings.optimization; ++level) {
    CompileOptions at_level = options;
    at_level.optimization = level;
    stages.push_back({device.info().name + " at -O " + std::to_string(level) + (is_cpu ? "" : ", ptxas at 0"),
                      level == 0 ? "code generation, or LLVM's instruction selection"
                                 : "LLVM's optimiser, in what -O " + std::to_string(level) + " adds",
                      [=, &program] { return run_compiled_for(device, source, at_level, program, unoptimised); }});
  }
  if (!is_cpu)
    stages.push_back({device.info().name + ", ptxas at 4", "ptxas",
                      [=, &program] { return run_compiled_for(device, source, options, program, 4); }});
  return stages;
}

std::string blame_on(const std::string& source, const Settings& settings, const Device& device,
                     const Prepared& program) {
  const Execution expected = expected_of(program, source, settings);
  std::string text, to_blame;
  for (const Stage& stage : stages_of(source, settings, device, program)) {
    const bool differs = !difference_in_time(expected, device, program.launch, settings.attempts, stage.run).empty();
    text += "  " + stage.name + ": " + (differs ? "differs" : "the same") + "\n";
    if (differs && to_blame.empty()) to_blame = stage.to_blame;
  }
  return to_blame.empty() ? "" : text + "  to blame: " + to_blame + "\n";
}

}  // namespace

std::string blame(const std::string& source, const Settings& settings, const std::vector<Device>& devices) {
  const Prepared program = prepare(source, settings);
  std::string text;
  for (const Device& device : devices)
    if (program.module) text += blame_on(source, settings, device, program);
  return text;
}

}  // namespace pykc::random_test
