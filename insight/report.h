// What a launch costs on a chip, line by line, and what would make it cheaper: as data, and as people read it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "insight/assembler.h"
#include "insight/chip.h"
#include "insight/listing.h"
#include "insight/prediction.h"
#include "pykc/costs.h"

namespace pykc::insight {

/// What NVIDIA's assembler says of a kernel.
struct Assembled {
  int registers = 0;  // of a thread
  int spilled_bytes = 0;
};
/// All that one line costs, of the blocks that were counted.
struct LineCosts {
  std::string file;
  int line = 0;
  std::int64_t warps = 0;                                     // that ran the code of the line that ran most often
  std::int64_t lanes = 0;                                     // threads that did
  std::int64_t instructions = 0;                              // of warps
  std::int64_t f32 = 0, f64 = 0, integer = 0;                 // of threads
  std::int64_t requests = 0, sectors = 0, ideal_sectors = 0;  // of global memory
  std::int64_t shared_requests = 0, wavefronts = 0, ideal_wavefronts = 0;
  std::int64_t branches = 0, divergent = 0;
  double share = 0;  // of the kernel's work, as the resource sees it that limits the kernel
};

/// Something that the counters show to be worth changing.
struct Advice {
  SourcePlace place;
  std::string what, fix;
};

struct Report {
  LaunchCosts costs;
  const Chip* chip = nullptr;
  std::optional<Assembled> assembled;
  Occupancy occupancy;
  Prediction prediction;
  std::vector<LineCosts> lines;  // in the order of files and lines
  std::vector<Advice> advice;    // what weighs most first
  Listing ir, ptx, sass;  // of kernels that were compiled with CompileOptions::line_info, as far as they are known
};
/// One a launch, in their order.
std::vector<Report> make_reports(std::vector<LaunchCosts> launches, const Chip& chip, Assembly& assembly);

/// The text of a file; empty where it cannot be shown.
using SourceText = std::function<std::string(const std::string& file)>;
/// Of a file, or of a module of the library: "<pykc.reduce>".
std::string source_text(const std::string& file);

/// For a terminal `columns` wide.
std::string to_text(const Report& report, const SourceText& source, int columns);
std::string to_json(const std::vector<Report>& reports);
/// A page that needs nothing else, with the same data, the source and the listings beside it.
std::string to_html(const std::vector<Report>& reports, const SourceText& source);

}  // namespace pykc::insight
