// Kernels launched from host code: `vecadd[blocks, threads](z, x, y)`. Each kernel is compiled once for each list of
// argument types, and stays loaded.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/frontend.h"
#include "script/functions.h"
#include "script/outcome.h"
#include "script/scope.h"
#include "script/session.h"
#include "script/value.h"

namespace pykc::script {

/// What stands in the brackets: grid, block, stream and bytes of shared memory.
Outcome<LaunchValue> launch_configuration(const FunctionValue& kernel, const Value& index);

/// The names of a launch's functions, its kernel and those that it is passed, in one file: that of the kernel where all
/// are of it, else the main file, which imports those of other files by lines behind its text.
class LaunchNames {
 public:
  LaunchNames(const Program& program, const Scope& main, const FunctionValue& kernel,
              const std::vector<Value>& arguments);

  std::string of(const FunctionValue& function);
  const Scope& home() const { return *home_; }
  const std::string& imports() const { return imports_; }

 private:
  const Program& program_;
  const Scope* home_;
  std::string imports_;
};

class Launcher {
 public:
  using Scopes = std::map<const ast::Module*, std::unique_ptr<Scope>>;
  /// `scopes` are those of the modules that have run, by then.
  Launcher(const Program& program, Session& session, const Scopes& scopes)
      : program_(program), session_(session), scopes_(scopes) {}

  Outcome<Value> launch(const LaunchValue& launch, const CallArguments& arguments);
  /// Applies a `@vectorize` function to every element of its arguments (vectorize.cpp).
  Outcome<Value> map(const FunctionValue& function, const CallArguments& arguments);

 private:
  using ConstantBytes = std::map<std::string, std::vector<std::byte>>;
  struct Loaded {
    Kernel kernel;
    Module module;
    const Scope* home;                         // of the file that was compiled
    std::shared_ptr<ConstantBytes> constants;  // what they hold, by name
  };
  /// Compiles and loads what is not loaded yet: the kernel `name`, which `module` with the text appended to it knows as
  /// the request says.
  Outcome<Loaded> kernel_for(const Scope& module, const std::string& name, const KernelRequest& request,
                             const std::string& appended);
  /// The launch's configuration, worked out where `forall` leaves it to the device.
  Outcome<LaunchConfig> configuration(const Kernel& kernel, const LaunchValue& launch);
  Status run(const Loaded& loaded, const LaunchValue& launch, const std::vector<Value>& arguments);
  /// Gives the constants of a loaded module what the host's arrays of the same names hold.
  Status set_constants(const Loaded& loaded);
  /// What a constant's name stands for in host code; null where that has not run.
  const ArrayRef* host_array(const std::string& constant, const Scope& scope) const;
  /// The program whose main file is `module`, with further text behind it.
  const Program& program_of(const Scope& module, const std::string& appended);

  const Program& program_;
  Session& session_;
  const Scopes& scopes_;
  std::map<std::string, Loaded> kernels_;                     // by name and argument types
  std::map<std::string, std::unique_ptr<Program>> programs_;  // those that are not program_
};

/// The specialisation of a kernel for these arguments.
Outcome<KernelRequest> request_for(std::string kernel, const std::vector<Value>& arguments, LaunchNames& names);

}  // namespace pykc::script
