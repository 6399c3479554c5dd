// Graphs of a GPU: what the driver has captured, and what must live for it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cuda/driver.h"
#include "runtime/cuda/pending_faults.h"
#include "runtime/device.h"

namespace pykc::cuda {

class Device;

class Graph final : public detail::GraphState {
 public:
  using GraphState::GraphState;
  ~Graph() override;
  /// A kernel's module that is part of it, and where the kernel leaves its fault, if it can.
  void keep(std::shared_ptr<detail::ModuleState> module, const FaultSource* faults);
  /// A function that is called by each launch.
  std::function<void()>* keep(std::function<void()> function);
  /// `captured` is the graph's from here on.
  Result<void> instantiate(CUgraph captured);
  Result<void> launch(detail::StreamState& stream) override;

 private:
  Device& on() const;
  std::vector<std::shared_ptr<detail::ModuleState>> modules_;
  std::vector<const FaultSource*> faults_;
  std::vector<std::unique_ptr<std::function<void()>>> functions_;
  std::mutex launching_;  // the driver's graphs are not safe for threads
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
};

}  // namespace pykc::cuda
