// The header is a Python dict such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }; NumPy reads it with
// Python's parser. This reader takes what NumPy writes, with any spaces, order of keys and either quote, and refuses
// the rest by saying what it did not expect.
#include "script/npy.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace pykc::script {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostHeader = 1 << 20;

Failure bad_npy(std::string_view name, std::string_view reason) { return fail(DiagnosticId::HostBadNpy, name, reason); }

struct Header {
  ElementType type;      // a record's fields lie as in the file
  bool swapped = false;  // the bytes of each element must be turned round
  bool column_major = false;
  Shape shape;
};

/// The type that a letter and a size spell: "f4", "b1", "c8".
std::optional<ElementType> type_of_code(std::string_view code) {
  if (code == "c8") return complex_type(ScalarType::F32);
  if (code == "c16") return complex_type(ScalarType::F64);
  for (int i = 0; i < kScalarTypeCount; ++i)
    if (const auto type = static_cast<ScalarType>(i); !info(type).npy.empty() && info(type).npy == code) return type;
  return std::nullopt;
}

/// Reads the dict from left to right.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  Outcome<Header> parse() {
    RETURN_IF_FAILED(expect('{'));
    bool has_type = false, has_order = false, has_shape = false;
    while (!accept('}')) {
      ASSIGN_OR_RETURN(const std::string key, parse_string());
      RETURN_IF_FAILED(expect(':'));
      if (key == "descr" && !has_type) {
        ASSIGN_OR_RETURN(header_.type, parse_type(0));
        has_type = true;
      } else if (key == "fortran_order" && !has_order) {
        ASSIGN_OR_RETURN(header_.column_major, parse_flag());
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        RETURN_IF_FAILED(parse_shape());
        has_shape = true;
      } else {
        return bad("its header has the key '" + key + "' " + (is_key(key) ? "twice" : "that no .npy file has"));
      }
      if (!accept(',') && peek() != '}') return bad("its header lacks a `,`");
    }
    if (peek() != '\0') return bad("its header goes on after the `}`");
    if (!has_type || !has_order || !has_shape) return bad("its header lacks 'descr', 'fortran_order' or 'shape'");
    return header_;
  }

 private:
  static bool is_key(std::string_view key) { return key == "descr" || key == "fortran_order" || key == "shape"; }
  Failure bad(std::string_view reason) const { return bad_npy(name_, reason); }
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
  Status expect(char c) {
    if (accept(c)) return Done{};
    return bad(std::string("its header lacks a `") + c + "`");
  }
  Outcome<std::string> parse_string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return bad("its header lacks a string");
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return bad("a string of its header does not end");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  /// '<f4', or a list of fields: [('x', '<f4'), ('w', '<i2', (2, 3))].
  Outcome<ElementType> parse_type(int depth) {
    constexpr int kDeepest = 16;
    if (depth > kDeepest) return bad("its records are nested too deeply");
    if (peek() == '[') return parse_record(depth);
    ASSIGN_OR_RETURN(const std::string text, parse_string());
    const bool has_order = !text.empty() && std::string_view("<>=|").find(text[0]) != std::string_view::npos;
    const std::optional<ElementType> type = type_of_code(std::string_view(text).substr(has_order ? 1 : 0));
    const bool is_single = type && !type->is_record() && size_in_bytes(*type) == 1;
    if (!type || (has_order && text[0] == '|' && !is_single))
      return bad("its elements are of the type '" + text + "', which pykc does not have");
    const bool is_swapped = has_order && text[0] == '>' && !is_single;
    if (is_swapped && (depth > 0 || type->is_record())) return bad("the bytes of its numbers are in the other order");
    header_.swapped = is_swapped;
    return *type;
  }
  Outcome<ElementType> parse_record(int depth) {
    constexpr std::int64_t kMostBytes = 1 << 20;
    RecordType record{"record"};
    RETURN_IF_FAILED(expect('['));
    while (!accept(']')) {
      RETURN_IF_FAILED(parse_field(record, depth));
      if (record.bytes > kMostBytes) return bad("its records are too large");
      if (!accept(',') && peek() != ']') return bad("a record of its header lacks a `,`");
    }
    if (record.fields.empty()) return bad("its records have no fields");
    return RecordRef(std::move(record));
  }
  /// ('w', '<i2', (2, 3)); ('', '|V3') is a gap.
  Status parse_field(RecordType& record, int depth) {
    RETURN_IF_FAILED(expect('('));
    ASSIGN_OR_RETURN(std::string name, parse_string());
    RETURN_IF_FAILED(expect(','));
    if (name.empty()) return parse_gap(record);
    if (record.find(name)) return bad("a record has the field '" + name + "' twice");
    ASSIGN_OR_RETURN(const ElementType type, parse_type(depth + 1));
    RecordField field{std::move(name), type, {}, record.bytes};
    if (accept(',') && peek() == '(') {
      const Shape outer = std::exchange(header_.shape, {});
      RETURN_IF_FAILED(parse_shape());
      field.extents = std::exchange(header_.shape, outer);
      const Outcome<std::int64_t> size = checked_size(field.extents, type);
      if (!size || *size == 0) return bad("a field has no possible shape");
    }
    record.bytes += field.count() * size_in_bytes(type);
    record.alignment = std::max(record.alignment, alignment_of(type));
    record.fields.push_back(std::move(field));
    return expect(')');
  }
  Status parse_gap(RecordType& record) {
    ASSIGN_OR_RETURN(const std::string text, parse_string());
    std::int64_t bytes = 0;
    const bool is_gap = text.size() > 2 && text.size() <= 8 && text[0] == '|' && text[1] == 'V';
    if (!is_gap) return bad("a gap in its records is no gap");
    for (const char c : std::string_view(text).substr(2)) {
      if (c < '0' || c > '9') return bad("a gap in its records is no gap");
      bytes = bytes * 10 + (c - '0');
    }
    record.bytes += bytes;
    return expect(')');
  }
  Outcome<bool> parse_flag() {
    peek();
    for (const bool flag : {true, false}) {
      const std::string_view word = flag ? "True" : "False";
      if (rest_.substr(0, word.size()) != word) continue;
      rest_.remove_prefix(word.size());
      return flag;
    }
    return bad("'fortran_order' is neither True nor False");
  }
  Status parse_shape() {
    RETURN_IF_FAILED(expect('('));
    while (!accept(')')) {
      std::int64_t extent = 0;
      peek();
      std::size_t digits = 0;
      for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
        extent = extent * 10 + (rest_[digits] - '0');
        if (extent > (std::int64_t{1} << 46)) return bad("an extent of its shape is too large");
      }
      if (digits == 0) return bad("its shape is not a tuple of whole numbers");
      rest_.remove_prefix(digits);
      accept('L');  // Python 2 wrote long integers so
      header_.shape.push_back(extent);
      if (!accept(',') && peek() != ')') return bad("its shape lacks a `,`");
    }
    return Done{};
  }

  std::string_view rest_;
  std::string_view name_;
  Header header_;
};

