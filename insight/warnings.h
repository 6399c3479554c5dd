// What a run shows of the compiler's guesses.
#pragma once

#include <vector>

#include "pykc/costs.h"
#include "pykc/diagnostic.h"

namespace pykc::insight {

/// Whether launches ran the line of a warning that an index may lie outside (W0509), or that neighbours lie far apart
/// (W0510), and none of them did so. Of a grid that was not counted whole, the last block was among those that were.
bool is_refuted(const Diagnostic& warning, const std::vector<LaunchCosts>& launches);

}  // namespace pykc::insight
