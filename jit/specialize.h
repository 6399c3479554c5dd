// Specialisations of generic kernels: a request for certain argument types becomes a kernel that is loaded.
#pragma once

#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace pykc::jit {

/// The order of an array as a generic kernel sees it: the first of row-major, column-major and any strides that fits.
Layout layout_of(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides);

/// "(f32, f32[:, :])", or "its annotations".
std::string signature_text(const KernelRequest& request);

/// The same, for finding again what was made for it: records of one name, such as those of files, differ by their
/// fields.
std::string request_key(const KernelRequest& request);

/// Compiles one kernel of a program for the device, and loads a module of it alone. `options.target` does not matter.
/// An error has the code InvalidSource where the kernel does not compile.
Result<Module> specialize(const Device& device, const Program& program, const KernelRequest& request,
                          const CompileOptions& options, std::vector<Diagnostic>* warnings = nullptr);

}  // namespace pykc::jit