/// The header's text and where the elements begin.
struct Parts {
  std::string_view header, elements;
};
Outcome<Parts> split(std::string_view bytes, std::string_view name) {
  if (bytes.empty()) return bad_npy(name, "it is empty");
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    if (bytes.substr(0, 2) == "PK") return bad_npy(name, "it is an archive (.npz); save its arrays one by one");
    return bad_npy(name, "it does not begin with NumPy's magic word");
  }
  if (bytes.size() < 10) return bad_npy(name, "it ends within the header");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    return bad_npy(name, "its format version is " + std::to_string(version) + "; pykc reads 1 to 3");
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) return bad_npy(name, "it ends within the header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kMostHeader) return bad_npy(name, "its header is too long");
  if (bytes.size() - start < length) return bad_npy(name, "it ends within the header");
  return Parts{bytes.substr(start, length), bytes.substr(start + length)};
}

void reverse_elements(std::byte* bytes, std::int64_t count, std::int64_t size) {
  for (std::int64_t i = 0; i < count; ++i) std::reverse(bytes + i * size, bytes + (i + 1) * size);
}

/// Whether every field lies on a boundary of its own type.
bool is_aligned(const ElementType& type) {
  if (!type.is_record()) return true;
  const RecordType& record = *type.record;
  return record.bytes % record.alignment == 0 &&
         std::all_of(record.fields.begin(), record.fields.end(), [](const RecordField& field) {
           return field.offset % alignment_of(field.type) == 0 && is_aligned(field.type);
         });
}

