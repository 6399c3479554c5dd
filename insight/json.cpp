#include "insight/json.h"

#include "insight/report.h"
#include "insight/words.h"
#include "measure/report.h"
#include "measure/sweep.h"

namespace pykc::insight {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}
std::string number(std::int64_t value) { return std::to_string(value); }

std::string_view name_of(ObservedSite::Kind kind) {
  switch (kind) {
    case ObservedSite::Kind::Load:
      return "load";
    case ObservedSite::Kind::Store:
      return "store";
    case ObservedSite::Kind::AtomicLoad:
      return "atomic load";
    case ObservedSite::Kind::AtomicStore:
      return "atomic store";
    default:
      return "atomic";
  }
}

std::vector<Field> place(const SourcePlace& place) {
  return {{"file", json_string(place.file)},
          {"line", number(std::int64_t{place.line})},
          {"column", number(std::int64_t{place.column})}};
}

std::string with(std::vector<Field> fields, const std::vector<Field>& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return json_object(fields);
}

std::string access_json(const AccessCosts& access) {
  return with(place(access.place), {{"kind", json_string(name_of(access.kind))},
                                    {"memory", json_string(access.is_shared ? "shared" : "global")},
                                    {"array", json_string(access.array)},
                                    {"requests", number(access.requests)},
                                    {"issued", number(access.issued)},
                                    {"lanes", number(access.lanes)},
                                    {"bytes", number(access.bytes)},
                                    {"sectors", number(access.sectors)},
                                    {"ideal_sectors", number(access.ideal_sectors)},
                                    {"lines", number(access.lines)},
                                    {"wavefronts", number(access.wavefronts)},
                                    {"ideal_wavefronts", number(access.ideal_wavefronts)},
                                    {"lane_distance", access.lane_distance ? number(*access.lane_distance) : "null"},
                                    {"meeting_lanes", number(access.meeting_lanes)}});
}

std::string line_json(const LineCosts& line) {
  return json_object({{"file", json_string(line.file)},
                      {"line", number(std::int64_t{line.line})},
                      {"share", number(line.share)},
                      {"warps", number(line.warps)},
                      {"lanes", number(line.lanes)},
                      {"instructions", number(line.instructions)},
                      {"f32", number(line.f32)},
                      {"f64", number(line.f64)},
                      {"integer", number(line.integer)},
                      {"requests", number(line.requests)},
                      {"sectors", number(line.sectors)},
                      {"ideal_sectors", number(line.ideal_sectors)},
                      {"shared_requests", number(line.shared_requests)},
                      {"wavefronts", number(line.wavefronts)},
                      {"ideal_wavefronts", number(line.ideal_wavefronts)},
                      {"branches", number(line.branches)},
                      {"divergent", number(line.divergent)}});
}

std::string array_json(const ArrayCosts& array) {
  return json_object({{"name", json_string(array.name)},
                      {"bytes", number(array.bytes)},
                      {"bytes_read", number(array.bytes_read)},
                      {"bytes_written", number(array.bytes_written)},
                      {"sectors_read", number(array.sectors_read)},
                      {"sectors_written", number(array.sectors_written)},
                      {"block_sectors", number(array.block_sectors)},
                      {"grid_sectors", number(array.grid_sectors)},
                      {"grid_pairs", number(array.grid_pairs)},
                      {"stored_sectors", number(array.stored_sectors)},
                      {"partial_sectors", number(array.partial_sectors)}});
}

std::string prediction_json(const Prediction& prediction) {
  std::vector<Field> fields = {{"seconds", number(prediction.total)},
                               {"limit", json_string(name_of(prediction.limit))},
                               {"memory_bytes", number(prediction.memory_bytes)},
                               {"l2_bytes", number(prediction.l2_bytes)}};
  std::vector<Field> resources;
  for (int i = 0; i < kResources; ++i) {
    const auto resource = static_cast<Resource>(i);
    resources.emplace_back(name_of(resource), number(prediction.seconds_of(resource)));
  }
  fields.emplace_back("resources", json_object(resources));
  return json_object(fields);
}

/// Operations on floats of the whole launch.
double flops_of(const Report& report) {
  double flops = 0;
  for (const LineCosts& line : report.lines) flops += static_cast<double>(line.f32 + line.f64);
  return flops * report.costs.scale();
}

std::string report_json(const Report& report) {
  const LaunchCosts& costs = report.costs;
  return json_object(
      {{"kernel", json_string(measure::signature_of(costs.kernel))},
       {"chip", json_string(report.chip->name)},
       {"grid", json_string(measure::extents_text(costs.grid))},
       {"block", json_string(measure::extents_text(costs.block))},
       {"blocks", number(costs.blocks())},
       {"blocks_counted", number(costs.blocks_counted)},
       {"registers", report.assembled ? number(std::int64_t{report.assembled->registers}) : "null"},
       {"spilled_bytes", report.assembled ? number(std::int64_t{report.assembled->spilled_bytes}) : "null"},
       {"occupancy", number(report.occupancy.share)},
       {"occupancy_limit", json_string(name_of(report.occupancy.limit))},
       {"prediction", prediction_json(report.prediction)},
       {"flops", number(flops_of(report))},
       {"peaks", json_object({{"bytes_per_second", number(report.chip->gigabytes_per_second * 1e9)},
                              {"f32_per_second", number(report.chip->f32_per_second())},
                              {"f64_per_second", number(report.chip->f64_per_second())}})},
       {"arrays", json_list(costs.arrays, array_json)},
       {"lines", json_list(report.lines, line_json)},
       {"accesses", json_list(costs.accesses, access_json)},
       {"advice", json_list(report.advice, [](const Advice& advice) {
          return with(place(advice.place), {{"what", json_string(advice.what)}, {"fix", json_string(advice.fix)}});
        })}});
}

}  // namespace

std::string to_json(const std::vector<Report>& reports) { return json_list(reports, report_json) + "\n"; }

}  // namespace pykc::insight
