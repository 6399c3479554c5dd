// A relocatable ELF object (x86-64), loaded from bytes into executable memory. It is all of a linker that a kernel's
// object needs: place the sections, patch the references between them, connect a few functions of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "pykc/error.h"

namespace pykc::cpu {

/// The address of a function that the object calls and does not define; null if the host has no such function.
using FindFunction = void* (*)(std::string_view name);

class ElfObject {
 public:
  /// Damaged bytes are an error, never a crash: every offset is checked before it is used. What the code does when it
  /// runs is its author's affair.
  static Result<ElfObject> load(std::string_view bytes, FindFunction find_function);

  ElfObject(ElfObject&& other) noexcept;
  ElfObject& operator=(ElfObject&&) = delete;
  ~ElfObject();

  /// Where the object lies.
  std::string_view image() const { return {static_cast<const char*>(image_), bytes_}; }
  /// The address of a global function; null if the object does not define it.
  void* find(std::string_view symbol) const;
  /// The address of a global variable of that size, which can be written; null if there is none.
  void* find_variable(std::string_view symbol, std::uint64_t bytes) const;

 private:
  friend class ElfLoader;
  ElfObject() = default;
  void* image_ = nullptr;
  std::size_t bytes_ = 0;
  struct Variable {
    void* address;
    std::uint64_t bytes;
  };
  std::map<std::string, void*, std::less<>> functions_;
  std::map<std::string, Variable, std::less<>> variables_;
};

}  // namespace pykc::cpu
