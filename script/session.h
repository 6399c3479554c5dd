// What one run shares: the device, the output, the random numbers.
#pragma once

#include <optional>
#include <string_view>

#include "base/random.h"
#include "pykc/runtime.h"
#include "script/outcome.h"
#include "script/script.h"

namespace pykc::script {

class Session {
 public:
  explicit Session(const RunOptions& options) : options_(options) {}

  const RunOptions& options() const { return options_; }
  /// The device, opened when it is first needed: a script that launches nothing needs none.
  Outcome<Device> device();
  void print(std::string_view text) const {
    if (options_.print) options_.print(text);
  }
  RandomGenerator random;

 private:
  const RunOptions& options_;
  std::optional<Device> device_;
};

}  // namespace pykc::script
