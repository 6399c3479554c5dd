// The library's kernels in the recorded table of choices (stdlib/tuned.h): how a launch of one is looked up, and how a
// row is written.
//
// A row fits launches of its kernel on its chip whose elements have its sizes; among these, the one whose shape is
// nearest counts, each axis by the logarithm of its extent. So a kernel that was recorded once is never measured, and
// one that was recorded at several sizes changes over between them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "stdlib/tuned.h"

namespace pykc::jit {

/// An array that a launch is given, as far as a choice depends on it.
struct ArraySize {
  std::int64_t element_bytes = 0;
  std::vector<std::int64_t> extents;
};

/// The name of a library's kernel in the table; empty for a kernel of any other module.
std::string library_kernel(const Program& program, const ast::Module& module, const std::string& kernel);

/// A launch, in the table's words.
struct TunedLaunch {
  std::string kernel, chip, elements;
  std::vector<std::int64_t> shape;

  TunedLaunch(std::string kernel, std::string chip, std::span<const ArraySize> arrays);
  /// Null where the chip has no row for the kernel and such elements.
  const TunedRow* find_in(std::span<const TunedRow> rows) const;
  /// A row of stdlib/tuned.def.
  std::string row(const std::string& configuration) const;
};

/// The extents of "16384x16384".
std::vector<std::int64_t> extents_of_row(const TunedRow& row);

}  // namespace pykc::jit
