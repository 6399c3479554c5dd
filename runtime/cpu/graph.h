// Graphs of the CPU device: the pieces of work that streams were given, done one after the other by each launch, in the
// order in which they were captured. A stream waits for an event that is recorded already, so that order is right for
// any fork and join; what is left to find out is whether the capture's first stream comes after all of the work.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/device.h"

namespace pykc::cpu {

class Graph final : public detail::GraphState {
 public:
  using Work = std::function<Result<void>(detail::StreamState&)>;
  /// How many pieces of each stream's work come before a point; streams in the order of their first part in the
  /// capture.
  using Progress = std::vector<std::size_t>;
  using GraphState::GraphState;

  void add(const detail::StreamState& stream, Work work);
  void keep(std::shared_ptr<const void> owner) override { owners_.push_back(std::move(owner)); }
  /// The point that the stream has reached; and lets a stream go on behind such a point.
  Progress progress(const detail::StreamState& stream) { return branch(stream).seen; }
  void wait(const detail::StreamState& stream, const Progress& point);
  /// Whether the first stream comes after all work.
  bool is_joined() const;
  /// The capture has ended.
  void finish();

  Result<void> launch(detail::StreamState& stream) override;
  Result<void> update(detail::GraphState& other) override;

 private:
  struct Branch {
    const detail::StreamState* stream;  // only compared
    std::size_t index;
    Progress seen;
  };
  struct Program {
    std::vector<Work> work;
    std::vector<std::shared_ptr<const void>> owners;
  };
  Branch& branch(const detail::StreamState& stream);
  std::shared_ptr<const Program> program();

  // While it is captured.
  std::vector<Branch> branches_;
  std::vector<Work> work_;
  std::vector<std::shared_ptr<const void>> owners_;

  std::mutex program_mutex_;
  std::shared_ptr<const Program> program_;  // then
  // One launch at a time. A function that the graph calls may launch it once more, so its thread may enter again.
  std::recursive_mutex launching_;
};

}  // namespace pykc::cpu
