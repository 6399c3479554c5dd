// Libraries of a vendor that are opened while a program runs: to build it takes neither them nor their headers, and
// where they are not installed, the program does without.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "example.h"

namespace example {

class VendorLibrary {
 public:
  /// libNAME.so of one of these versions, the first that is there, or else of any. Stays open until the program ends.
  VendorLibrary(const std::string& name, std::initializer_list<int> versions) : name_("lib" + name + ".so") {
    for (const int version : versions)
      if (handle_ == nullptr) handle_ = dlopen((name_ + "." + std::to_string(version)).c_str(), RTLD_NOW);
    if (handle_ == nullptr) handle_ = dlopen(name_.c_str(), RTLD_NOW);
  }
  explicit operator bool() const { return handle_ != nullptr; }

  /// A function of C, by its type and name; it must be there.
  template <typename Function>
  Function* function(const char* symbol) const {
    void* const address = dlsym(handle_, symbol);
    if (address == nullptr) fail(name_ + " has no function " + symbol);
    return reinterpret_cast<Function*>(address);
  }
  /// For the status that these libraries' functions return: 0 is success.
  void check(int status, const char* call) const {
    if (status != 0) fail(std::string(call) + " of " + name_ + " failed with status " + std::to_string(status));
  }

 private:
  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace example
