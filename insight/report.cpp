#include "insight/report.h"

#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/text.h"
#include "insight/advice.h"
#include "stdlib/library.h"

namespace pykc::insight {
namespace {

using Lines = std::map<std::pair<std::string, int>, LineCosts>;

LineCosts& line_of(Lines& lines, const SourcePlace& place) {
  LineCosts& line = lines[{place.file, place.line}];
  line.file = place.file;
  line.line = place.line;
  return line;
}

/// How much of what limits the kernel an access is.
double weight_of(const AccessCosts& access, Resource limit) {
  switch (limit) {
    case Resource::Memory:
    case Resource::L2:
    case Resource::Latency:
      return access.is_shared ? 0 : static_cast<double>(access.sectors);
    case Resource::LoadStore:
      return static_cast<double>(access.is_shared ? access.wavefronts : access.lines);
    case Resource::Atomics:
      return access.is_atomic() ? static_cast<double>(access.lanes) : 0;
    case Resource::Issue:
    case Resource::Arithmetic:
    case Resource::Starting:
      return 0;
  }
  return 0;
}

double weight_of(const CodeCosts& code, Resource limit) {
  if (limit == Resource::Issue || limit == Resource::Starting)
    return static_cast<double>(code.warps * (code.operations.instructions + code.operations.math));
  if (limit == Resource::Arithmetic)
    return static_cast<double>(code.lanes *
                               (code.operations.f32 + 2 * (code.operations.f64 + 2 * code.operations.math_f64)));
  return 0;
}

Lines lines_of(const LaunchCosts& costs, Resource limit) {
  Lines lines;
  for (const CodeCosts& code : costs.code) {
    LineCosts& line = line_of(lines, code.place);
    if (code.warps > line.warps) {
      line.warps = code.warps;
      line.lanes = code.lanes;
    }
    line.instructions += code.warps * (code.operations.instructions + code.operations.math);
    line.f32 += code.lanes * code.operations.f32;
    line.f64 += code.lanes * code.operations.f64;
    line.integer += code.lanes * code.operations.integer;
    line.share += weight_of(code, limit);
  }
  for (const AccessCosts& access : costs.accesses) {
    LineCosts& line = line_of(lines, access.place);
    (access.is_shared ? line.shared_requests : line.requests) += access.requests;
    line.sectors += access.sectors;
    line.ideal_sectors += access.ideal_sectors;
    line.wavefronts += access.wavefronts;
    line.ideal_wavefronts += access.ideal_wavefronts;
    line.share += weight_of(access, limit);
  }
  for (const BranchCosts& branch : costs.branches) {
    LineCosts& line = line_of(lines, branch.place);
    line.branches += branch.warps;
    line.divergent += branch.divergent;
  }
  double all = 0;
  for (const auto& [place, line] : lines) all += line.share;
  for (auto& [place, line] : lines) line.share = all > 0 ? line.share / all : 0;
  return lines;
}

/// The number that stands behind `before` in the text, from `begin` on.
std::optional<int> number_after(std::string_view text, std::string_view before, std::size_t begin) {
  const std::size_t found = text.find(before, begin);
  if (found == std::string_view::npos) return std::nullopt;
  int number = 0;
  for (std::size_t i = found + before.size(); i < text.size() && is_digit(text[i]); ++i)
    number = number * 10 + (text[i] - '0');
  return number;
}

/// Finds a kernel in the messages of `ptxas -v`.
std::optional<Assembled> find_assembled(std::string_view messages, std::string_view symbol) {
  const std::size_t kernel = messages.find("entry function '" + std::string(symbol) + "'");
  if (kernel == std::string_view::npos) return std::nullopt;
  const std::optional<int> registers = number_after(messages, "Used ", kernel);
  const std::optional<int> spilled = number_after(messages, "bytes stack frame, ", kernel);
  if (!registers) return std::nullopt;
  return Assembled{*registers, spilled.value_or(0)};
}

Report make_report(LaunchCosts costs, const Chip& chip, const MachineCode& code) {
  Report report{.costs = std::move(costs), .chip = &chip};
  const LaunchCosts& launch = report.costs;
  const WatchedKernel& watched = launch.kernel.watched;
  report.assembled = find_assembled(code.messages, watched.gpu_symbol);
  Needs needs{.threads = launch.block.x * launch.block.y * launch.block.z,
              .shared_bytes = watched.gpu_shared_bytes + launch.dynamic_shared_bytes};
  if (report.assembled) needs.registers = report.assembled->registers;
  report.occupancy = occupancy_of(chip, needs);
  report.prediction = predict(launch, chip, report.occupancy);
  for (auto& [place, line] : lines_of(launch, report.prediction.limit)) report.lines.push_back(std::move(line));
  report.advice = advise(report);
  if (watched.ir.empty()) return report;
  report.ir = list_ir(watched.ir);
  report.ptx = list_ptx(watched.ptx, watched.gpu_symbol);
  report.sass = list_sass(code.sass, watched.gpu_symbol);
  return report;
}

}  // namespace

std::vector<Report> make_reports(std::vector<LaunchCosts> launches, const Chip& chip, Assembly& assembly) {
  for (const LaunchCosts& launch : launches) assembly.start(launch.kernel.watched);
  std::vector<Report> reports;
  for (LaunchCosts& launch : launches) {
    const MachineCode& code = assembly.of(launch.kernel.watched);
    reports.push_back(make_report(std::move(launch), chip, code));
  }
  return reports;
}

std::string source_text(const std::string& file) {
  if (file.starts_with('<') && file.ends_with('>')) return std::string(library_source(file.substr(1, file.size() - 2)));
  return read_file(file).value_or("");
}

}  // namespace pykc::insight
