// Graphs of the CPU device: the pieces of work that a stream was given, done one after the other by each launch.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "runtime/device.h"

namespace pykc::cpu {

class Graph final : public detail::GraphState {
 public:
  using Work = std::function<Result<void>(detail::StreamState&)>;
  using GraphState::GraphState;
  void add(Work work) { work_.push_back(std::move(work)); }
  Result<void> launch(detail::StreamState& stream) override {
    for (const Work& work : work_)
      if (Result<void> done = work(stream); !done) return done;
    return {};
  }

 private:
  std::vector<Work> work_;  // no longer changes once the capture has ended
};

}  // namespace pykc::cpu
