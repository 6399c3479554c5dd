// The signatures of the builtin table, read from their text: "(x: F, n: i32 = 0) -> tuple[F, i32]".
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pykc/types.h"
#include "stdlib/builtins.h"

namespace pykc::checker {

/// A type in a signature: a class letter (D, F, I, N, S, W), a scalar type, "index", or "none".
struct SignatureType {
  char letter = 0;
  std::optional<ScalarType> scalar;
  bool is_array = false;  // "N[...]"
  bool is_index = false;
};

struct SignatureParameter {
  std::string_view name;
  SignatureType type;
  std::string_view default_text;  // "" where there is none
};

struct BuiltinSignature {
  std::vector<SignatureParameter> parameters;
  std::vector<SignatureType> results;  // none, one, or those of a tuple
  int required = 0;
};

BuiltinSignature read_signature(std::string_view text);

/// Reads each row when it is first asked for.
class SignatureTable {
 public:
  const BuiltinSignature& of(BuiltinId id);

 private:
  std::unordered_map<int, BuiltinSignature> signatures_;
};

}  // namespace pykc::checker
