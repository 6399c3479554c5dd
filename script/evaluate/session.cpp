#include "script/evaluate/session.h"

#include "script/arithmetic/device_operations.h"
#include "script/functions/functions.h"

namespace pykc::script {

Session::Session(const RunOptions& options) : options_(options) {}
Session::~Session() = default;

Outcome<DeviceOperations*> Session::operations() {
  if (!operations_) {
    Result<Device> device = Device::open(options_.device);
    if (!device) return device_failure(device.error());
    operations_ = std::make_unique<DeviceOperations>(*std::move(device), *this);
  }
  return operations_.get();
}

Outcome<Device> Session::device() {
  ASSIGN_OR_RETURN(DeviceOperations* const operations, this->operations());
  return operations->device();
}

Outcome<Value> Session::call(const Value& callee, CallArguments arguments) const {
  return call_(callee, std::move(arguments));
}

Outcome<CompiledKernel> Session::compile(const FunctionValue& kernel, const std::vector<Value>* arguments) const {
  return compile_(kernel, arguments);
}

}  // namespace pykc::script
