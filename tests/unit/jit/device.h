// The device that the tests of this folder run on: the CPU device, or that of PYKC_TEST_DEVICE ("cuda:0").
#pragma once

#include <cstdlib>
#include <vector>

#include "pykc/runtime.h"

namespace pykc::testing {

inline Device device() {
  const char* name = std::getenv("PYKC_TEST_DEVICE");
  return Device::open(name != nullptr ? name : "cpu").value();
}

/// The elements of an array, once the device has computed them.
template <typename T>
std::vector<T> host(const Array<T>& array) {
  std::vector<T> values(static_cast<std::size_t>(array.size()));
  array.copy_to(values).value();
  return values;
}

}  // namespace pykc::testing
