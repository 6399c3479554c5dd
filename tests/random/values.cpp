#include "tests/random/values.h"

#include "tests/random/expressions.h"
#include "tests/random/functions.h"
#include "tests/random/memory.h"

namespace pykc::random_test {
namespace {

using Kind = ValueType::Kind;

constexpr int kLastCallDepth = -6;  // a function of records that gives one of them would call itself without end
constexpr ScalarType kParts[] = {ScalarType::F32, ScalarType::F64};

const Fields& fields_of(const Writer& w, const ValueType& type) {
  return (type.kind == Kind::Record ? w.records : w.tuples)[static_cast<std::size_t>(type.index)];
}

bool is_integer_enum(const Writer& w, const ValueType& type) {
  return type.kind == Kind::Enum && w.enums[static_cast<std::size_t>(type.index)].is_integer;
}

ValueType random_complex(Writer& w) { return ValueType::complex(w.random.pick(kParts)); }
ValueType random_vector(Writer& w) { return ValueType::vector(w.any_type(), 2 + w.number(3)); }

/// A scalar, a complex number or a vector, by what the program has.
ValueType field_type(Writer& w) {
  if (w.is_enabled(Feature::Complex) && w.chance(15)) return random_complex(w);
  if (w.is_enabled(Feature::Vectors) && w.chance(20)) return random_vector(w);
  return w.any_type();
}

std::string annotation_of(const Field& field) {
  return field.name + ": " + spelling(field.type) + (field.count > 0 ? "[" + std::to_string(field.count) + "]" : "");
}

void declare_record(Writer& w) {
  Fields fields;
  for (int i = 1 + w.number(4); i-- > 0;) {
    Field field{w.fresh("f"), field_type(w), 0};
    if (field.type.is_scalar() && w.chance(20)) field.count = 1 << w.number(3);
    if (!w.records.empty() && w.chance(20))
      field = {field.name, ValueType::of(Kind::Record, w.number(static_cast<int>(w.records.size()))), 0};
    fields.push_back(field);
  }
  const ValueType type = ValueType::of(Kind::Record, static_cast<int>(w.records.size()));
  w.blank_lines();
  w.line("@struct");
  w.line("class " + spelling(type) + ":");
  for (const Field& field : fields) w.line("    " + annotation_of(field));
  w.records.push_back(fields);
  w.composed.push_back(type);
}

void declare_named_tuple(Writer& w) {
  Fields fields;
  std::string names;
  for (int i = 1 + w.number(3); i-- > 0;) {
    fields.push_back({w.fresh("f"), w.any_type(), 0});
    names += (names.empty() ? "'" : ", '") + fields.back().name + "'";
  }
  const ValueType type = ValueType::of(Kind::NamedTuple, static_cast<int>(w.tuples.size()));
  w.blank_lines();
  if (w.chance(50)) {
    w.line(spelling(type) + " = namedtuple('" + spelling(type) + "', [" + names + "])");
  } else {
    w.line("class " + spelling(type) + "(NamedTuple):");
    for (const Field& field : fields) w.line("    " + annotation_of(field));
  }
  w.tuples.push_back(fields);
  w.composed.push_back(type);
}

void declare_enum(Writer& w) {
  const EnumShape shape{2 + w.number(3), w.chance(40)};
  const ValueType type = ValueType::of(Kind::Enum, static_cast<int>(w.enums.size()));
  w.blank_lines();
  w.line("class " + spelling(type) + (shape.is_integer ? "(IntEnum):" : "(Enum):"));
  for (int i = 0; i < shape.members; ++i)
    w.line("    M" + std::to_string(i) + " = " + std::to_string(w.number(200) - 100 + 200 * i));
  w.enums.push_back(shape);
  w.composed.push_back(type);
}

std::string complex_value(Writer& w, const ValueType& type, int depth) {
  const auto number = [&] { return expression(w, type.scalar, depth - 1).text; };
  const auto operand = [&] { return value(w, type, depth - 1); };
  if (depth <= 0 || w.chance(30)) return spelling(type) + "(" + number() + ", " + number() + ")";
  static constexpr const char* kOperators[] = {" + ", " - ", " * ", " / "};
  switch (w.number(6)) {
    case 0:
      return "(" + operand() + ").conjugate()";
    case 1:
      return "(-" + operand() + ")";
    case 2:
      return "(" + operand() + " ** " + std::to_string(w.number(4)) + ")";
    case 3:
      return "(" + operand() + w.random.pick(kOperators) + number() + ")";
    case 4:
      return "(" + number() + w.random.pick(kOperators) + operand() + ")";
    default:
      return "(" + operand() + w.random.pick(kOperators) + operand() + ")";
  }
}

std::string vector_value(Writer& w, const ValueType& type, int depth) {
  const auto number = [&] { return expression(w, type.scalar, depth - 1).text; };
  if (depth <= 0 || w.chance(40) || type.scalar == ScalarType::Bool) {
    std::string text = spelling(type) + "(" + number();
    for (int i = 1; i < type.count; ++i) text += ", " + number();
    return text + ")";
  }
  static constexpr const char* kOperators[] = {" + ", " - ", " * "};
  const std::string a = value(w, type, depth - 1);
  std::string text;
  if (w.chance(20))
    text = "(-" + a + ")";
  else
    text = "(" + a + w.random.pick(kOperators) + (w.chance(40) ? number() : value(w, type, depth - 1)) + ")";
  return is_narrow(type.scalar) ? spelling(type) + "(" + text + ")" : text;  // narrow components compute in i32
}

std::string field_value(Writer& w, const Field& field, int depth) {
  if (field.count == 0) return value(w, field.type, depth);
  std::string text = "(";
  for (int i = 0; i < field.count; ++i) text += expression(w, field.type.scalar, 0).text + ", ";
  return text + ")";
}

std::string fields_value(Writer& w, const ValueType& type, int depth) {
  const bool by_name = w.chance(20);
  std::string text;
  for (const Field& field : fields_of(w, type))
    text += (text.empty() ? "" : ", ") + (by_name ? field.name + "=" : "") + field_value(w, field, depth - 1);
  return spelling(type) + "(" + text + ")";
}

std::string enum_value(Writer& w, const ValueType& type, int depth) {
  const auto member = [&] {
    return spelling(type) + ".M" + std::to_string(w.number(w.enums[static_cast<std::size_t>(type.index)].members));
  };
  const std::string first = member();
  if (depth <= 0) return first;
  return "(" + first + " if " + condition(w, depth - 1) + " else " + member() + ")";
}

std::string made_value(Writer& w, const ValueType& type, int depth) {
  switch (type.kind) {
    case Kind::Scalar:
      return expression(w, type.scalar, depth).text;
    case Kind::Complex:
      return complex_value(w, type, depth);
    case Kind::Vector:
      return vector_value(w, type, depth);
    case Kind::Enum:
      return enum_value(w, type, depth);
    case Kind::Record:
    case Kind::NamedTuple:
      return fields_value(w, type, depth);
  }
  return {};
}

}  // namespace

void declare_types(Writer& w) {
  if (w.is_enabled(Feature::Complex)) w.composed.push_back(random_complex(w));
  if (w.is_enabled(Feature::Vectors)) w.composed.push_back(random_vector(w));
  if (w.is_enabled(Feature::Records))
    for (int i = 1 + w.number(2); i-- > 0;) declare_record(w);
  if (w.is_enabled(Feature::NamedTuples)) declare_named_tuple(w);
  if (w.is_enabled(Feature::Enums)) declare_enum(w);
}

std::string value(Writer& w, const ValueType& type, int depth) {
  if (type.is_scalar()) return expression(w, type.scalar, depth).text;
  std::vector<const Variable*> fitting;
  for (const Variable& variable : w.place.variables)
    if (variable.type == type) fitting.push_back(&variable);
  if (!fitting.empty() && w.chance(50)) return w.random.pick(fitting)->name;
  if (w.chance(25))
    if (const std::string text = composed_element(w, type); !text.empty()) return text;
  if (w.chance(25) && depth > kLastCallDepth)
    if (const std::string text = call_for(w, type, depth); !text.empty()) return text;
  return made_value(w, type, depth);
}

ValueType storable_type(Writer& w) {
  if (w.composed.empty() || w.chance(60)) return w.any_type();
  const ValueType type = w.random.pick(w.composed);
  return type.kind == Kind::Enum || type.kind == Kind::NamedTuple ? ValueType(w.any_type()) : type;
}

Expression part(Writer& w, const ValueType& type, const std::string& text) {
  static constexpr const char* kAxes[] = {".x", ".y", ".z", ".w"};
  switch (type.kind) {
    case Kind::Scalar:
      return {text, type.scalar};
    case Kind::Complex:
      return {text + (w.chance(50) ? ".real" : ".imag"), type.scalar};
    case Kind::Vector:
      return {text + kAxes[w.number(type.count)], type.scalar};
    case Kind::Enum:
      return converted({text + (is_integer_enum(w, type) ? "" : ".value"), ScalarType::I32}, ScalarType::I32);
    case Kind::Record:
    case Kind::NamedTuple:
      break;
  }
  const Fields& fields = fields_of(w, type);
  const int number = w.number(static_cast<int>(fields.size()));
  const Field field = fields[static_cast<std::size_t>(number)];
  if (type.kind == Kind::NamedTuple && w.chance(40))
    return part(w, field.type, text + "[" + std::to_string(number) + "]");
  const std::string member = text + "." + field.name;
  if (field.count > 0) return {member + "[" + index(w, field.count, 0) + "]", field.type.scalar};
  return part(w, field.type, member);
}

Expression part_of_value(Writer& w, int depth) {
  const ValueType type = w.random.pick(w.composed);
  return part(w, type, value(w, type, depth));
}

std::string equality_of_values(Writer& w, int depth) {
  const ValueType type = w.random.pick(w.composed);
  const std::string a = value(w, type, depth - 1);
  return a + (w.chance(60) ? " == " : " != ") + value(w, type, depth - 1);
}

void assign_value(Writer& w) {
  const ValueType type = w.random.pick(w.composed);
  std::vector<std::string> fitting;
  for (const Variable& variable : w.place.variables)
    if (variable.type == type && variable.assignable) fitting.push_back(variable.name);
  if (!fitting.empty() && w.chance(50)) {
    const std::string name = w.random.pick(fitting);
    w.line(name + " = " + value(w, type, 2));
    return;
  }
  const std::string text = value(w, type, 2), name = w.fresh("held");
  w.line(name + " = " + text);
  w.add_variable(name, type);
}

/// Of a record that is new, of which there is no other name.
void assign_field(Writer& w) {
  if (w.records.empty()) return assign_value(w);
  const ValueType type = ValueType::of(Kind::Record, w.number(static_cast<int>(w.records.size())));
  const std::string made = made_value(w, type, 1), name = w.fresh("made");
  w.line(name + " = " + made);
  for (int i = 1 + w.number(2); i-- > 0;) {
    const Field field = w.random.pick(fields_of(w, type));
    if (field.count > 0 || !field.type.is_scalar()) continue;
    const std::string target = name + "." + field.name;
    w.line(target + (w.chance(40) && field.type.scalar != ScalarType::Bool ? " += " : " = ") +
           expression(w, field.type.scalar, 2).text);
  }
  w.add_variable(name, type);
  w.place.variables.back().assignable = false;
}

}  // namespace pykc::random_test
