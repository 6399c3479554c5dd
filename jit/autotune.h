// Which configuration of a kernel is fastest: what TunedKernel and the launches of host code share.
//
// All configurations that can be launched are launched some times on the arrays of the launch, which afterwards hold
// what they held before. The choice is kept on disk beside the compiled kernels, so that it is made once for a device,
// a source, the types of the arguments and the sizes of the arrays, each rounded down to a power of two. Of kernels of
// the library a table is built in (jit/tuned_table.h), so that these are not measured on the chips that it knows.
//
// PYKC_AUTOTUNE=off takes the first configuration and measures nothing; PYKC_AUTOTUNE=report tells on stderr what was
// chosen, and what could not be launched; PYKC_AUTOTUNE=record measures whatever is known, and writes the rows of the
// library's table on stderr.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "jit/tuned_table.h"
#include "pykc/compiler.h"
#include "pykc/configuration.h"
#include "pykc/runtime.h"

namespace pykc::jit {

/// A configuration as it would be launched.
struct Trial {
  Kernel kernel;
  LaunchConfig config;
  std::vector<Argument> arguments;
};

struct Choice {
  const Device& device;
  const Program& program;
  const CompileOptions& options;
  const std::string& kernel;     // its name
  const KernelRequest& request;  // without what the configurations set
  std::span<const Configuration> configurations;
  std::span<const LaunchConfig> launches;  // one for each
  std::vector<ArraySize> arrays;           // that the launch is given
  std::string library_kernel = {};         // its name in the library's table, where it has one
  bool measures_anew = false;              // what is known cannot be launched
};

/// Extents that are alike enough for one choice: each by the number of its bits.
std::string size_class(std::span<const std::int64_t> extents);

/// What came of it.
struct Chosen {
  std::optional<std::size_t> configuration;   // none where all were refused
  std::vector<std::optional<Error>> refused;  // of each configuration, why it cannot be compiled or launched
};
/// The configuration to launch. `prepare` compiles all and lists the arguments of each one's launch. An error while a
/// launch runs is the result's.
Result<Chosen> choose(const Choice& choice, const std::function<std::vector<Result<Trial>>()>& prepare);

/// Why a configuration was refused, in a line.
std::string reason_of(const Error& error);
/// The reason, where all configurations were refused for the same.
const Error* common_reason(const Chosen& chosen);

}  // namespace pykc::jit
