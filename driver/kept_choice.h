// A choice that was made by measuring, as a line of text on disk beside the compiled kernels, named by all that it
// depends on. PYKC_CACHE=off, or options.cache, turns it off, too.
#pragma once

#include <optional>
#include <string>

#include "driver/artifact_cache.h"
#include "frontend/frontend.h"
#include "pykc/compiler.h"

namespace pykc::driver {

class KeptChoice {
 public:
  /// For a kernel of a program; `situation` is whatever else matters. `options.target` is that of the device.
  KeptChoice(const Program& program, const KernelRequest& request, const CompileOptions& options,
             const std::string& situation);
  std::optional<std::string> find() const;
  /// A cache that cannot be written is no error: the next program measures again.
  void store(const std::string& text) const;

 private:
  std::optional<ArtifactCache> cache_;
  std::string key_;
};

}  // namespace pykc::driver
