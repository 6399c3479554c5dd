// Kernels of a source, as Python launches them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "pykc/source_module.h"
#include "python/binding/arguments.h"

namespace pykc::python {

/// A kernel of a source. One whose parameters all state their types is compiled once, and numbers become those types.
struct SourceKernel {
  Device device;
  GenericKernel kernel;
  bool counts_costs = false;   // CompileOptions::costs_for
  bool wraps_integers = true;  // of launches, where its parameters do not hold them
  std::optional<Kernel> typed = std::nullopt;

  const std::vector<ParameterInfo>* parameters() const { return typed ? &typed->info().parameters : nullptr; }
};

/// `k[grid, block, stream, shared]`: grid and block are integers, or tuples of one to three; the stream may be None,
/// and is null then.
LaunchConfig launch_config(nb::handle grid, nb::handle block, nb::handle stream, std::int64_t shared_bytes);

/// Goes to the current stream where it names none. Raises what went wrong. The launch is done on the CPU device, and
/// where a GPU wrote to arrays of the host.
void launch(SourceKernel& kernel, LaunchConfig config, const nb::tuple& arguments);

}  // namespace pykc::python