/// Where bytes of a record in a file go in one that is laid out as in C.
struct Move {
  std::int64_t from, to, bytes;
};

/// The type as it is where it is aligned, else laid out as in C, and the moves to it.
ElementType aligned(const ElementType& type, std::int64_t from, std::vector<Move>* moves, std::int64_t to = 0) {
  if (is_aligned(type)) {
    if (moves) moves->push_back({from, to, size_in_bytes(type)});
    return type;
  }
  RecordType record = *type.record;
  for (RecordField& field : record.fields) field.type = aligned(field.type, 0, nullptr);
  const RecordRef result = lay_out(std::move(record));
  for (std::size_t i = 0; moves && i < result->fields.size(); ++i) {
    const RecordField &source = type.record->fields[i], &target = result->fields[i];
    for (std::int64_t k = 0; k < source.count(); ++k)
      aligned(source.type, from + source.offset + k * size_in_bytes(source.type), moves,
              to + target.offset + k * size_in_bytes(target.type));
  }
  return result;
}

/// A bool is 0 or 1, whatever the file says.
void normalize_bools(std::byte* element, const ElementType& type) {
  if (type.is(ScalarType::Bool)) *element = std::byte{*element != std::byte{0}};
  if (!type.is_record()) return;
  for (const RecordField& field : type.record->fields)
    for (std::int64_t i = 0; i < field.count(); ++i)
      normalize_bools(element + field.offset + i * size_in_bytes(field.type), field.type);
}

/// How NumPy spells the type: '<f4', or a list of fields with the gaps between them.
std::string descr_of(const ElementType& type) {
  if (!type.is_record())
    return std::string("'") + (size_in_bytes(type) == 1 ? '|' : '<') + std::string(info(type.scalar).npy) + "'";
  if (type.record->kind == RecordType::Kind::Complex) return "'<c" + std::to_string(type.record->bytes) + "'";
  std::string text = "[";
  std::int64_t end = 0;
  const auto fill_to = [&](std::int64_t offset) {
    if (offset > end) text += ", ('', '|V" + std::to_string(offset - end) + "')";
    end = offset;
  };
  for (const RecordField& field : type.record->fields) {
    fill_to(field.offset);
    text += (text.size() > 1 ? ", ('" : "('") + field.name + "', " + descr_of(field.type);
    if (!field.extents.empty()) text += ", " + shape_text(field.extents);
    text += ")";
    end = field.offset + field.count() * size_in_bytes(field.type);
  }
  fill_to(type.record->bytes);
  return text + "]";
}

bool has_numpy_type(const ElementType& type) {
  if (!type.is_record()) return !info(type.scalar).npy.empty();
  return std::all_of(type.record->fields.begin(), type.record->fields.end(),
                     [](const RecordField& field) { return has_numpy_type(field.type); });
}

}  // namespace

