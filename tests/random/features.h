// The features of a random program; features.def lists them.
#pragma once

#include <bitset>
#include <cstddef>

#include "tests/random/random.h"

namespace pykc::random_test {

enum class Feature : unsigned char {
#define FEATURE(name, percentage) name,
#include "tests/random/features.def"
};

class Features {
 public:
  explicit Features(Random& random) {
    std::size_t i = 0;
#define FEATURE(name, percentage) set_[i++] = random.chance(percentage);
#include "tests/random/features.def"
  }
  bool has(Feature feature) const { return set_[static_cast<std::size_t>(feature)]; }

 private:
  std::bitset<64> set_;
};

}  // namespace pykc::random_test
