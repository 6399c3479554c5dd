// A configuration of a kernel: what its `constexpr` parameters are, and what else its launch is worked out from.
//
//   const pykc::Configuration large{{"TILE", 32}, {"ROWS", 8}};
//   large["TILE"];      // 32
//   large.text();       // "TILE=32, ROWS=8"
//
// A plain value. autotune.h chooses between several.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pykc/compiler.h"

namespace [[gnu::visibility("default")]] pykc {

class Configuration {
 public:
  Configuration(std::initializer_list<Constant> constants) : constants_(constants) {}
  explicit Configuration(std::vector<Constant> constants) : constants_(std::move(constants)) {}

  const std::vector<Constant>& constants() const { return constants_; }
  /// Null where there is none of that name.
  const Constant* find(std::string_view name) const;
  /// An integer or a bool. Any other name is a programmer's error, which ends the program with its text.
  std::int64_t operator[](std::string_view name) const;
  std::string text() const;

 private:
  std::vector<Constant> constants_;
};

}  // namespace pykc
