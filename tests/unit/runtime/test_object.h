// The bytes of the object that cpu_kernels.cpp was compiled to.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace pykc::testing {

inline std::string test_object() {
  std::ifstream file(TEST_OBJECT, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace pykc::testing
