#include "runtime/cuda/cuda_graph.h"

#include <algorithm>

#include "runtime/cuda/cuda_device.h"

namespace pykc::cuda {

Device& Graph::on() const { return static_cast<Device&>(*device); }

Graph::~Graph() {
  const ContextScope scope = on().enter();
  if (!functions_.empty()) on().driver().cuCtxSynchronize();  // before they go
  if (executable_ != nullptr) on().driver().cuGraphExecDestroy(executable_);
  if (graph_ != nullptr) on().driver().cuGraphDestroy(graph_);
}

void Graph::keep(std::shared_ptr<detail::ModuleState> module, const FaultSource* faults) {
  if (faults != nullptr && std::ranges::find(faults_, faults) == faults_.end()) faults_.push_back(faults);
  if (std::ranges::find(modules_, module) == modules_.end()) modules_.push_back(std::move(module));
}

std::function<void()>* Graph::keep(std::function<void()> function) {
  return functions_.emplace_back(std::make_unique<std::function<void()>>(std::move(function))).get();
}

Result<void> Graph::instantiate(CUgraph captured) {
  graph_ = captured;
  return on().check("cuGraphInstantiateWithFlags", on().driver().cuGraphInstantiateWithFlags(&executable_, graph_, 0));
}

Result<void> Graph::launch(detail::StreamState& stream) {
  const ContextScope scope = on().enter();
  const std::lock_guard lock(launching_);
  const CUresult launched = on().driver().cuGraphLaunch(executable_, static_cast<Stream&>(stream).handle());
  if (Result<void> done = on().check("cuGraphLaunch", launched); !done) return done;
  for (const FaultSource* faults : faults_) on().faults().note_launch(*faults, &stream);
  return {};
}

}  // namespace pykc::cuda
