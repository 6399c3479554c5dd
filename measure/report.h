// What was measured, as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "measure/benchmark.h"
#include "measure/roofline.h"

namespace pykc::measure {

/// A point that could not be measured.
struct Failure {
  std::int64_t size = 0;
  Dim3 block;
  std::string message;
  std::string configuration = {};  // of several
};

struct Report {
  std::string kernel;  // "vecadd(z: f32[:], x: f32[:], y: f32[:])"
  DeviceInfo device;
  Roofline roofline;
  bool has_foreign_code = false;
  std::vector<Point> points;
  std::vector<Failure> failures;
};

/// Rates of a point, by its median time.
double bytes_per_second(const Point& point);
double flops_per_second(const Point& point);
/// The time that the device needs at least (Roofline) over the median: 1 is the roofline.
double share_of_roofline(const Roofline& roofline, const Point& point);

std::string signature_of(const KernelInfo& kernel);

/// A table for a terminal, with a legend that says what was counted.
std::string to_table(const Report& report);
/// A line of names, then one a point; times in seconds, rates a second.
std::string to_csv(const Report& report);
std::string to_json(const Report& report);
/// Two plots beside each other: times over sizes, and the roofline with the points.
std::string to_svg(const Report& report);

}  // namespace pykc::measure
