#include "frontend/program/signature.h"

#include <algorithm>
#include <cctype>
#include <span>

#include "base/text.h"
#include "frontend/frontend.h"

namespace pykc {
namespace {

constexpr std::int64_t kMaximumExtent = std::int64_t{1} << 40;
constexpr std::int64_t kLongestTuple = 1000;

struct ElementName {
  ElementType type;
  bool is_numba;
};

std::optional<ElementName> scalar_name(std::string_view name, SignatureDialect dialect) {
  const std::optional<ScalarType> code = find_type(TypeFamily::Numba, name);
  if (code && dialect == SignatureDialect::NumbaCodes) return ElementName{*code, true};
  if (const std::optional<ScalarType> type = find_scalar_type(name, true))
    return ElementName{*type, name != to_string(*type)};
  if (code) return ElementName{*code, true};
  const std::optional<ScalarType> alias = find_type(TypeFamily::NumpyAndNumba, name);
  return alias ? std::optional(ElementName{*alias, true}) : std::nullopt;
}

/// A scalar, `c64` and `complex64`, `f32x4` and `float32x4`, `S12`.
std::optional<ElementName> element_name(std::string_view name, SignatureDialect dialect) {
  if (name == "c64" || name == "complex64") return ElementName{complex_type(ScalarType::F32), name != "c64"};
  if (name == "c128" || name == "complex128") return ElementName{complex_type(ScalarType::F64), name != "c128"};
  if (const std::optional<ScalarType> part = find_type(TypeFamily::ComplexCode, name))
    return ElementName{complex_type(*part), true};
  if (std::optional<ElementName> scalar = scalar_name(name, dialect)) return scalar;
  if (const RecordRef text = find_text_type(name)) return ElementName{text, false};
  if (name.size() < 3 || name[name.size() - 2] != 'x' || name.back() < '1' || name.back() > '4') return std::nullopt;
  const std::string_view component = name.substr(0, name.size() - 2);
  const std::optional<ScalarType> type = find_scalar_type(component, true);
  if (!type) return std::nullopt;
  return ElementName{vector_type(*type, name.back() - '0'), component != to_string(*type)};
}

ParameterInfo value_parameter(ElementType type) {
  ParameterInfo parameter;
  parameter.value = std::move(type);
  return parameter;
}

ParameterInfo array_parameter(ArrayType type) {
  ParameterInfo parameter;
  parameter.is_array = true;
  parameter.array = std::move(type);
  return parameter;
}

/// Recursive descent over the text; after the first error every answer is none.
class SignatureParser {
 public:
  SignatureParser(std::string_view text, SignatureDialect dialect, std::string& error)
      : text_(text), dialect_(dialect), error_(error) {}

  std::optional<SignatureText> signature() {
    SignatureText result;
    if (peek() != '(') result.name = dotted_name();
    if (!expect('(')) return std::nullopt;
    while (peek() != ')') {
      std::optional<ArgumentType> parameter = argument();
      if (!parameter) return std::nullopt;
      result.parameters.push_back(std::move(*parameter));
      if (peek() != ',') break;
      ++position_;
    }
    if (!expect(')') || !at_end()) return std::nullopt;
    return result;
  }

  std::optional<ArgumentType> only_type() {
    std::optional<ArgumentType> result = argument();
    if (!result || !at_end()) return std::nullopt;
    return result;
  }

 private:
  /// A type, or what is known while compiling: `16`, `-1.5`, `add`, `math.sqrt`.
  std::optional<ArgumentType> argument() {
    const char first = peek();
    const std::size_t start = position_;
    if (is_digit(first) || first == '-') return constant(start);
    const std::string name = dotted_name();
    const char next = peek();
    const bool is_type = name.empty() || name == "Array" || name == "array" || name == "CPointer" ||
                         element_name(name, dialect_) || next == '[';
    if (!is_type && dialect_ == SignatureDialect::Pykc) return ArgumentType{.constant = text_between(start, position_)};
    position_ = start;
    if ((name == "tuple" || name == "Tuple") && next == '[') return tuple();
    if (name == "Tuple" && next == '(') return numba_tuple();
    if (name == "UniTuple" && next == '(') return uniform_tuple();
    std::optional<ParameterInfo> parameter = type();
    if (!parameter) return std::nullopt;
    return ArgumentType{.parameter = std::move(*parameter), .is_pointer = name == "CPointer"};
  }

  std::optional<ArgumentType> constant(std::size_t start) {
    while (position_ < text_.size() && (is_name_character(text_[position_]) || text_[position_] == '-')) ++position_;
    return ArgumentType{.constant = text_between(start, position_)};
  }

  std::optional<ArgumentType> tuple() {
    dotted_name();
    ArgumentType result{.is_tuple = true};
    expect('[');
    while (peek() != ']') {
      std::optional<ArgumentType> element = argument();
      if (!element) return std::nullopt;
      result.elements.push_back(std::move(*element));
      if (peek() != ',') break;
      ++position_;
    }
    if (!expect(']')) return std::nullopt;
    return result;
  }

