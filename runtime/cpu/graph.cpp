#include "runtime/cpu/graph.h"

#include <algorithm>

#include "base/errors.h"

namespace pykc::cpu {

Graph::Branch& Graph::branch(const detail::StreamState& stream) {
  const auto found = std::ranges::find(branches_, &stream, &Branch::stream);
  if (found != branches_.end()) return *found;
  const std::size_t index = branches_.size();
  return branches_.emplace_back(Branch{&stream, index, Progress(index + 1)});
}

void Graph::add(const detail::StreamState& stream, Work work) {
  Branch& own = branch(stream);
  ++own.seen[own.index];
  work_.push_back(std::move(work));
}

void Graph::wait(const detail::StreamState& stream, const Progress& point) {
  Progress& seen = branch(stream).seen;
  seen.resize(std::max(seen.size(), point.size()));
  for (std::size_t i = 0; i < point.size(); ++i) seen[i] = std::max(seen[i], point[i]);
}

bool Graph::is_joined() const {
  if (branches_.empty()) return true;
  const Progress& seen = branches_.front().seen;
  return std::ranges::all_of(branches_, [&](const Branch& branch) {
    const std::size_t done = branch.seen[branch.index];
    return done == (branch.index < seen.size() ? seen[branch.index] : 0);
  });
}

void Graph::finish() {
  program_ = std::make_shared<const Program>(Program{std::move(work_), std::move(owners_)});
  branches_.clear();
}

std::shared_ptr<const Graph::Program> Graph::program() {
  const std::lock_guard lock(program_mutex_);
  return program_;
}

Result<void> Graph::launch(detail::StreamState& stream) {
  const std::lock_guard lock(launching_);
  const std::shared_ptr<const Program> program = this->program();
  for (const Work& work : program->work) RETURN_IF_FAILED(work(stream));
  if (detail::GraphState* const outer = stream.graph()) outer->keep(program);
  return {};
}

Result<void> Graph::update(detail::GraphState& other) {
  std::shared_ptr<const Program> program = static_cast<Graph&>(other).program();
  const std::lock_guard lock(program_mutex_);
  program_ = std::move(program);
  return {};
}

}  // namespace pykc::cpu
