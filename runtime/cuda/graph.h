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
  explicit Graph(std::shared_ptr<detail::DeviceState> owner);
  ~Graph() override;
  /// A kernel's module that is part of it, and where the kernel leaves its fault, if it can.
  void keep(std::shared_ptr<detail::ModuleState> module, const FaultSource* faults);
  /// A function that is called by each launch.
  std::function<void()>* keep(std::function<void()> function);
  void keep(std::shared_ptr<const void> owner) override { work_->owners.push_back(std::move(owner)); }
  /// `captured` is the graph's from here on.
  Result<void> instantiate(CUgraph captured);
  Result<void> launch(detail::StreamState& stream) override;
  Result<void> update(detail::GraphState& other) override;

 private:
  /// What was captured and what it uses. A graph that is updated from another shares it.
  struct Work {
    explicit Work(std::shared_ptr<detail::DeviceState> owner) : device(std::move(owner)) {}
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    const std::shared_ptr<detail::DeviceState> device;
    CUgraph graph = nullptr;
    std::vector<std::shared_ptr<detail::ModuleState>> modules;
    std::vector<const FaultSource*> faults;
    std::vector<std::unique_ptr<std::function<void()>>> functions;
    std::vector<std::shared_ptr<const void>> owners;
    bool calls_host = false;  // also by graphs that are part of it
  };
  Device& on() const;
  void keep(const FaultSource* faults);
  Result<void> update_executable(CUgraph wanted);

  std::shared_ptr<Work> work_;
  std::mutex launching_;  // the driver's graphs are not safe for threads
  CUgraphExec executable_ = nullptr;
};

}  // namespace pykc::cuda
