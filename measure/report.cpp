#include "measure/report.h"

#include <algorithm>
#include <cstdio>

#include "base/json.h"
#include "base/text.h"
#include "measure/sweep.h"
#include "measure/units.h"
#include "pykc/embedded.h"

namespace pykc::measure {
namespace {

template <typename... Values>
std::string format(const char* text, Values... values) {
  std::string line(static_cast<std::size_t>(std::snprintf(nullptr, 0, text, values...)), '\0');
  std::snprintf(line.data(), line.size() + 1, text, values...);
  return line;
}

std::string table_line(const Report& report, const Point& point) {
  return format("%12lld %10s %10s %10s %10s %9.1f %9.1f %8.1f %%", static_cast<long long>(point.size),
                extents_text(point.block).c_str(), with_prefix(point.times.minimum, "s").c_str(),
                with_prefix(point.times.median, "s").c_str(), with_prefix(point.times.maximum, "s").c_str(),
                bytes_per_second(point) * 1e-9, flops_per_second(point) * 1e-9,
                100 * share_of_roofline(report.roofline, point)) +
         (point.configuration.empty() ? "" : "  " + point.configuration) + "\n";
}

bool has_configurations(const Report& report) {
  return std::ranges::any_of(report.points, [](const Point& point) { return !point.configuration.empty(); });
}

std::string legend(const Report& report) {
  const Roofline& roof = report.roofline;
  std::string text = format(
      "\nGB/s      bytes of global memory that threads ask for, by the median; caches may serve some\n"
      "GFLOP/s   operations on floats: a fused multiply-add is two, a function of `math` one\n"
      "roofline  the time that the device needs at least for these bytes or operations, over the median;\n"
      "          measured in this run: copy %sB/s, f32 fma %sFLOP/s, f64 fma %sFLOP/s\n",
      with_prefix(roof.bytes_per_second, "").c_str(), with_prefix(roof.f32_per_second, "").c_str(),
      with_prefix(roof.f64_per_second, "").c_str());
  if (report.has_foreign_code)
    text += "          not counted: what ptx() and functions of libraries do, which this kernel calls\n";
  return text;
}

using Field = std::pair<const char*, std::string>;

/// A point as names and values; what is text has its quotes.
std::vector<Field> fields(const Report& report, const Point& point) {
  const auto number = [](double value) { return format("%.9g", value); };
  const auto count = [&](ir::Counter counter) {
    return std::to_string(point.counts[static_cast<std::size_t>(counter)]);
  };
  return {{"size", std::to_string(point.size)},
          {"block", json_string(extents_text(point.block))},
          {"grid", json_string(extents_text(point.grid))},
          {"configuration", json_string(point.configuration)},
          {"samples", std::to_string(point.times.samples)},
          {"launches_per_sample", std::to_string(point.times.launches)},
          {"min_seconds", number(point.times.minimum)},
          {"median_seconds", number(point.times.median)},
          {"max_seconds", number(point.times.maximum)},
          {"bytes_loaded", count(ir::Counter::BytesLoaded)},
          {"bytes_stored", count(ir::Counter::BytesStored)},
          {"f32_operations", count(ir::Counter::F32Operations)},
          {"f64_operations", count(ir::Counter::F64Operations)},
          {"bytes_per_second", number(bytes_per_second(point))},
          {"flops_per_second", number(flops_per_second(point))},
          {"share_of_roofline", number(share_of_roofline(report.roofline, point))}};
}

}  // namespace

double bytes_per_second(const Point& point) { return static_cast<double>(bytes_of(point.counts)) / point.times.median; }
double flops_per_second(const Point& point) { return static_cast<double>(flops_of(point.counts)) / point.times.median; }
double share_of_roofline(const Roofline& roofline, const Point& point) {
  return least_seconds(roofline, point.counts) / point.times.median;
}

std::string signature_of(const KernelInfo& kernel) { return kernel.name + "(" + parameter_text(kernel) + ")"; }

std::string to_table(const Report& report) {
  std::string text = report.kernel + " on " + report.device.name + ": " + report.device.description + "\n\n" +
                     format("%12s %10s %10s %10s %10s %9s %9s %10s", "size", "block", "min", "median", "max", "GB/s",
                            "GFLOP/s", "roofline") +
                     (has_configurations(report) ? "  configuration\n" : "\n");
  for (const Point& point : report.points) text += table_line(report, point);
  return text + legend(report);
}

std::string to_csv(const Report& report) {
  std::string text;
  for (const Point& point : report.points) {
    const std::vector<Field> row = fields(report, point);
    if (text.empty()) text = list_text(row, &Field::first, ",") + "\n";
    text += list_text(row, &Field::second, ",") + "\n";
  }
  return text;
}

std::string to_json(const Report& report) {
  const auto number = [](double value) { return format("%.9g", value); };
  std::string text = "{\"kernel\": " + json_string(report.kernel) + ", \"device\": " + json_string(report.device.name) +
                     ", \"description\": " + json_string(report.device.description) +
                     ",\n \"roofline\": {\"bytes_per_second\": " + number(report.roofline.bytes_per_second) +
                     ", \"f32_flops_per_second\": " + number(report.roofline.f32_per_second) +
                     ", \"f64_flops_per_second\": " + number(report.roofline.f64_per_second) + "},\n \"points\": [";
  for (const Point& point : report.points) {
    const std::string object = list_text(
        fields(report, point), [](const Field& field) { return json_string(field.first) + ": " + field.second; });
    text += (&point == report.points.data() ? "\n  {" : ",\n  {") + object + "}";
  }
  text += "],\n \"failures\": [";
  for (const Failure& failure : report.failures)
    text += std::string(&failure == report.failures.data() ? "\n  " : ",\n  ") +
            "{\"size\": " + std::to_string(failure.size) + ", \"block\": " + json_string(extents_text(failure.block)) +
            ", \"configuration\": " + json_string(failure.configuration) +
            ", \"message\": " + json_string(failure.message) + "}";
  return text + "]}\n";
}

}  // namespace pykc::measure
