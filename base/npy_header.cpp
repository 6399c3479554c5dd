// The header is a Python dict such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }; NumPy reads it with
// Python's parser. This reader takes what NumPy writes, with any spaces, order of keys and either quote, and refuses
// the rest by saying what it did not expect.
#include "base/npy_header.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace pykc {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 46;  // more memory than any device has

/// The type that a letter and a size spell: "f4", "b1", "c8", "S12".
std::optional<ElementType> type_of_code(std::string_view code) {
  if (code == "c8") return complex_type(ScalarType::F32);
  if (code == "c16") return complex_type(ScalarType::F64);
  for (int i = 0; i < kScalarTypeCount; ++i)
    if (const auto type = static_cast<ScalarType>(i); !info(type).npy.empty() && info(type).npy == code) return type;
  const RecordRef text = find_text_type(code);
  return text ? std::optional<ElementType>(text) : std::nullopt;
}

/// Reads the dict from left to right. A function that returns false has said why in `reason`, and the first reason
/// counts.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  ParsedNpyHeader result;
  std::string reason;

  bool parse() {
    if (!expect('{')) return false;
    bool has_type = false, has_order = false, has_shape = false;
    while (!accept('}')) {
      std::string key;
      if (!parse_string(key) || !expect(':')) return false;
      const bool is_key = key == "descr" || key == "fortran_order" || key == "shape";
      bool* const has = key == "descr" ? &has_type : key == "fortran_order" ? &has_order : &has_shape;
      if (!is_key || *has)
        return refuse("its header has the key '" + key + "' " + (is_key ? "twice" : "that no .npy file has"));
      *has = true;
      const bool parsed = has == &has_type    ? parse_type(result.header.element, 0)
                          : has == &has_order ? parse_flag(result.header.is_column_major)
                                              : parse_shape(result.header.shape);
      if (!parsed) return false;
      if (!accept(',') && peek() != '}') return refuse("its header lacks a `,`");
    }
    if (peek() != '\0') return refuse("its header goes on after the `}`");
    if (!has_type || !has_order || !has_shape) return refuse("its header lacks 'descr', 'fortran_order' or 'shape'");
    return true;
  }

 private:
  bool refuse(std::string why) {
    reason = std::move(why);
    return false;
  }
  char peek() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t' || rest_[0] == '\r'))
      rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool accept(char c) {
    if (peek() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool expect(char c) { return accept(c) || refuse("its header lacks a " + as_code({&c, 1})); }
  bool parse_string(std::string& text) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return refuse("its header lacks a string");
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return refuse("a string of its header does not end");
    text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  /// '<f4', or a list of fields: [('x', '<f4'), ('w', '<i2', (2, 3))].
  bool parse_type(ElementType& type, int depth) {
    constexpr int kDeepest = 16;
    if (depth > kDeepest) return refuse("its records are nested too deeply");
    if (peek() == '[') return parse_record(type, depth);
    std::string text;
    if (!parse_string(text)) return false;
    const bool has_order = !text.empty() && std::string_view("<>=|").find(text[0]) != std::string_view::npos;
    const std::optional<ElementType> found = type_of_code(std::string_view(text).substr(has_order ? 1 : 0));
    const bool is_single = found && (!found->is_record() || is_text(*found)) && alignment_of(*found) == 1;
    if (!found || (has_order && text[0] == '|' && !is_single))
      return refuse("its elements are of the type '" + text + "', which pykc does not have");
    result.is_swapped = has_order && text[0] == '>' && !is_single;
    if (result.is_swapped && (depth > 0 || found->is_record()))
      return refuse("the bytes of its numbers are in the other order");
    type = *found;
    return true;
  }
  bool parse_record(ElementType& type, int depth) {
    constexpr std::int64_t kMostRecordBytes = 1 << 20;
    RecordType record{"record"};
    if (!expect('[')) return false;
    while (!accept(']')) {
      if (!parse_field(record, depth)) return false;
      if (record.bytes > kMostRecordBytes) return refuse("its records are too large");
      if (!accept(',') && peek() != ']') return refuse("a record of its header lacks a `,`");
    }
    if (record.fields.empty()) return refuse("its records have no fields");
    type = RecordRef(std::move(record));
    return true;
  }
  /// ('w', '<i2', (2, 3)); ('', '|V3') is a gap.
  bool parse_field(RecordType& record, int depth) {
    RecordField field;
    field.offset = record.bytes;
    if (!expect('(') || !parse_string(field.name) || !expect(',')) return false;
    if (field.name.empty()) return parse_gap(record);
    if (record.find(field.name)) return refuse("a record has the field '" + field.name + "' twice");
    if (!parse_type(field.type, depth + 1)) return false;
    if (accept(',') && peek() == '(') {
      if (!parse_shape(field.extents)) return false;
      if (npy_size(field.extents, field.type).value_or(0) == 0) return refuse("a field has no possible shape");
    }
    record.bytes += field.count() * size_in_bytes(field.type);
    record.alignment = std::max(record.alignment, alignment_of(field.type));
    record.fields.push_back(std::move(field));
    return expect(')');
  }
  bool parse_gap(RecordType& record) {
    std::string text;
    if (!parse_string(text)) return false;
    std::int64_t bytes = 0;
    const bool is_gap = text.size() > 2 && text.size() <= 8 && text[0] == '|' && text[1] == 'V';
    if (!is_gap) return refuse("a gap in its records is no gap");
    for (const char c : std::string_view(text).substr(2)) {
      if (c < '0' || c > '9') return refuse("a gap in its records is no gap");
      bytes = bytes * 10 + (c - '0');
    }
    record.bytes += bytes;
    return expect(')');
  }
  bool parse_flag(bool& flag) {
    peek();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      flag = value;
      return true;
    }
    return refuse("'fortran_order' is neither True nor False");
  }
  bool parse_shape(std::vector<std::int64_t>& shape) {
    if (!expect('(')) return false;
    while (!accept(')')) {
      std::int64_t extent = 0;
      peek();
      std::size_t digits = 0;
      for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
        extent = extent * 10 + (rest_[digits] - '0');
        if (extent > kMostBytes) return refuse("an extent of its shape is too large");
      }
      if (digits == 0) return refuse("its shape is not a tuple of whole numbers");
      rest_.remove_prefix(digits);
      accept('L');  // Python 2 wrote long integers so
      shape.push_back(extent);
      if (!accept(',') && peek() != ')') return refuse("its shape lacks a `,`");
    }
    return true;
  }

  std::string_view rest_;
};

}  // namespace

Result<ParsedNpyHeader> parse_npy_header(std::string_view text) {
  HeaderParser parser(text);
  if (!parser.parse()) return Error{ErrorCode::InputOutput, std::move(parser.reason)};
  return std::move(parser.result);
}

std::optional<std::int64_t> npy_size(const std::vector<std::int64_t>& shape, const ElementType& type) {
  constexpr std::size_t kMostAxes = 8;
  if (shape.size() > kMostAxes) return std::nullopt;
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) {
    if (extent > 0 && size > kMostBytes / extent) return std::nullopt;
    size *= std::max<std::int64_t>(extent, 1);
  }
  if (size > kMostBytes / size_in_bytes(type)) return std::nullopt;
  return std::ranges::count(shape, 0) == 0 ? size : 0;
}

}  // namespace pykc
