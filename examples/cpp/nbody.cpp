// Gravitation: every body attracts every other one. The kernels (nbody.pyk) are compiled by the build; a body is a
// vector of four floats there, and a struct of the generated header here.
//
//   nbody [DEVICE [SIZE]]        SIZE bodies
#include "nbody.h"

#include "example.h"

using example::require;
using nbody::f32x4;

namespace {

constexpr double kSoftening = 1e-4;  // as in nbody.pyk
constexpr int kSteps = 10;
constexpr float kTimeStep = 1e-3F;

/// A ball of bodies whose masses add up to 1.
std::vector<f32x4> ball(std::int64_t n) {
  example::Random random(1);
  std::vector<f32x4> bodies;
  while (std::ssize(bodies) < n) {
    const float x = 2 * random.next() - 1, y = 2 * random.next() - 1, z = 2 * random.next() - 1;
    if (x * x + y * y + z * z <= 1) bodies.push_back({x, y, z, 1 / static_cast<float>(n)});
  }
  return bodies;
}

/// What the others do to body i, in double.
std::array<double, 3> acceleration_of(const std::vector<f32x4>& bodies, std::int64_t i) {
  std::array<double, 3> total = {};
  for (const f32x4& body : bodies) {
    const double dx = static_cast<double>(body.x) - bodies[i].x, dy = static_cast<double>(body.y) - bodies[i].y;
    const double dz = static_cast<double>(body.z) - bodies[i].z;
    const double force = body.w * std::pow(dx * dx + dy * dy + dz * dz + kSoftening, -1.5);
    total[0] += force * dx;
    total[1] += force * dy;
    total[2] += force * dz;
  }
  return total;
}

/// Forces come in opposite pairs, so what moves one way moves another as much the other way. All masses are equal.
double mean_speed_of_the_whole(const std::vector<f32x4>& velocity) {
  double x = 0, y = 0, z = 0;
  for (const f32x4& v : velocity) {
    x += static_cast<double>(v.x);
    y += static_cast<double>(v.y);
    z += static_cast<double>(v.z);
  }
  return std::hypot(x, y, z) / static_cast<double>(velocity.size());
}

}  // namespace

int main(int count, char** arguments) {
  const example::Options options = example::options(count, arguments, {.gpu = 262144, .cpu = 8192, .smallest = 2});
  const pykc::Device& device = options.device;
  const std::int64_t n = options.size;
  example::Report report("gravitation of " + std::to_string(n) + " bodies", device);
  const nbody::Kernels kernels = require(nbody::load(device));

  std::vector<f32x4> bodies = ball(n), velocity(n), acceleration(n);
  const auto device_bodies = require(device.copy_from<f32x4>(bodies));
  const auto device_velocity = require(device.zeros<f32x4>({n}));
  const auto device_acceleration = require(device.allocate<f32x4>(n));
  const pykc::LaunchConfig config{.grid = {(n + 255) / 256}, .block = {256}};

  const double ms = example::milliseconds(
      device.default_stream(), [&] { require(kernels.accelerate(config, device_acceleration, device_bodies)); });
  report.rate("forces between all pairs", ms, 1e-6 * static_cast<double>(n) * static_cast<double>(n) / ms,
              "10^9 interactions/s");

  require(device_acceleration.copy_to(acceleration));
  double difference = 0, largest = 0;
  int checked = 0;
  for (std::int64_t i = 0; i < n; i += std::max<std::int64_t>(1, n / 61), ++checked) {
    const auto [x, y, z] = acceleration_of(bodies, i);
    const f32x4& got = acceleration[i];
    const double distance = std::hypot(x - got.x, y - got.y, z - got.z);
    difference = distance <= difference ? difference : distance;  // a NaN stays
    largest = std::max(largest, std::hypot(x, y, z));
  }
  report.check("the forces on " + std::to_string(checked) + " bodies, beside the largest", difference / largest, 1e-5);

  for (int step = 0; step < kSteps; ++step) {
    require(kernels.accelerate(config, device_acceleration, device_bodies));
    require(kernels.move(config, device_bodies, device_velocity, device_acceleration, kTimeStep));
  }
  require(device_velocity.copy_to(velocity));
  double fastest = 0;
  for (const f32x4& v : velocity) fastest = std::max(fastest, std::hypot<double>(v.x, v.y, v.z));
  report.check("the whole stays where it is: its speed, beside the fastest body's",
               mean_speed_of_the_whole(velocity) / fastest, 1e-6);
  return report.exit_code();
}
