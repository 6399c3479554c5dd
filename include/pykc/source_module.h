// A module given as source: its kernels are compiled on first use, for the types of the arguments they are given, and
// found by a hash of these types afterwards.
//
//   const pykc::SourceModule module = pykc::SourceModule::load(device, R"pyk(
//     @kernel
//     def saxpy(a, x, y):
//         i = grid(1)
//         if i < len(x):
//             y[i] += a * x[i]
//   )pyk"_pyk).value();
//   const pykc::GenericKernel saxpy = module.kernel("saxpy").value();
//   saxpy.launch({.grid = {blocks}, .block = {256}}, 2.0F, x, y).value();  // compiles saxpy(f32, f32[:], f32[:])
//   saxpy.launch({.grid = {blocks}, .block = {256}}, 2.0F, x, y).value();  // launches
//
// A parameter without an annotation takes the type of its argument: of a number the C++ type (2.0 is an f64); of an
// array the element type, the rank, and the memory order: row-major, else column-major, else any strides. A kernel
// whose parameters are all annotated is compiled once, and its arguments are checked against the annotations.
//
// Threads: all calls may be made from many threads at once. A specialisation is compiled once, however many ask for it;
// others are found meanwhile without waiting. A launch that finds its specialisation takes no lock and allocates
// nothing. Ownership: both classes are cheap handles that share the parsed source and the loaded kernels.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/configuration.h"
#include "pykc/runtime.h"
#include "pykc/source.h"

namespace [[gnu::visibility("default")]] pykc {

namespace detail {
struct GenericKernelState;
struct SourceModuleState;
}  // namespace detail

class GenericKernel {
 public:
  /// Launches as Kernel::launch does. The first launch with new types compiles, and returns what is wrong with the
  /// source for them.
  template <typename... Arguments>
  Result<void> launch(const LaunchConfig& config, const Arguments&... arguments) const {
    return launch_with(config, detail::list_of(arguments...));
  }
  Result<void> launch_with(const LaunchConfig& config, std::span<const Argument> arguments) const;

  /// The kernel for these arguments, of which the types alone matter: compiled and loaded, if it was not yet.
  template <typename... Arguments>
  Result<Kernel> specialization(const Arguments&... arguments) const {
    return specialization_with(detail::list_of(arguments...));
  }
  Result<Kernel> specialization_with(std::span<const Argument> arguments) const;

  /// Those that were made so far, in the order in which their types were first asked for.
  std::vector<Kernel> specializations() const;

  /// The kernel with values for parameters that are annotated `constexpr`, which its launches leave out:
  /// `kernel.bind({{"TILE", 32}})`. Each call makes a kernel whose specialisations are its own.
  Result<GenericKernel> bind(const Configuration& constants) const;

  const std::string& name() const;
  /// Whether its parameters are all annotated: it is compiled once, whatever the types of the arguments.
  bool is_typed() const;

 private:
  friend class SourceModule;
  friend class TunedKernel;
  explicit GenericKernel(std::shared_ptr<detail::GenericKernelState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::GenericKernelState> state_;
};

class SourceModule {
 public:
  /// Parses the source and what it imports, for use on `device`; `options.target` and `options.signatures` do not
  /// matter. Errors of syntax are found here, errors of types when a kernel is first used.
  static Result<SourceModule> load(const Device& device, const Source& source, const CompileOptions& options = {});

  /// One of the source, or one that it imports by name: `from pykc.matmul import gemm`. An error names those that there
  /// are.
  Result<GenericKernel> kernel(std::string_view name) const;
  std::vector<std::string> kernel_names() const;

  /// Sets it as Module::set_constant() does, for all kernels of the source, those that are compiled later too. What an
  /// unused kernel says of a constant's type is known once it is compiled, so a wrong type may be an error of a launch.
  template <std::ranges::contiguous_range Values>
  Result<void> set_constant(std::string_view name, const Values& values) const {
    using T = std::ranges::range_value_t<Values>;
    return set_constant_bytes(name, detail::constant_element<T>(), std::as_bytes(std::span(values)));
  }
  template <typename T>
  requires std::is_arithmetic_v<T> Result<void> set_constant(std::string_view name, T value)
  const { return set_constant(name, std::span<const T>(&value, 1)); }
  /// The same of elements whose type is known at run time, in row-major order.
  Result<void> set_constant_bytes(std::string_view name, const ElementType& element,
                                  std::span<const std::byte> bytes) const;

  /// Looks the kernel up by name, then launches it.
  template <typename... Arguments>
  Result<void> launch(std::string_view kernel_name, const LaunchConfig& config, const Arguments&... arguments) const {
    const Result<GenericKernel> found = kernel(kernel_name);
    if (!found) return found.error();
    return found->launch(config, arguments...);
  }

 private:
  Result<void> set_constant_bytes(std::string_view name, const detail::ConstantElement& element,
                                  std::span<const std::byte> bytes) const;
  explicit SourceModule(std::shared_ptr<detail::SourceModuleState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::SourceModuleState> state_;
};

}  // namespace pykc
