// Kernels that lie in the program: no compiler, no source, no cache. What it prints is what they computed.
#include <cstdio>
#include <vector>

#include "kernels.h"

int main() {
  const pykc::Device device = pykc::Device::open("cpu").value();
  const kernels::Kernels k = kernels::load(device).value();
  const pykc::LaunchConfig config{.grid = {1}, .block = {64}};

  std::vector<float> host(10, 1.5F);
  const auto x = device.copy_from<float>(host).value();
  k.scale(config, x, 2.0F).value();
  k.factor_OFFSET()->copy_from(std::vector<float>{0.25F}).value();
  k.PARTS()->copy_from(std::vector<kernels::Part>(2)).value();
  k.scale(config, x, 2).value();  // an integer that an f32 holds
  x.copy_to(host).value();

  std::vector<kernels::Particle> particles(3);
  const auto p = device.copy_from<kernels::Particle>(particles).value();
  const kernels::Particle step{.position = {1, 2, 3, 4},
                               .velocity = {5, 6},
                               .charge = {7, 8},
                               .active = false,
                               .parts = {{{1}, {0x3c00}}, {{2}, {0x4000}}},
                               .Particle_ = 9};
  k.move(config, p, step).value();
  p.copy_to(particles).value();

  const auto numbers = device.allocate<double>(1).value();
  double number = 0;
  k.new_({}, numbers).value();
  numbers.copy_to({&number, 1}).value();

  const kernels::Particle& last = particles[2];
  std::printf("%g | %g %g %d %d %d %x %d | %g\n", host[9], last.position.w, last.velocity.imag(), last.charge[0],
              last.charge[1], last.active, last.parts[1].mass.bits, last.Particle_, number);
#if defined DOUBLE_FOR_FLOAT
  k.scale(config, x, 2.0).value();
#elif defined SCALAR_FOR_ARRAY
  k.scale(config, 2.0F, 2.0F).value();
#elif defined OTHER_ELEMENTS
  k.scale(config, numbers, 2.0F).value();
#elif defined OTHER_RECORD
  k.move(config, p, step.position).value();
#elif defined TOO_FEW
  k.move(config, p).value();
#endif
}
