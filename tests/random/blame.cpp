#include "tests/random/blame.h"

#include <functional>

#include "ir/parser.h"

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

Execution run_compiled_for(const Device& device, const std::string& source, const CompileOptions& options,
                           const Prepared& program) {
  const Result<Artifact> artifact = compile(source, options, "case.pyk");
  return artifact ? differential::run_device(device, *artifact, program.launch)
                  : failed(differential::explain(artifact.error()));
}

std::vector<Stage> stages_of(const std::string& source, const Settings& settings, const Device& device,
                             const Prepared& program) {
  const CompileOptions options = compile_options(settings, device);
  const bool is_cpu = device.info().name == "cpu";
  std::vector<Stage> stages;
  stages.push_back({"the interpreter behind the passes for all targets", "a pass that is behind lowering",
                    [=, &program] { return interpret(Emit::Ir, source, options, program); }});
  if (is_cpu)
    stages.push_back({"the interpreter behind the split at barriers", "the split at barriers, or inlining before it",
                      [=, &program] { return interpret(Emit::CpuIr, source, options, program); }});
  for (int level = 0; level <= settings.optimization; ++level) {
    CompileOptions at_level = options;
    at_level.optimization = level;
    stages.push_back({device.info().name + " at -O " + std::to_string(level),
                      level == 0 ? "code generation, or LLVM's instruction selection"
                                 : "LLVM's optimiser, in what -O " + std::to_string(level) + " adds",
                      [=, &program] { return run_compiled_for(device, source, at_level, program); }});
  }
  return stages;
}

std::string blame_on(const std::string& source, const Settings& settings, const Device& device,
                     const Prepared& program) {
  const Execution expected = expected_of(program, source, settings);
  std::string text, to_blame;
  for (const Stage& stage : stages_of(source, settings, device, program)) {
    const bool differs = !differential::difference(expected, stage.run(), program.launch, "").empty();
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
