// What one run of host code shares: the device, the output, the random numbers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "pykc/runtime.h"
#include "script/functions/time_limit.h"
#include "script/script.h"
#include "script/values/device_operations.h"
#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

/// A kernel compiled for types of arguments, and what it has been loaded with.
struct CompiledKernel {
  Kernel kernel;
  Module module;
};

class Run {
 public:
  explicit Run(const RunOptions& options) : time(options.timeout, options.overdue), options_(options) {}

  const RunOptions& options() const { return options_; }
  /// The device, opened when it is first needed: a script that launches nothing needs none.
  Outcome<Device> device();
  /// The device as arrays know it; it is there as long as the run.
  Outcome<DeviceOperations*> operations();
  /// The same where the host's memory is the device's, if that is known without opening it; else null.
  Outcome<DeviceOperations*> operations_on_host();
  void print(std::string_view text) const {
    if (options_.print) options_.print(text);
  }
  /// Calls a value, for functions that take functions.
  Outcome<Value> call(const Value& callee, CallArguments arguments) const;
  void set_call(std::function<Outcome<Value>(const Value&, CallArguments)> call) { call_ = std::move(call); }
  /// A kernel for the types of these arguments; without them, for those that its parameters state.
  Outcome<CompiledKernel> compile(const FunctionValue& kernel, const std::vector<Value>* arguments) const;
  using Compile = std::function<Outcome<CompiledKernel>(const FunctionValue&, const std::vector<Value>*)>;
  void set_compile(Compile compile) { compile_ = std::move(compile); }
  TimeLimit time;
  RandomGenerator random;
  StreamState streams;
  std::int64_t memory_limit = 0;  // of arrays on the device; 0: none

 private:
  const RunOptions& options_;
  std::unique_ptr<DeviceOperations> operations_;
  std::function<Outcome<Value>(const Value&, CallArguments)> call_;
  Compile compile_;
};

}  // namespace pykc::script
