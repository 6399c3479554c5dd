// Recorded choices between configurations of the library's kernels: tuned.def, as it is built into the program.
#pragma once

#include <span>
#include <string_view>

namespace pykc {

/// What was fastest for one launch, measured on a chip. jit/tuned_table.h finds the row that is nearest to another.
struct TunedRow {
  std::string_view kernel;         // "pykc.transpose.transpose_tiled"
  std::string_view chip;           // as a target: "sm_90", "cpu"
  std::string_view elements;       // bytes of the elements of its arrays, each size once: "4", "4, 8"
  std::string_view shape;          // of its largest array: "16384x16384"
  std::string_view configuration;  // "TILE=64, ROWS=4"
};

std::span<const TunedRow> tuned_rows();

}  // namespace pykc
