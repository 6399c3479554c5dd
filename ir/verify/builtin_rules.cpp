// Holds calls of builtins to the signature of its row: "(x: F, n: i32 = 1) -> F".
#include <algorithm>
#include <string_view>

#include "ir/verify/instruction_rules.h"

namespace pykc::ir {
namespace {

struct Signature {
  std::vector<std::string_view> parameters;  // type words
  std::string_view result;
};

std::string_view before(std::string_view text, std::string_view mark) { return text.substr(0, text.find(mark)); }

Signature read_signature(std::string_view text) {
  Signature signature;
  const std::size_t close = text.find(") -> ");
  signature.result = text.substr(close + 5);
  std::string_view rest = text.substr(1, close - 1);
  while (!rest.empty()) {
    const std::string_view parameter = before(rest, ", ");
    signature.parameters.push_back(before(parameter.substr(parameter.find(": ") + 2), " = "));
    rest.remove_prefix(std::min(rest.size(), parameter.size() + 2));
  }
  return signature;
}

bool is_in_class(ScalarType type, char letter) {
  switch (letter) {
    case 'F':
      return is_float(type);
    case 'D':
      return type == ScalarType::F32 || type == ScalarType::F64;
    case 'I':
      return is_integer(type);
    case 'N':
      return is_integer(type) || is_float(type);
    case 'W':
      return type == ScalarType::I32 || type == ScalarType::U32;
    default:
      return letter == 'S';
  }
}

/// Matches types against words; one letter stands for one type.
class Matcher {
 public:
  bool matches(Type type, std::string_view word) {
    if (word == "none") return type.is_none();
    if (!type.is_scalar()) return false;
    if (word.size() > 1) return pykc::to_string(type.scalar) == word;
    if (bound_ && letter_ == word.front()) return *bound_ == type.scalar;
    letter_ = word.front();
    bound_ = type.scalar;
    return is_in_class(type.scalar, letter_);
  }

 private:
  char letter_ = 0;
  std::optional<ScalarType> bound_;
};

/// Whether the front end puts something else in the builtin's place.
bool must_be_lowered(const pykc::Builtin& row, const Signature& signature) {
  if (row.id == BuiltinId::MatchAllSync) return false;
  return row.name.starts_with("atomic.") || row.id == BuiltinId::Assume || row.cpu.kind == Lowering::Kind::Library ||
         row.cpu.kind == Lowering::Kind::Bitcast || signature.result.starts_with("tuple");
}

}  // namespace

std::string check_builtin(BuiltinId builtin, const std::vector<Type>& arguments, std::optional<Type> result) {
  const pykc::Builtin& row = info(builtin);
  const std::string name(row.name);
  const Signature signature = read_signature(row.signature);
  if (must_be_lowered(row, signature)) return name + " must be lowered";
  if (arguments.size() != signature.parameters.size())
    return name + " takes " + std::to_string(signature.parameters.size()) + " operands, not " +
           std::to_string(arguments.size());
  Matcher matcher;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!matcher.matches(arguments[i], signature.parameters[i]))
      return name + ": operand " + std::to_string(i) + " has type " + to_string(arguments[i]);
  // The second result of match_all_sync follows from the first, which alone is a value of the IR.
  const std::string_view wanted = builtin == BuiltinId::MatchAllSync ? "u32" : signature.result;
  if (result && !matcher.matches(*result, wanted)) return name + " does not give " + to_string(*result);
  return {};
}

}  // namespace pykc::ir
