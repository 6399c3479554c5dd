#include "insight/warnings.h"

#include "insight/advice.h"

namespace pykc::insight {

bool is_refuted(const Diagnostic& warning, const std::vector<LaunchCosts>& launches) {
  const bool is_outside = warning.code == "W0509";
  if (!is_outside && warning.code != "W0510") return false;
  bool was_run = false;
  for (const LaunchCosts& launch : launches)
    for (const AccessCosts& access : launch.accesses) {
      if (access.is_shared || access.place.file != warning.place.file || access.place.line != warning.place.line)
        continue;
      if (is_outside ? access.lanes_elsewhere > 0 : is_far_apart(access)) return false;
      was_run = true;
    }
  return was_run;
}

}  // namespace pykc::insight
