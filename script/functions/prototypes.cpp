#include "script/functions/prototypes.h"

#include "base/text.h"
#include "frontend/program/signature.h"
#include "script/values/array.h"

namespace pykc::script {
namespace {

using Weakness = OperandType::Weakness;

bool is_complex(const ElementType& type) { return type.is_record() && type.record->kind == RecordType::Kind::Complex; }

/// The type of a number or of a complex number's parts.
ScalarType part_of(const ElementType& type) {
  return is_complex(type) ? type.record->fields[0].type.scalar : type.scalar;
}

/// bool, unsigned, integer, float, complex: none holds what those behind it hold.
int kind_of(const ElementType& type) {
  if (is_complex(type)) return 4;
  if (is_float(type.scalar)) return 3;
  if (type.scalar == ScalarType::Bool) return 0;
  return is_signed_integer(type.scalar) ? 2 : 1;
}

/// "numba.float32(nb.int64)" without the modules' names.
std::string without_modules(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dot =
        text[i] == '.' && !result.empty() && (std::isalpha(static_cast<unsigned char>(result.back())) != 0);
    if (!is_dot) {
      result += text[i];
      continue;
    }
    while (!result.empty() && (std::isalnum(static_cast<unsigned char>(result.back())) != 0 || result.back() == '_'))
      result.pop_back();
  }
  return result;
}

}  // namespace

std::optional<Operand> operand_of(const Value& value) {
  if (const std::optional<OperandType> number = operand_type(value)) return Operand{number->type, number->weakness};
  const ArrayRef* array = value.as<ArrayRef>();
  if (!array || !is_complex((*array)->element())) return std::nullopt;
  return Operand{(*array)->element(), (*array)->rank() == 0 ? Weakness::WeakFloat : Weakness::Strong};
}

Outcome<Prototype> parse_prototype(const std::string& text) {
  std::string error;
  const auto refuse = [&](std::string_view why) {
    return fail(DiagnosticId::HostWrongType, "prototype of `@vectorize", "like `float32(float32, float32)`",
                "`" + text + "`" + (why.empty() ? "" : ": " + std::string(why)));
  };
  const std::optional<SignatureText> read = parse_signature_text(without_modules(text), SignatureDialect::Numba, error);
  if (!read) return refuse(error);
  Prototype prototype{.result = {}, .parameters = {}, .text = text};
  const auto element = [](const ArgumentType& type) -> std::optional<ElementType> {
    const bool is_number = !type.is_tuple && !type.is_constant() && !type.parameter.is_array;
    return is_number ? std::optional(type.parameter.value) : std::nullopt;
  };
  for (const ArgumentType& type : read->parameters) {
    const std::optional<ElementType> number = element(type);
    if (!number) return refuse("a function of elements takes numbers");
    prototype.parameters.push_back(*number);
  }
  if (read->name.empty()) return prototype;
  const std::optional<ArgumentType> result = parse_type_text(read->name, SignatureDialect::Numba, error);
  if (result) prototype.result = element(*result);
  if (!prototype.result) return refuse("its result is a number");
  return prototype;
}

Outcome<Prototype> parse_array_prototype(const std::string& text) {
  std::string error;
  std::string named = without_modules(text);
  if (named.starts_with('(')) named = "void" + named;
  const auto refuse = [&](std::string_view why) {
    return fail(DiagnosticId::HostWrongType, "prototype of `@guvectorize", "like `void(float32[:], float32[:])`",
                "`" + text + "`" + (why.empty() ? "" : ": " + std::string(why)));
  };
  const std::optional<SignatureText> read = parse_signature_text(named, SignatureDialect::Numba, error);
  if (!read) return refuse(error);
  if (read->name != "void") return refuse("the function returns nothing: it sets its last arguments");
  Prototype prototype{.result = {}, .parameters = {}, .text = text};
  for (const ArgumentType& type : read->parameters) {
    if (type.is_tuple || type.is_constant()) return refuse("it takes arrays and numbers");
    const ParameterInfo& parameter = type.parameter;
    prototype.parameters.push_back(parameter.is_array ? parameter.array.element : parameter.value);
    prototype.is_array.push_back(parameter.is_array);
  }
  return prototype;
}

bool converts_safely(const Operand& from, const ElementType& to) {
  if (to.is_record() && !is_complex(to)) return false;
  switch (from.weakness) {
    case Weakness::WeakBool:
      return true;
    case Weakness::WeakInt:
      return kind_of(to) > 0;
    case Weakness::WeakFloat:
      return kind_of(to) >= kind_of(from.type);
    case Weakness::Strong:
      break;
  }
  return kind_of(to) >= kind_of(from.type) && promote(part_of(from.type), part_of(to)) == part_of(to);
}

bool is_same_kind(const ElementType& from, const ElementType& to) { return kind_of(from) <= kind_of(to); }

Outcome<const Prototype*> choose_prototype(const std::vector<Prototype>& prototypes,
                                           const std::vector<Operand>& operands, const std::string& function) {
  if (prototypes.empty()) return static_cast<const Prototype*>(nullptr);
  std::string all;
  for (const Prototype& prototype : prototypes) {
    bool fits = prototype.parameters.size() == operands.size();
    for (std::size_t i = 0; fits && i < operands.size(); ++i)
      fits = converts_safely(operands[i], prototype.parameters[i]);
    if (fits) return &prototype;
    all += (all.empty() ? "`" : ", `") + prototype.text + "`";
  }
  const std::string given = list_text(operands, [](const Operand& operand) { return to_string(operand.type); });
  return fail(DiagnosticId::HostWrongType, "arguments` of `" + function, "safe to convert for one of " + all, given)
      .note("convert one yourself, `x.astype(np.float32)`, or add a prototype for these types");
}

}  // namespace pykc::script
