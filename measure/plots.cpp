// The two plots of a report: times over sizes, and what the device is used for. The second is the roofline where the
// kernel both moves bytes and computes; else the rate of what it does, over sizes, below the device's.
#include <algorithm>
#include <cmath>

#include "measure/report.h"
#include "measure/svg.h"
#include "measure/sweep.h"
#include "measure/units.h"

namespace pykc::measure {
namespace {

/// A curve for each shape of block and configuration, of the points that it has; logarithmic axes have no place for 0.
template <typename Sample>
std::vector<Curve> curves_by_launch(const Report& report, Sample sample) {
  std::vector<Curve> curves;
  for (const Point& point : report.points) {
    const std::string block =
        extents_text(point.block) + (point.configuration.empty() ? "" : ", " + point.configuration);
    auto curve = std::ranges::find(curves, block, &Curve::label);
    if (curve == curves.end())
      curve = curves.insert(curve, {.label = block, .color = color(curves.size()), .is_dashed = curves.size() >= 10});
    Curve::Sample value = sample(point);
    if (!(value.x > 0 && value.y > 0)) continue;
    value.hint =
        "size " + std::to_string(point.size) + ", block " + block + ": " + with_prefix(point.times.median, "s");
    curve->samples.push_back(value);
  }
  for (Curve& curve : curves) {
    std::ranges::sort(curve.samples, {}, &Curve::Sample::x);
    curve.label = "block " + curve.label;
  }
  return curves;
}

Plot times(const Report& report) {
  return {
      "Time of a launch", "size (elements)", "median time", "", "s", curves_by_launch(report, [](const Point& point) {
        return Curve::Sample{static_cast<double>(point.size), point.times.median};
      })};
}

double intensity(const Point& point) {
  return static_cast<double>(flops_of(point.counts)) / static_cast<double>(bytes_of(point.counts));
}

Curve roof(std::string label, std::vector<Curve::Sample> samples) {
  return {.label = std::move(label), .samples = std::move(samples), .has_dots = false};
}

Plot rate(const Report& report, std::string title, std::string label, const char* unit, double most,
          double (*of)(const Point&)) {
  Plot plot{std::move(title),
            "size (elements)",
            std::move(label),
            "",
            unit,
            curves_by_launch(report, [of](const Point& point) {
              return Curve::Sample{static_cast<double>(point.size), of(point)};
            })};
  const auto [least, largest] = std::ranges::minmax(report.points, {}, &Point::size);
  plot.curves.push_back(roof(with_prefix(most, unit), {{static_cast<double>(least.size), most},
                                                       {10.0 * static_cast<double>(largest.size), most}}));
  return plot;
}

Plot roofline(const Report& report) {
  Plot plot{"Roofline",
            "operations for each byte of global memory",
            "operations on floats a second",
            "",
            "FLOP/s",
            curves_by_launch(report, [](const Point& point) {
              return Curve::Sample{intensity(point), flops_per_second(point)};
            })};
  for (Curve& curve : plot.curves) curve.has_line = false;
  const Roofline& device = report.roofline;
  const auto [least, most] = std::ranges::minmax(report.points, {}, intensity);
  const double ridge = device.f32_per_second / device.bytes_per_second;
  const double left = std::min(intensity(least), ridge) / 4, right = std::max(intensity(most), ridge) * 4;
  Curve memory = roof("copy: " + with_prefix(device.bytes_per_second, "B/s"),
                      {{left, left * device.bytes_per_second}, {ridge, device.f32_per_second}});
  memory.is_named_at_start = true;
  plot.curves.push_back(std::move(memory));
  plot.curves.push_back(roof("f32 fma: " + with_prefix(device.f32_per_second, "FLOP/s"),
                             {{ridge, device.f32_per_second}, {right, device.f32_per_second}}));
  const double f64_ridge = device.f64_per_second / device.bytes_per_second;
  Curve f64 = roof("f64 fma: " + with_prefix(device.f64_per_second, "FLOP/s"),
                   {{f64_ridge, device.f64_per_second}, {right, device.f64_per_second}});
  f64.is_dashed = true;
  const bool computes_f64 = std::ranges::any_of(report.points, [](const Point& point) {
    return point.counts[static_cast<std::size_t>(ir::Counter::F64Operations)] > 0;
  });
  if (computes_f64) plot.curves.push_back(std::move(f64));
  return plot;
}

Plot use_of_device(const Report& report) {
  const auto all = [&](std::int64_t (*count)(const ir::Counts&)) {
    return std::ranges::all_of(report.points, [&](const Point& point) { return count(point.counts) > 0; });
  };
  if (all(bytes_of) && all(flops_of)) return roofline(report);
  if (all(bytes_of))
    return rate(report, "Bandwidth (nothing computes on floats)", "bytes of global memory a second", "B/s",
                report.roofline.bytes_per_second, bytes_per_second);
  return rate(report, "Operations (no byte of global memory is asked for)", "operations on floats a second", "FLOP/s",
              report.roofline.f32_per_second, flops_per_second);
}

}  // namespace

std::string to_svg(const Report& report) {
  const std::string title = report.kernel + " on " + report.device.name + ": " + report.device.description;
  if (report.points.empty()) return draw(title, {});
  return draw(title, {times(report), use_of_device(report)});
}

}  // namespace pykc::measure
