// What a teacher would say of a launch, where its counters show it.
#pragma once

#include <vector>

#include "insight/report.h"

namespace pykc::insight {

std::vector<Advice> advise(const Report& report);

/// Whether it moves twice as much as it would if its threads' elements lay side by side, or more.
inline bool is_far_apart(const AccessCosts& access) { return access.sectors >= 2 * access.ideal_sectors; }

}  // namespace pykc::insight
