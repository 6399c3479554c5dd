#include "tests/reference/state.h"

#include <algorithm>
#include <unordered_set>

#include "ir/walk.h"

namespace pykc::reference {
namespace {

using ir::ArrayStorage;
using ir::Function;
using ir::Instruction;

/// `function` and all that it calls, each once, callers first.
class Reachable {
 public:
  explicit Reachable(const Function& function) { add(function); }
  std::vector<const Function*> functions;

 private:
  void add(const Function& function) {
    if (!seen_.insert(&function).second) return;
    functions.push_back(&function);
    ir::for_each_instruction(function.body, [&](const Instruction* instruction) {
      if (instruction->callee != nullptr) add(*instruction->callee);
    });
  }
  std::unordered_set<const Function*> seen_;
};

bool takes_launch_bytes(const ArrayStorage& array) { return array.is_dynamic && array.dynamic_bytes.terms.empty(); }

std::size_t size_of(const ArrayStorage& array, const Launch& launch) {
  if (!array.is_dynamic) return static_cast<std::size_t>(array.count * size_in_bytes(array.element));
  return static_cast<std::size_t>(
      std::max<std::int64_t>(0, array.dynamic_bytes.evaluate(launch.grid, launch.block).value()));
}

}  // namespace

Numbering::Numbering(const Function& function) {
  for (const ir::Local& local : function.locals) numbers_[&local] = size_++;
  ir::for_each_instruction(function.body, [&](const Instruction* instruction) {
    numbers_[instruction] = size_;
    size_ += instruction->callee != nullptr ? instruction->callee->results.size() : 1;
  });
}

// Static arrays, then dynamic ones of a stated size, then one start for all that take the launch's own bytes.
SharedMemory::SharedMemory(const Function& kernel, const Launch& launch) {
  const Reachable reachable(kernel);
  std::size_t end = 0;
  const auto place = [&](auto belongs, bool advance) {
    for (const Function* function : reachable.functions) {
      for (std::size_t i = 0; i < function->shared_arrays.size(); ++i) {
        const ArrayStorage& array = function->shared_arrays[i];
        if (!belongs(array)) continue;
        offsets_[{function, static_cast<std::int64_t>(i)}] = end;
        if (advance) end += round_up(size_of(array, launch), 16);
      }
    }
  };
  place([](const ArrayStorage& array) { return !array.is_dynamic; }, true);
  place([](const ArrayStorage& array) { return array.is_dynamic && !takes_launch_bytes(array); }, true);
  place(takes_launch_bytes, false);
  end += round_up(static_cast<std::size_t>(launch.launch_shared_bytes), 16);
  bytes_.resize(end / sizeof(std::max_align_t) + 1);
  std::memset(bytes_.data(), launch.poison, bytes_.size() * sizeof(std::max_align_t));
}

std::uint64_t SharedMemory::address(const Function& function, std::int64_t index) {
  return bits_of(reinterpret_cast<std::byte*>(bytes_.data()) + offsets_.at({&function, index}));
}

Dim3 index_of(std::int64_t linear, Dim3 extents) {
  return {linear % extents.x, linear / extents.x % extents.y, linear / (extents.x * extents.y)};
}

}  // namespace pykc::reference