  /// `Tuple((int32, float32[:]))`
  std::optional<ArgumentType> numba_tuple() {
    dotted_name();
    ArgumentType result{.is_tuple = true};
    ++position_;
    const bool is_nested = peek() == '(' || peek() == '[';
    if (is_nested) ++position_;
    while (peek() != ')' && peek() != ']') {
      std::optional<ArgumentType> element = argument();
      if (!element) return std::nullopt;
      result.elements.push_back(std::move(*element));
      if (peek() != ',') break;
      ++position_;
    }
    if (is_nested) ++position_;
    if (!expect(')')) return std::nullopt;
    return result;
  }

  /// `UniTuple(float32[:], 3)`
  std::optional<ArgumentType> uniform_tuple() {
    dotted_name();
    ++position_;
    const std::optional<ArgumentType> element = argument();
    if (!element || !expect(',')) return std::nullopt;
    const std::optional<std::int64_t> count = number();
    if (!count || !expect(')')) return std::nullopt;
    if (*count > kLongestTuple) return fail("a tuple of a signature has at most 1000 elements");
    return ArgumentType{.is_tuple = true, .elements = std::vector(static_cast<std::size_t>(*count), *element)};
  }

  std::string text_between(std::size_t start, std::size_t end) const {
    std::string text(text_.substr(start, end - start));
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  }

  std::optional<ParameterInfo> type() {
    const std::string name = dotted_name();
    if (name.empty()) return fail("a type is missing");
    if (name == "Array" || name == "array") return numba_array();
    if (name == "CPointer") return numba_pointer();
    const std::optional<ElementName> element = element_name(name, dialect_);
    if (!element) return fail(as_code(name) + " is not a type");
    if (dialect_ == SignatureDialect::Numba && (name == "i8" || name == "u8"))
      return fail(as_code(name) + " has 8 bytes in Numba and 8 bits in pykc: write " +
                  (name == "u8" ? "`uint64` or `uint8`" : "`int64` or `int8`"));
    if (peek() != '[') return value_parameter(element->type);
    return dimensions(*element);
  }

  std::optional<ParameterInfo> dimensions(const ElementName& element) {
    std::vector<Dimension> list;
    do {
      ++position_;  // the bracket, then each comma
      const std::optional<Dimension> next = dimension();
      if (!next) return std::nullopt;
      list.push_back(*next);
    } while (peek() == ',');
    if (!expect(']')) return std::nullopt;
    std::optional<ArrayType> type = array_type(element.type, list, element.is_numba, error_);
    if (!type) return std::nullopt;
    return array_parameter(std::move(*type));
  }

  std::optional<Dimension> dimension() {
    if (is_digit(peek())) {
      const std::optional<std::int64_t> extent = number();
      if (!extent) return std::nullopt;
      return Dimension{Dimension::Kind::Extent, *extent};
    }
    if (!expect(':')) return std::nullopt;
    if (peek() != ':') return Dimension{};
    ++position_;
    if (peek() != '1') return Dimension{Dimension::Kind::DoubleColon};
    ++position_;
    return Dimension{Dimension::Kind::UnitStride};
  }

  /// `Array(float64, 2, "C")`, and `array(float64, 2d, C)` as Numba prints it.
  std::optional<ParameterInfo> numba_array() {
    if (!expect('(')) return std::nullopt;
    const std::string name = dotted_name();
    const std::optional<ElementName> element = element_name(name, dialect_);
    if (!element) return fail(as_code(name) + " is not a type");
    if (!expect(',')) return std::nullopt;
    const std::optional<std::int64_t> rank = number();
    if (!rank) return std::nullopt;
    if (peek() == 'd') ++position_;
    if (!expect(',')) return std::nullopt;
    const bool quoted = peek() == '"' || peek() == '\'';
    if (quoted) ++position_;
    const char order = peek();
    if (order != 'C' && order != 'F' && order != 'A') return fail("the order of an Array is \"C\", \"F\" or \"A\"");
    position_ += quoted ? 2 : 1;
    if (!expect(')')) return std::nullopt;
    if (*rank > kMaximumRank) return fail("an array has at most 8 dimensions");
    ArrayType type;
    type.element = element->type;
    type.extents.assign(static_cast<std::size_t>(*rank), ArrayType::kDynamic);
    type.layout = order == 'A' ? Layout::Strided : order == 'F' && *rank > 1 ? Layout::ColumnMajor : Layout::RowMajor;
    return array_parameter(std::move(type));
  }

  /// `CPointer(uint8)`: an array, whose elements stand one behind the other; its length is that of what is passed.
  std::optional<ParameterInfo> numba_pointer() {
    if (!expect('(')) return std::nullopt;
    const std::string name = dotted_name();
    const std::optional<ElementName> element = element_name(name, dialect_);
    if (!element) return fail(as_code(name) + " is not a type");
    if (!expect(')')) return std::nullopt;
    ArrayType type;
    type.element = element->type;
    type.extents.assign(1, ArrayType::kDynamic);
    return array_parameter(std::move(type));
  }

