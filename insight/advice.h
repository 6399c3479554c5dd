// What a teacher would say of a launch, where its counters show it.
#pragma once

#include <vector>

#include "insight/report.h"

namespace pykc::insight {

std::vector<Advice> advise(const Report& report);

}  // namespace pykc::insight
