#include "script/functions/session.h"

namespace pykc::script {

Outcome<DeviceOperations*> Session::operations() {
  if (!operations_) {
    ASSIGN_OR_RETURN(Device device, outcome_of(Device::open(options_.device)));
    operations_ = std::make_unique<DeviceOperations>(std::move(device), streams);
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