Outcome<ArrayRef> parse_npy(std::string_view bytes, std::string_view name) {
  ASSIGN_OR_RETURN(const Parts parts, split(bytes, name));
  ASSIGN_OR_RETURN(const Header header, HeaderParser(parts.header, name).parse());
  const Outcome<std::int64_t> size = checked_size(header.shape, header.type);
  if (!size) return bad_npy(name, "its shape " + shape_text(header.shape) + " is not possible");
  const std::int64_t stored_bytes = size_in_bytes(header.type);
  const auto needed = static_cast<std::uint64_t>(*size * stored_bytes);
  if (parts.elements.size() < needed)
    return bad_npy(name, "it is cut short: " + std::to_string(needed) + " bytes of elements are announced, " +
                             std::to_string(parts.elements.size()) + " are there");
  const Order order = header.column_major ? Order::ColumnMajor : Order::RowMajor;
  std::vector<Move> moves;
  const ElementType element = aligned(header.type, 0, &moves);
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(element, header.shape, order, Scalar{ScalarType::U8, 0}));
  ASSIGN_OR_RETURN(std::byte* const target, array->write());
  const auto* source = reinterpret_cast<const std::byte*>(parts.elements.data());
  const std::int64_t element_bytes = array->element_bytes();
  const bool lies_so = moves.size() == 1 && moves[0].bytes == stored_bytes;
  if (lies_so && needed > 0) std::memcpy(target, source, needed);
  for (std::int64_t i = 0; i < *size && !lies_so; ++i)
    for (const Move& move : moves)
      std::memcpy(target + i * element_bytes + move.to, source + i * stored_bytes + move.from,
                  static_cast<std::size_t>(move.bytes));
  const bool may_hold_bools = element.is_record() || element.is(ScalarType::Bool);
  for (std::int64_t i = 0; i < *size && may_hold_bools; ++i) normalize_bools(target + i * element_bytes, element);
  if (header.swapped) reverse_elements(target, *size, stored_bytes);
  return array;
}

Outcome<std::string> format_npy(const ArrayRef& array) {
  if (!has_numpy_type(array->element()))
    return fail(DiagnosticId::HostWrongType, "array of `save", "of a type that NumPy has", describe(Value(array)))
        .suggest("a.astype(f32)");
  const Order order = array->order();
  std::string header = "{'descr': " + descr_of(array->element()) +
                       ", 'fortran_order': " + (order == Order::ColumnMajor ? "True" : "False") +
                       ", 'shape': " + shape_text(array->shape) + ", }";
  if (header.size() > 60'000)
    return fail(DiagnosticId::HostWrongType, "array of `save", "of records with fewer fields", describe(Value(array)));
  const std::size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  bytes += header;
  ASSIGN_OR_RETURN(const ArrayRef dense, dense_array(array, order));
  ASSIGN_OR_RETURN(const std::byte* elements, dense->read());
  bytes.append(reinterpret_cast<const char*>(elements),
               static_cast<std::size_t>(dense->size() * dense->element_bytes()));
  return bytes;
}

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File open_file(const std::string& path, const char* mode) { return {std::fopen(path.c_str(), mode), std::fclose}; }

}  // namespace

Outcome<std::string> read_bytes(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return fail(DiagnosticId::HostFileFailed, path, "it is a folder");
  const File file = open_file(path, "rb");
  if (!file) return fail(DiagnosticId::HostFileFailed, path, std::strerror(errno));
  std::string bytes;
  char buffer[1 << 16];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof(buffer), file.get())) > 0;) bytes.append(buffer, got);
  if (std::ferror(file.get())) return fail(DiagnosticId::HostFileFailed, path, "reading failed");
  return bytes;
}

Status write_bytes(const std::string& path, std::string_view bytes) {
  File file = open_file(path, "wb");
  if (!file) return fail(DiagnosticId::HostFileFailed, path, std::strerror(errno));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !closed) return fail(DiagnosticId::HostFileFailed, path, "writing failed");
  return Done{};
}

Outcome<ArrayRef> load_npy(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, read_bytes(path));
  return parse_npy(bytes, path);
}

Status save_npy(const std::string& path, const ArrayRef& array) {
  ASSIGN_OR_RETURN(const std::string bytes, format_npy(array));
  return write_bytes(path, bytes);
}

}  // namespace pykc::script
