// The fastest of several configurations of a kernel, found by measuring at its first launch.
//
//   const pykc::SourceModule module = pykc::SourceModule::load(device, R"pyk(
//     @kernel
//     def transpose(b: f32[:, :], a: f32[:, :], TILE: constexpr, ROWS: constexpr):
//         …
//   )pyk"_pyk).value();
//   const auto transpose = pykc::TunedKernel::create(module.kernel("transpose").value(),
//                                                    {{{"TILE", 16}, {"ROWS", 4}}, {{"TILE", 32}, {"ROWS",
//                                                    8}}}).value();
//   const auto shape = [&](const pykc::Configuration& c) -> pykc::LaunchConfig {
//     return {.grid = {(n + c["TILE"] - 1) / c["TILE"], (m + c["TILE"] - 1) / c["TILE"]}, .block = {c["TILE"],
//     c["ROWS"]}};
//   };
//   transpose.launch(shape, b, a).value();   // measures both, then launches the faster one
//   transpose.launch(shape, b, a).value();   // launches
//
// A configuration sets parameters that are annotated `constexpr`, which the launch leaves out; other names in it are
// for the shape alone, such as the threads of a block. All configurations have the same names.
//
// The choice is made for the types of the arguments and the sizes of the arrays, each rounded down to a power of two.
// It is kept in memory, and on disk beside the compiled kernels (CompileOptions::cache) for the next program: there it
// belongs to the device, the source and the blocks that the shapes have; not to their grids, so a shape that is worked
// out anew in another way needs `pykc cache clear`.
//
// Measuring launches each configuration up to 27 times, and waits for that. Before every such launch, and behind the
// last, the arrays that the kernel writes get back what they held, so they end as one launch leaves them; that takes as
// much memory again. What the kernel prints, it prints each time. A configuration that the device cannot launch, or
// that does not compile, is passed over; where none is left, the error says why for each. A kernel that stops itself
// while it is measured is an error. A stream that captures a graph cannot wait: launch once before.
//
// For kernels of the library, which a source imports by name (`from pykc.transpose import transpose_tiled`), a table of
// choices is built in, so that on chips that it knows nothing is measured. Where a choice cannot be launched at a
// larger size, it is made anew.
//
// PYKC_AUTOTUNE=report in the environment tells on stderr what was chosen; PYKC_AUTOTUNE=off takes the first
// configuration and measures nothing; PYKC_AUTOTUNE=record measures whatever is known, and writes rows of the table.
//
// Threads: all calls may be made from many threads at once. One choice is made at a time, and each once. A launch whose
// choice is made takes a lock that such launches share, and allocates nothing. Ownership: a cheap handle.
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "pykc/configuration.h"
#include "pykc/source_module.h"

namespace [[gnu::visibility("default")]] pykc {

namespace detail {
struct TunedKernelState;

/// A function that gives the LaunchConfig of a configuration, while the caller has it.
class ShapeFunction {
 public:
  using Plain = LaunchConfig (*)(const Configuration&);
  ShapeFunction(Plain function)
      : function_(reinterpret_cast<const void*>(function)),
        call_([](const void* shape, const Configuration& configuration) {
          return reinterpret_cast<Plain>(const_cast<void*>(shape))(configuration);
        }) {}
  template <typename Function>
  requires(std::is_class_v<Function>&& std::is_invocable_r_v<LaunchConfig, const Function&, const Configuration&>)
      ShapeFunction(const Function& function)
      : function_(&function), call_([](const void* shape, const Configuration& configuration) -> LaunchConfig {
          return (*static_cast<const Function*>(shape))(configuration);
        }) {}
  LaunchConfig operator()(const Configuration& configuration) const { return call_(function_, configuration); }

 private:
  const void* function_;
  LaunchConfig (*call_)(const void*, const Configuration&);
};
}  // namespace detail

class TunedKernel {
 public:
  /// Without configurations, those that the source lists: `@autotune(configs=[config(TILE=16), config(TILE=32)])`.
  static Result<TunedKernel> create(const GenericKernel& kernel, const std::vector<Configuration>& configurations = {});

  /// `shape` is called with a configuration and returns its LaunchConfig; all of them must name one stream.
  template <typename Shape, typename... Arguments>
  Result<void> launch(const Shape& shape, const Arguments&... arguments) const {
    return launch_with(shape, detail::list_of(arguments...));
  }
  Result<void> launch_with(const detail::ShapeFunction& shape, std::span<const Argument> arguments) const;

  /// What such a launch uses; measures if that is not known yet.
  template <typename Shape, typename... Arguments>
  Result<Configuration> chosen(const Shape& shape, const Arguments&... arguments) const {
    return chosen_with(shape, detail::list_of(arguments...));
  }
  Result<Configuration> chosen_with(const detail::ShapeFunction& shape, std::span<const Argument> arguments) const;

 private:
  explicit TunedKernel(std::shared_ptr<detail::TunedKernelState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::TunedKernelState> state_;
};

}  // namespace pykc
