// What happens to LLVM's objects when there is no memory left. LLVM asks for memory everywhere, is compiled without
// exceptions, and ends the program where it gets none. Here std::bad_alloc passes through it in place of that. It frees
// nothing on the way, and what it was changing stays half changed: its objects must not be touched any more, not even
// to free them. What it makes once for the whole process is mended, though: memory_may_end.cpp, pass_registry.cpp.
//
// Sources that run LLVM's pass managers and analyses are compiled without exceptions, too. These are templates, whose
// destructors ask for memory: compiled with exceptions they would end the program where they get none.
#pragma once

#include <exception>
#include <memory>
#include <utility>

namespace pykc::codegen {

/// An object of LLVM's, which an exception that passes leaves where it is, for good. Nothing else is thrown past LLVM.
template <typename T>
class LeftByExceptions {
 public:
  template <typename... Arguments>
  explicit LeftByExceptions(Arguments&&... arguments)
      : object_(std::make_unique<T>(std::forward<Arguments>(arguments)...)) {}
  ~LeftByExceptions() {
    if (std::uncaught_exceptions() > exceptions_) (void)object_.release();
  }
  LeftByExceptions(const LeftByExceptions&) = delete;
  LeftByExceptions& operator=(const LeftByExceptions&) = delete;
  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }

 private:
  const int exceptions_ = std::uncaught_exceptions();
  std::unique_ptr<T> object_;
};

}  // namespace pykc::codegen
