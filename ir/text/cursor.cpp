#include "ir/text/cursor.h"

#include "ir/text/form.h"

namespace pykc::ir {

void TextCursor::advance() {
  last_line_ = token_.line;
  if (!failed_) token_ = scanner_.next();
  if (token_.kind == TextToken::Kind::Broken) fail(token_.text);
}

void TextCursor::fail(const std::string& message) { fail_at(token_.line, message); }

void TextCursor::fail_at(int line, const std::string& message) {
  if (!failed_) errors_.push_back("line " + std::to_string(line) + ": " + message);
  failed_ = true;
  token_ = {};
}

bool TextCursor::accept(std::string_view punctuation) {
  if (!token_.is(punctuation)) return false;
  advance();
  return true;
}

bool TextCursor::accept_name(std::string_view name) {
  if (!token_.is_name(name)) return false;
  advance();
  return true;
}

void TextCursor::expect(std::string_view punctuation) {
  if (!accept(punctuation)) fail("expected '" + std::string(punctuation) + "' before '" + token_.text + "'");
}

std::string TextCursor::expect_text(TextToken::Kind kind, std::string_view what) {
  if (token_.kind != kind) {
    fail("expected " + std::string(what) + " before '" + token_.text + "'");
    return {};
  }
  std::string text = std::move(token_.text);
  advance();
  return text;
}

std::string TextCursor::expect_identifier() {
  const bool is_quoted = token_.kind == TextToken::Kind::String;
  return expect_text(is_quoted ? TextToken::Kind::String : TextToken::Kind::Name, "a name");
}

ScalarType TextCursor::parse_scalar() {
  const std::optional<ScalarType> type =
      token_.kind == TextToken::Kind::Name ? find_scalar_type(token_.text) : std::nullopt;
  if (!type) {
    fail("'" + token_.text + "' is no scalar type");
    return ScalarType::Bool;
  }
  advance();
  return *type;
}

/// A scalar's name, or a record spelled out: `struct Point bytes 8 align 4 (x: f32 at 0, y: f32 at 4)`.
ElementType TextCursor::parse_element_type() {
  constexpr int kDeepest = 64;
  for (std::size_t kind = 0; kind < std::size(kRecordWords); ++kind) {
    if (!accept_name(kRecordWords[kind])) continue;
    if (++record_depth_ > kDeepest) fail("records are nested too deeply");
    RecordType record = parse_record(static_cast<RecordType::Kind>(kind));
    --record_depth_;
    return RecordRef(std::move(record));
  }
  return parse_scalar();
}

RecordType TextCursor::parse_record(RecordType::Kind kind) {
  RecordType record{expect_identifier(), kind};
  if (accept_name("bytes")) record.bytes = expect_number<std::int64_t>();
  if (accept_name("align")) record.alignment = expect_number<int>();
  expect("(");
  while (!failed_ && !token_.is(")")) {
    if (!record.fields.empty()) expect(",");
    RecordField field{expect_identifier()};
    expect(":");
    field.type = parse_element_type();
    if (token_.is("[")) field.extents = parse_extents();
    if (accept_name("at")) field.offset = expect_number<std::int64_t>();
    record.fields.push_back(std::move(field));
  }
  expect(")");
  return record;
}

Type TextCursor::parse_type() {
  if (accept_name("none")) return Type::none();
  if (!accept_name("ptr")) return Type::of(parse_scalar());
  expect("<");
  const ScalarType element = parse_scalar();
  expect(",");
  const int space = expect_one_of(kAddressSpaceNames, "address space");
  expect(">");
  return Type::pointer(element, static_cast<AddressSpace>(space));
}

LaunchExpression TextCursor::parse_launch_expression() {
  LaunchExpression expression;
  expect("(");
  while (!failed_ && !token_.is(")")) {
    LaunchExpression::Term& term = expression.terms.emplace_back();
    if (token_.kind == TextToken::Kind::Number)
      term.constant = expect_number<std::int64_t>();
    else
      term.op = static_cast<LaunchExpression::Op>(expect_one_of(kLaunchWords, "launch expression") + 1);
  }
  expect(")");
  return expression;
}

std::vector<std::int64_t> TextCursor::parse_extents() {
  std::vector<std::int64_t> extents;
  expect("[");
  while (!failed_ && !token_.is("]")) {
    if (!extents.empty()) expect(",");
    extents.push_back(accept("?") ? ArrayType::kDynamic : expect_number<std::int64_t>());
  }
  expect("]");
  return extents;
}

ArrayStorage TextCursor::parse_storage() {
  ArrayStorage array;
  array.name = expect_identifier();
  expect(":");
  array.element = parse_scalar();
  if (accept_name("dynamic")) {
    array.is_dynamic = true;
    array.dynamic_bytes = parse_launch_expression();
  } else {
    expect("[");
    array.count = expect_number<std::int64_t>();
    expect("]");
  }
  if (accept_name("align")) array.alignment = expect_number<int>();
  array.per_thread = accept_name("per_thread");
  return array;
}

std::string TextCursor::parse_hex() {
  const std::string text = expect_text(TextToken::Kind::String, "bytes in hexadecimal");
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const char* first = text.data() + i;
    if (i + 2 > text.size() || std::from_chars(first, first + 2, value, 16).ptr != first + 2) {
      fail_before("bytes must be pairs of hexadecimal digits");
      break;
    }
    bytes += static_cast<char>(value);
  }
  return bytes;
}

}  // namespace pykc::ir
