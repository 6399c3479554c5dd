// A function on a stack of its own, which runs until it waits and goes on from there.
#pragma once

#include <cstddef>
#include <memory>

namespace pykc::cpu {

/// Memory from the system, with a page before it that nobody may touch. It is taken page by page, as it is touched.
class Pages {
 public:
  explicit Pages(std::size_t bytes);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  /// Null if there is none.
  char* begin() const { return memory_ == nullptr ? nullptr : memory_ + kGuardBytes; }

 private:
  static constexpr std::size_t kGuardBytes = 4096;
  char* memory_ = nullptr;
  std::size_t bytes_;
};

/// Whoever runs it is on one thread until run() returns; the next run() may be on another.
class Fiber {
 public:
  using Function = void (*)(void* argument);

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  bool has_stack() const { return stack_.begin() != nullptr; }
  bool is_done() const { return is_done_; }
  /// Lets the next run() begin with `function(argument)`; where the one before stood is forgotten. There is a stack.
  void start(Function function, void* argument);
  /// Runs it until it waits or ends. It has not ended.
  void run();
  /// On its own stack: lets run() return.
  void wait();

 private:
  struct Contexts;
  static void enter(Fiber* fiber);

  const Pages stack_;
  const std::unique_ptr<Contexts> contexts_;  // where it stands, and where run() does
  Function function_ = nullptr;
  void* argument_ = nullptr;
  bool is_done_ = true;
};

}  // namespace pykc::cpu
