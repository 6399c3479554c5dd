#include "script/functions/run.h"

namespace pykc::script {

Outcome<DeviceOperations*> Run::operations() {
  if (!operations_) {
    ASSIGN_OR_RETURN(Device device, outcome_of(Device::open(options_.device)));
    device.set_block_order(options_.seed);
    operations_ = std::make_unique<DeviceOperations>(std::move(device), streams);
  }
  return operations_.get();
}

Outcome<DeviceOperations*> Run::operations_on_host() {
  if (!operations_ && options_.device != "cpu") return static_cast<DeviceOperations*>(nullptr);
  return operations();
}

Outcome<Device> Run::device() {
  ASSIGN_OR_RETURN(DeviceOperations* const operations, this->operations());
  return operations->device();
}

Outcome<Value> Run::call(const Value& callee, CallArguments arguments) const {
  return call_(callee, std::move(arguments));
}

Outcome<CompiledKernel> Run::compile(const FunctionValue& kernel, const std::vector<Value>* arguments) const {
  return compile_(kernel, arguments);
}

}  // namespace pykc::script
