#include "runtime/cuda/graph.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "runtime/cuda/device.h"

namespace pykc::cuda {

Device& Graph::on() const { return static_cast<Device&>(*device); }

Graph::Graph(std::shared_ptr<detail::DeviceState> owner)
    : GraphState(owner), work_(std::make_shared<Work>(std::move(owner))) {}

Graph::Work::~Work() {
  if (graph == nullptr) return;
  auto& on = static_cast<Device&>(*device);
  const ContextScope scope = on.enter();
  on.driver().cuGraphDestroy(graph);
}

Graph::~Graph() {
  const ContextScope scope = on().enter();
  if (work_->calls_host) on().driver().cuCtxSynchronize();  // before the functions go
  if (executable_ != nullptr) on().driver().cuGraphExecDestroy(executable_);
}

void Graph::keep(const FaultSource* faults) {
  if (std::ranges::find(work_->faults, faults) == work_->faults.end()) work_->faults.push_back(faults);
}

void Graph::keep(std::shared_ptr<detail::ModuleState> module, const FaultSource* faults) {
  if (faults != nullptr) keep(faults);
  if (std::ranges::find(work_->modules, module) == work_->modules.end()) work_->modules.push_back(std::move(module));
}

std::function<void()>* Graph::keep(std::function<void()> function) {
  work_->calls_host = true;
  return work_->functions.emplace_back(std::make_unique<std::function<void()>>(std::move(function))).get();
}

Result<void> Graph::instantiate(CUgraph captured) {
  work_->graph = captured;
  return on().check("cuGraphInstantiateWithFlags",
                    on().driver().cuGraphInstantiateWithFlags(&executable_, captured, 0));
}

Result<void> Graph::launch(detail::StreamState& stream) {
  const ContextScope scope = on().enter();
  const std::lock_guard lock(launching_);
  const CUresult launched = on().driver().cuGraphLaunch(executable_, static_cast<Stream&>(stream).handle());
  RETURN_IF_FAILED(on().check("cuGraphLaunch", launched));
  if (Graph* const outer = static_cast<Stream&>(stream).graph()) {  // a copy of the work has become part of that one
    outer->keep(std::shared_ptr<const void>(work_));
    outer->work_->calls_host |= work_->calls_host;
    for (const FaultSource* faults : work_->faults) outer->keep(faults);
    return {};
  }
  for (const FaultSource* faults : work_->faults) on().faults().note_launch(*faults, &stream);
  return {};
}

/// The driver changes the executable where it can; else another takes its place.
Result<void> Graph::update_executable(CUgraph wanted) {
  CUgraphNode wrong_node = nullptr;
  int why = 0;
  const CUresult updated = on().driver().cuGraphExecUpdate(executable_, wanted, &wrong_node, &why);
  if (updated != CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) return on().check("cuGraphExecUpdate", updated);
  CUgraphExec other = nullptr;
  const CUresult made = on().driver().cuGraphInstantiateWithFlags(&other, wanted, 0);
  RETURN_IF_FAILED(on().check("cuGraphInstantiateWithFlags", made));
  on().driver().cuGraphExecDestroy(std::exchange(executable_, other));
  return {};
}

Result<void> Graph::update(detail::GraphState& other) {
  auto& wanted = static_cast<Graph&>(other);
  const ContextScope scope = on().enter();
  const std::scoped_lock lock(launching_, wanted.launching_);
  if (work_->calls_host && work_ != wanted.work_) {  // earlier launches may still call what goes
    const CUresult waited = on().driver().cuCtxSynchronize();
    RETURN_IF_FAILED(on().check("cuCtxSynchronize", waited));
  }
  RETURN_IF_FAILED(update_executable(wanted.work_->graph));
  work_ = wanted.work_;
  return {};
}

}  // namespace pykc::cuda
