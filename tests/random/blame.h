// Which stage of the compiler made a program wrong.
#pragma once

#include <string>
#include <vector>

#include "tests/random/trial.h"

namespace pykc::random_test {

/// One line a stage, from the source on, saying whether its result is still as expected; then the one to blame.
std::string blame(const std::string& source, const Settings& settings, const std::vector<Device>& devices);

}  // namespace pykc::random_test
