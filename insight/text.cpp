// The view for a terminal: a head, the lines of the kernel with their costs, and what to change.
#include "base/text.h"

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "insight/report.h"
#include "insight/words.h"
#include "measure/report.h"
#include "measure/sweep.h"
#include "measure/units.h"

namespace pykc::insight {
namespace {

constexpr int kBarWidth = 8;

std::string seconds_text(double seconds) { return measure::with_prefix(seconds, "s"); }
std::string bytes_text(double bytes) { return measure::with_prefix(bytes, "B"); }

std::string padded(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// " 32.0/ 4.0 ", or blanks.
std::string pair_text(std::int64_t count, std::int64_t ideal, std::int64_t requests) {
  if (requests == 0) return std::string(11, ' ');
  const auto each = [&](std::int64_t value) {
    return fixed(static_cast<double>(value) / static_cast<double>(requests), 1);
  };
  return padded(each(count), 5) + "/" + padded(each(ideal), 4) + " ";
}

std::string bar(double share) {
  const auto eighths = static_cast<int>(std::lround(share * kBarWidth * 8));
  constexpr std::string_view kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  text += kParts[eighths % 8];
  const int width = eighths / 8 + (eighths % 8 != 0 ? 1 : 0);
  return text + std::string(static_cast<std::size_t>(std::max(0, kBarWidth - width)), ' ');
}

std::string row_of(const LineCosts& line, const std::string& source, std::size_t columns) {
  const std::string lanes =
      line.warps == 0 ? "" : fixed(static_cast<double>(line.lanes) / static_cast<double>(line.warps), 0);
  const std::string divergent =
      line.divergent == 0
          ? ""
          : fixed(100 * static_cast<double>(line.divergent) / static_cast<double>(line.branches), 0) + " %";
  std::string row = bar(line.share) + padded(line.share < 0.005 ? "" : fixed(line.share * 100, 0) + " %", 6);
  row += padded(line.warps == 0 ? "" : grouped(line.warps), 12) + padded(lanes, 4);
  row += " " + pair_text(line.sectors, line.ideal_sectors, line.requests);
  row += pair_text(line.wavefronts, line.ideal_wavefronts, line.shared_requests);
  row += padded(divergent, 6) + padded(std::to_string(line.line), 6) + "  ";
  constexpr std::size_t kCosts = 66;
  const std::size_t room = columns > kCosts + 20 ? columns - kCosts : 20;
  return row + abbreviate_utf8(source, room) + "\n";
}

std::string head_of(const Report& report) {
  const LaunchCosts& costs = report.costs;
  const Prediction& prediction = report.prediction;
  std::string text = measure::signature_of(costs.kernel) + "\n  ";
  text += "grid " + measure::extents_text(costs.grid) + ", block " + measure::extents_text(costs.block);
  text += costs.blocks_counted == costs.blocks()
              ? ", all blocks counted\n"
              : ", " + grouped(costs.blocks_counted) + " of " + grouped(costs.blocks()) + " blocks counted\n";
  text += "  " + std::string(report.chip->name) + ": about " + seconds_text(prediction.total) + ", limited by " +
          std::string(name_of(prediction.limit)) + "; occupancy " + fixed(report.occupancy.share * 100, 0) + " %";
  if (report.occupancy.limit != Occupancy::Limit::None)
    text += " (limited by " + std::string(name_of(report.occupancy.limit)) + ")";
  if (report.assembled) {
    text += ", " + std::to_string(report.assembled->registers) + " registers";
    if (report.assembled->spilled_bytes > 0)
      text += ", " + std::to_string(report.assembled->spilled_bytes) + " bytes of them spilled";
  }
  text += "\n  needs:";
  for (int i = 0; i < kResources; ++i) {
    const auto resource = static_cast<Resource>(i);
    if (prediction.seconds_of(resource) < prediction.total * 0.01) continue;
    text += (text.back() == ':' ? " " : ", ") + std::string(name_of(resource)) + " " +
            seconds_text(prediction.seconds_of(resource));
  }
  text += "\n";
  for (const ArrayCosts& array : costs.arrays) {
    const std::int64_t sectors = array.sectors_read + array.sectors_written;
    if (sectors == 0) continue;
    const double scale = costs.scale();
    text += "  " + array.name + " (" + bytes_text(static_cast<double>(array.bytes)) + "): ";
    if (array.bytes_read > 0) text += "read " + bytes_text(static_cast<double>(array.bytes_read) * scale);
    if (array.bytes_read > 0 && array.bytes_written > 0) text += ", ";
    if (array.bytes_written > 0) text += "written " + bytes_text(static_cast<double>(array.bytes_written) * scale);
    text += "; moved " + bytes_text(static_cast<double>(sectors * kSectorBytes) * scale) + "\n";
  }
  return text;
}

}  // namespace

std::string to_text(const Report& report, const SourceText& source, int columns) {
  std::string text = head_of(report) + "\n";
  text += " share of its       warps   of sectors/    passes/   parts\n";
  text += " limit               that   32 ideal       ideal      ways  line\n";
  std::string file;
  std::vector<std::string> lines;
  int before = 0;
  for (const LineCosts& line : report.lines) {
    if (line.file != file) {
      file = line.file;
      lines.clear();
      for_each_part(source(file), '\n', [&](std::string_view text) { lines.emplace_back(text); });
      text += "  " + file + "\n";
      before = line.line - 1;
    }
    // Lines between those that cost something make the kernel readable; not the gap between two functions.
    constexpr int kGap = 3;
    for (int between = before + 1; between < line.line && line.line - before <= kGap; ++between)
      if (static_cast<std::size_t>(between) <= lines.size() &&
          !trim(lines[static_cast<std::size_t>(between) - 1]).empty())
        text +=
            row_of({.line = between}, lines[static_cast<std::size_t>(between) - 1], static_cast<std::size_t>(columns));
    const std::string& code = static_cast<std::size_t>(line.line) <= lines.size() && line.line > 0
                                  ? lines[static_cast<std::size_t>(line.line) - 1]
                                  : std::string();
    text += row_of(line, code, static_cast<std::size_t>(columns));
    before = line.line;
  }
  for (const Advice& advice : report.advice)
    text += "\n" + advice.place.file + ":" + std::to_string(advice.place.line) + ": " + advice.what +
            "\n  help: " + advice.fix + "\n";
  return text;
}

}  // namespace pykc::insight
