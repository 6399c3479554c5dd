// Kernels that were compiled ahead of time and lie in the program itself: what the headers that
// `pykc compile --emit header` writes are made of. A program includes such a header, not this one:
//
//   #include "kernels.h"                                             // made of kernels.pyk
//
//   pykc::Result<kernels::Kernels> k = kernels::load(device);        // a pykc::Device: a GPU or the CPU device
//   k->vecadd({.grid = {(n + 255) / 256}, .block = {256}}, z, x, y)  // a wrong argument does not compile
//
// It needs pykc::runtime and the file that `pykc compile --emit c` writes: no compiler, no LLVM, no source.
#pragma once

#include <concepts>

#include "pykc/runtime.h"

namespace [[gnu::visibility("default")]] pykc {

/// The bytes of a serialised Artifact in the program's own data. A list of these ends with an empty one.
struct EmbeddedArtifact {
  const unsigned char* bytes;
  std::size_t size;
};

/// A kernel's parameters as its source has them: "a: f32, x: f32[:]".
std::string parameter_text(const KernelInfo& kernel);

/// Loads the artifact that fits the device best: on a GPU that of the latest chip that the GPU can run code of, a
/// cubin rather than PTX; on the CPU device the one that uses most of the processor's instructions. What the driver
/// refuses (a cubin that is newer than the driver) gives way to the next best.
Result<Module> load_embedded(const Device& device, const EmbeddedArtifact* artifacts);

/// The kernel that a generated function launches. Fails where the header and the bytes are of different kernels.
Result<Kernel> embedded_kernel(const Module& module, std::string_view name, std::string_view parameters);

/// A parameter that takes a T. An integer may stand for it, as in every launch: one that the T does not hold exactly is
/// an error of the launch.
template <typename T>
class ScalarParameter {
 public:
  template <typename U>
    requires std::same_as<U, T> || (std::integral<U> && !std::same_as<U, bool> && !std::same_as<T, bool>)
  ScalarParameter(U value) {
    argument_.type = detail::element_type<U>();
    __builtin_memcpy(argument_.scalar, &value, sizeof(U));
  }
  const Argument& argument() const { return argument_; }

 private:
  Argument argument_;
};

namespace detail {

template <typename T>
Argument argument_of(const ParameterInfo&, const ScalarParameter<T>& scalar) {
  return scalar.argument();
}
template <typename T>
Argument argument_of(const ParameterInfo& parameter, const Array<T>& array) {
  if constexpr (is_scalar_element<T>)
    return Argument::of(array);
  else
    return Argument::of(parameter.array.element.record, array);
}
template <typename Record>
Argument argument_of(const ParameterInfo& parameter, const Record& record) {
  return Argument::of(parameter.value.record, &record);
}

/// The types of the arguments are the parameters' own: the generated function has seen to that.
template <typename... Arguments>
Result<void> launch_embedded(const Kernel& kernel, const LaunchConfig& config, const Arguments&... arguments) {
  const ParameterInfo* parameter = kernel.info().parameters.data();
  const Argument list[] = {argument_of(*parameter++, arguments)..., Argument{}};
  return kernel.launch_with(config, {list, sizeof...(Arguments)});
}

}  // namespace detail
}  // namespace pykc
