// What stands behind the handles of pykc.h: values of the C++ API, on the heap. And the border: what a call throws or
// returns as an Error becomes a pykc_error, and structs of other versions are read and filled.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "pykc.h"
#include "pykc/runtime.h"

struct pykc_text {
  std::string value;
};

struct pykc_diagnostics {
  std::vector<pykc::Diagnostic> list;
};

struct pykc_error {
  pykc::ErrorCode code;
  std::string message;
  std::string text;
  pykc_diagnostics diagnostics;
};

struct pykc_kernel_info {
  explicit pykc_kernel_info(const pykc::KernelInfo& kernel);
  const pykc::KernelInfo* info;
  std::vector<std::string> types;  // of the parameters, as text
};

struct pykc_artifact {
  explicit pykc_artifact(pykc::Artifact artifact);
  const pykc::Artifact value;
  std::vector<pykc_kernel_info> kernels;
};

struct pykc_device_list {
  std::vector<pykc::DeviceInfo> devices;
};

struct pykc_device {
  pykc::Device value;
};

struct pykc_stream {
  pykc::Stream value;
};

struct pykc_event {
  pykc::Event value;
};

struct pykc_graph {
  pykc::Graph value;
};

struct pykc_pinned {
  std::shared_ptr<void> memory;
};

/// An Array without its type.
struct pykc_array {
  pykc::ElementType element;
  pykc::Buffer buffer;
  pykc::Mapping mapping;
  std::byte* on_host = nullptr;  // the start of the buffer, where the host reaches it

  std::int64_t element_bytes() const { return pykc::size_in_bytes(element); }
  void* first() const {
    return static_cast<std::byte*>(pykc::detail::address_of(buffer)) + mapping.offset() * element_bytes();
  }
  pykc::detail::Elements elements() const { return {buffer, mapping, element_bytes()}; }
};

struct pykc_module {
  explicit pykc_module(pykc::Module module);
  pykc::Module value;
  std::vector<pykc_kernel_info> kernels;
};

struct pykc_kernel {
  explicit pykc_kernel(pykc::Kernel kernel);
  pykc::Kernel value;
  pykc_kernel_info info;
};

namespace pykc::capi {

/// The error that takes no memory.
pykc_error* out_of_memory();
pykc_error* error_of(Error error);

/// Does the work of a call that can fail. None of `needed`, its handles and pointers, may be null.
template <typename Work, typename... Pointers>
pykc_error* guarded(const Work& work, const Pointers*... needed) {
  try {
    if (((needed == nullptr) || ...)) return error_of(invalid_argument("a handle or a pointer that is needed is NULL"));
    Result<void> done = work();
    return done ? nullptr : error_of(std::move(done).error());
  } catch (...) {  // std::bad_alloc, or std::length_error: nothing else is thrown
    return out_of_memory();
  }
}

/// The same for a call that makes something: puts a handle of what `work` gives at `place`.
template <typename Handle, typename Work, typename... Pointers>
pykc_error* make(Handle** place, const Work& work, const Pointers*... needed) {
  return guarded(
      [&]() -> Result<void> {
        ASSIGN_OR_RETURN(auto made, work());
        *place = new Handle{std::move(made)};
        return {};
      },
      place, needed...);
}

/// Structs end where a word does in every version, so that none ends within a field.
inline bool is_a_size(std::size_t size) { return size >= sizeof(std::size_t) && size % sizeof(std::size_t) == 0; }

/// A struct of the caller's, as this version has it: what the caller's is too short for keeps its default.
template <typename Struct>
Result<Struct> read(const Struct& given, const Struct& defaults, const char* name) {
  Struct own = defaults;
  if (!is_a_size(given.size))
    return invalid_argument(std::string(name) + " has a size that no version has: set it by " + name + "_init");
  std::memcpy(&own, &given, std::min(given.size, sizeof own));
  const auto* const bytes = reinterpret_cast<const char*>(&given);
  if (given.size > sizeof own &&
      std::any_of(bytes + sizeof own, bytes + given.size, [](char byte) { return byte != 0; }))
    return Error{ErrorCode::Unsupported, std::string(name) + " asks for what a later version of pykc has"};
  own.size = sizeof own;
  return own;
}

/// Fills as much as the caller's struct has.
template <typename Struct>
Result<void> fill(Struct& callers, Struct own) {
  static_assert(sizeof(Struct) % sizeof(std::size_t) == 0);
  own.size = callers.size;
  if (!is_a_size(callers.size)) return invalid_argument("the size of the struct to fill is not set");
  std::memcpy(&callers, &own, std::min(callers.size, sizeof own));
  return {};
}

/// Sets a struct, as long as the caller has it, to defaults.
template <typename Struct>
void initialize(Struct* callers, std::size_t size, Struct defaults) {
  std::memset(static_cast<void*>(callers), 0, size);
  defaults.size = size;
  std::memcpy(static_cast<void*>(callers), &defaults, std::min(size, sizeof defaults));
}

/// The scalar type of a number of C; one that is invalid for all others.
ScalarType scalar_type(std::int32_t type);
std::int32_t type_code(const ElementType& type);

/// The arguments of a launch. `kernel` knows what a record is; without one, records are refused.
class ArgumentList {
 public:
  static Result<ArgumentList> of(const pykc_argument* arguments, std::size_t count, const KernelInfo* kernel);
  std::span<const Argument> list() const { return many_.empty() ? std::span(few_.data(), count_) : std::span(many_); }

 private:
  std::size_t count_ = 0;
  std::array<Argument, 8> few_;  // so that most launches take nothing from the heap
  std::vector<Argument> many_;
};
Result<LaunchConfig> launch_config(const pykc_launch_config& config);

}  // namespace pykc::capi
