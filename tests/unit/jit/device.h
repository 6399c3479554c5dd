// The device that the tests of this folder run on: the CPU device, or that of PYKC_TEST_DEVICE ("cuda:0").
#pragma once

#include <cstdlib>

#include "pykc/runtime.h"

namespace pykc::testing {

inline Device device() {
  const char* name = std::getenv("PYKC_TEST_DEVICE");
  return Device::open(name != nullptr ? name : "cpu").value();
}

}  // namespace pykc::testing