  /// A name without the modules before it: "float32" for `numba.types.float32`.
  std::string dotted_name() {
    skip_space();
    std::string name;
    while (position_ < text_.size() && is_name_character(text_[position_])) {
      if (text_[position_] == '.')
        name.clear();
      else
        name += text_[position_];
      ++position_;
    }
    return name;
  }

  static bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  }

  std::optional<std::int64_t> number() {
    skip_space();
    std::int64_t value = 0;
    const std::size_t start = position_;
    while (position_ < text_.size() && is_digit(text_[position_]))
      value = std::min(kMaximumExtent, value * 10 + (text_[position_++] - '0'));
    if (position_ == start) {
      fail("a number is missing");
      return std::nullopt;
    }
    return value;
  }

  char peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool expect(char c) {
    if (peek() == c) {
      ++position_;
      return true;
    }
    fail("expected " + as_code({&c, 1}) +
         (position_ < text_.size() ? " before " + as_code(text_.substr(position_, 12)) : " at the end"));
    return false;
  }

  bool at_end() {
    if (peek() == '\0' && position_ >= text_.size()) return true;
    fail("there is more text than one signature: " + as_code(text_.substr(position_, 12)));
    return false;
  }

  void skip_space() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_]))) ++position_;
  }

  std::nullopt_t fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
    return std::nullopt;
  }

  std::string_view text_;
  SignatureDialect dialect_;
  std::string& error_;
  std::size_t position_ = 0;
};

bool all_are(const std::vector<Dimension>& dimensions, Dimension::Kind kind) {
  return std::all_of(dimensions.begin(), dimensions.end(), [&](const Dimension& d) { return d.kind == kind; });
}

}  // namespace

std::optional<ArrayType> array_type(const ElementType& element, const std::vector<Dimension>& dimensions,
                                    bool colon_is_strided, std::string& error) {
  using Kind = Dimension::Kind;
  if (dimensions.size() > kMaximumRank) {
    error = "an array has at most 8 dimensions";
    return std::nullopt;
  }
  ArrayType type;
  type.element = element;
  for (const Dimension& dimension : dimensions) type.extents.push_back(dimension.extent);
  if (all_are(dimensions, Kind::Extent) || dimensions.empty()) return type;
  const std::vector<Dimension> but_first(dimensions.begin() + 1, dimensions.end());
  const std::vector<Dimension> but_last(dimensions.begin(), dimensions.end() - 1);
  if (dimensions.back().kind == Kind::UnitStride && all_are(but_last, Kind::Colon)) return type;
  if (dimensions.front().kind == Kind::UnitStride && all_are(but_first, Kind::Colon)) {
    type.layout = Layout::ColumnMajor;
    return type;
  }
  if (all_are(dimensions, Kind::DoubleColon) || all_are(dimensions, Kind::Colon)) {
    const bool strided = colon_is_strided || dimensions.front().kind == Kind::DoubleColon;
    type.layout = strided ? Layout::Strided : Layout::RowMajor;
    return type;
  }
  error = "the dimensions do not fit together: write `[:, :]`, `[::1, :]`, `[::, ::]` or extents alone";
  return std::nullopt;
}

std::optional<ScalarType> find_type(TypeFamily family, std::string_view name) {
  for (const TypeName& row : all_type_names())
    if (row.family == family && row.name == name) return find_scalar_type(row.type);
  return std::nullopt;
}

std::vector<std::string_view> scalar_type_names() {
  std::vector<std::string_view> names;
  for (const ScalarTypeInfo& type : kScalarTypes) names.insert(names.end(), {type.spelling, type.numpy});
  return names;
}

std::optional<ElementType> dtype_named(std::string_view text, std::string& error) {
  if (const std::optional<ScalarType> letter = find_type(TypeFamily::NumpyLetter, text)) return *letter;
  const bool says_order = !text.empty() && std::string_view("<=|").find(text.front()) != std::string_view::npos;
  const SignatureDialect dialect = says_order ? SignatureDialect::NumbaCodes : SignatureDialect::Numba;
  const std::optional<ArgumentType> type = parse_type_text(text.substr(says_order ? 1 : 0), dialect, error);
  if (type && !type->is_tuple && !type->parameter.is_array && !type->is_constant()) return type->parameter.value;
  if (error.empty()) error = as_code(text) + " is not a type of numbers";
  return std::nullopt;
}

std::optional<SignatureText> parse_signature_text(std::string_view text, SignatureDialect dialect, std::string& error) {
  return SignatureParser(text, dialect, error).signature();
}

std::optional<ArgumentType> parse_type_text(std::string_view text, SignatureDialect dialect, std::string& error) {
  return SignatureParser(text, dialect, error).only_type();
}

Result<KernelRequest> parse_signature(std::string_view text) {
  std::string error;
  std::optional<SignatureText> signature = parse_signature_text(text, SignatureDialect::Pykc, error);
  if (signature && signature->name.empty()) error = "the kernel's name is missing: write `saxpy(f32, f32[:])`";
  if (!error.empty()) return Error{ErrorCode::InvalidArgument, as_code(text) + " is not a signature: " + error};
  return KernelRequest{std::move(signature->name), std::move(signature->parameters), false};
}

}  // namespace pykc
