// Kernels launched from host code: `vecadd[blocks, threads](z, x, y)`. Each kernel is compiled once for each list of
// argument types, and stays loaded.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/checked/type.h"
#include "frontend/frontend.h"
#include "pykc/configuration.h"
#include "script/functions/functions.h"
#include "script/functions/run.h"
#include "script/values/outcome.h"
#include "script/values/scope.h"
#include "script/values/value.h"

namespace pykc::script {

/// Sets part number `index` of what stands in the brackets: grid, block, stream, bytes of shared memory.
Status set_launch_part(std::size_t index, const Value& value, LaunchShape& shape);

/// Every name of the configurations must make a difference: as a parameter of the kernel, or in the brackets.
Status check_use(const LaunchValue& launch, const std::vector<Configuration>& configurations);

class Launcher {
 public:
  using Scopes = std::map<const ast::Module*, std::unique_ptr<Scope>>;
  /// `scopes` are those of the modules that have run, by then.
  Launcher(const Program& program, Run& run, const Scopes& scopes) : program_(program), run_(run), scopes_(scopes) {}

  Outcome<Value> launch(const LaunchValue& launch, const CallArguments& arguments);
  /// What Run::compile() gives.
  Outcome<CompiledKernel> compile(const FunctionValue& kernel, const std::vector<Value>* arguments);
  /// What `@autotune` lists for the kernel; nothing without one.
  Outcome<const std::vector<Configuration>*> configurations_of(const FunctionValue& kernel);
  /// Applies a `@vectorize` function to every element of its arguments (vectorize.cpp).
  Outcome<Value> map(const FunctionValue& function, const CallArguments& arguments);
  /// Applies a `@guvectorize` function along the outer axes of its arguments (generalized.cpp).
  Outcome<Value> generalize(const FunctionValue& function, const CallArguments& arguments);
  /// Puts the elements of an array together by a `@cuda.reduce` function (cuda_reduce.cpp).
  Outcome<Value> reduce(const FunctionValue& function, const CallArguments& arguments);
  /// Calls a function on the CPU device, in one thread (compiled.cpp).
  Outcome<Value> call_compiled(const FunctionValue& function, const std::vector<Value>& arguments);

 private:
  using ConstantBytes = std::map<std::string, std::vector<std::byte>>;
  struct Loaded {
    Kernel kernel;
    Module module;
    const Scope* home;                         // of the file that was compiled
    bool wraps_integers;                       // those that it is passed
    std::shared_ptr<ConstantBytes> constants;  // what they hold, by name
    Device device;
  };
  /// What a function returns, and where that type is kept.
  struct CallType {
    checked::Type type;
    checked::TypePool types;
  };
  /// A launch as the runtime takes it.
  struct Prepared {
    LaunchConfig config;
    std::vector<Argument> arguments;
    std::vector<ArrayRef> held;  // what arguments point to on the host
  };
  /// What a call asks for, and what it passes at run time. Parameters that configurations set are in neither.
  struct Call {
    KernelRequest request;
    std::vector<Value> passed;
    const Scope& home;  // of the file that it is compiled as
  };
  /// A kernel and the types of its arguments, in a form that is made and compared quickly; empty where there is none.
  using LaunchWords = std::vector<std::uint64_t>;
  static LaunchWords words_of(const FunctionValue& kernel, const CallArguments& arguments);
  Outcome<Call> bind(const FunctionValue& kernel, const std::vector<Configuration>& configurations,
                     const CallArguments& arguments) const;
  Status launch_as(const KernelRequest& request, const LaunchShape& shape, const Call& call,
                   const ast::FunctionDef& kernel);
  /// With the fastest of the configurations (tuned_launch.cpp).
  Status launch_tuned(const LaunchValue& launch, const std::vector<Configuration>& configurations, const Call& call);
  /// The number of the configuration to launch, measured where that is not known. `unfit` is one that has been chosen
  /// before, and cannot be launched.
  Outcome<std::size_t> choose(const LaunchValue& launch, const std::vector<Configuration>& configurations,
                              const Call& call, std::optional<std::size_t> unfit = std::nullopt);
  Outcome<std::size_t> measure(const LaunchValue& launch, const std::vector<Configuration>& configurations,
                               const Call& call, bool anew);
  // Compiled and loaded where they are not yet, and given their constants (loading.cpp).
  /// The kernel `name`, which `module` with the text appended to it knows as the request says.
  Outcome<const Loaded*> kernel_for(const Device& device, const Scope& module, const std::string& name,
                                    const KernelRequest& request, const std::string& appended);
  Outcome<const Loaded*> kernel_for(const Scope& module, const std::string& name, const KernelRequest& request,
                                    const std::string& appended = {});
  /// What `function` returns where the request's kernel, which is in `appended`, calls it. Lives as long as this.
  Outcome<checked::Type> type_of_call(const Scope& module, const std::string& function, const KernelRequest& request,
                                      const std::string& appended);
  Outcome<ElementType> result_of(const FunctionValue& function, const std::vector<Value>& values,
                                 const std::string& question);
  /// In the order of the requests. What is not loaded yet is compiled on all cores.
  std::vector<Result<Loaded>> load_kernels(const Device& device, const Scope& module, const std::string& name,
                                           std::span<const KernelRequest> requests, const std::string& appended = {});
  Outcome<Prepared> prepare_launch(const Loaded& loaded, const LaunchShape& shape, const std::vector<Value>& arguments);
  Status run(const Loaded& loaded, const LaunchShape& shape, const std::vector<Value>& arguments);
  /// Gives the constants of a loaded module what the host's arrays of the same names hold.
  Status set_constants(const Loaded& loaded);
  /// What a constant's name stands for in host code; null where that has not run.
  const ArrayRef* host_array(const std::string& constant, const Scope& scope) const;
  /// The program whose main file is `module`, with further text behind it.
  const Program& program_of(const Scope& module, const std::string& appended = {});

  const Program& program_;
  Run& run_;
  const Scopes& scopes_;
  std::map<std::string, Loaded> kernels_;                     // by name and argument types
  std::map<LaunchWords, const Loaded*> known_;                // the same, of launches without `@autotune`
  std::map<std::string, CallType> call_types_;                // of functions, by the same
  std::map<std::string, std::unique_ptr<Program>> programs_;  // those that are not program_
  std::map<const ast::FunctionDef*, std::vector<Configuration>> configurations_;
  std::map<std::string, std::size_t> choices_;  // of configurations, by all that they were made for
  std::set<std::string> warnings_;              // those told, as texts: specialisations have them in common
};

/// A failure whose message ends with the text of the runtime, or a summary where the text is long and becomes a note.
Failure with_reason(DiagnosticFor<std::string, std::string> id, std::string_view name, const Error& error);

}  // namespace pykc::script
