#include "values.h"

float value_of_one() {
  const pykc::Device device = pykc::Device::open("cpu").value();
  const pykc::Array<float> x = device.zeros<float>(1).value();
  values::load(device).value().set_value({}, x).value();
  return x.to_vector().value().front();
}
