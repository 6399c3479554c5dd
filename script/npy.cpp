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
  std::string type;  // "<f4"
  bool column_major = false;
  Shape shape;
};

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
        if (peek() == '[') return bad("its elements are records, which pykc does not have");
        ASSIGN_OR_RETURN(header_.type, parse_string());
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

/// "<f4", "|b1", ">i8": the type, and whether the bytes must be turned round.
struct ElementType {
  ScalarType type;
  bool swapped;
};
Outcome<ElementType> element_type(std::string_view code, std::string_view name) {
  const bool has_order = !code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos;
  const std::string_view kind = has_order ? code.substr(1) : code;
  for (int i = 0; i < kScalarTypeCount; ++i) {
    const auto type = static_cast<ScalarType>(i);
    if (info(type).npy.empty() || info(type).npy != kind) continue;
    if (has_order && code[0] == '|' && size_in_bytes(type) > 1) break;
    return ElementType{type, has_order && code[0] == '>' && size_in_bytes(type) > 1};
  }
  return bad_npy(name, "its elements are of the type '" + std::string(code) + "', which pykc does not have");
}

void reverse_elements(std::byte* bytes, std::int64_t count, std::int64_t size) {
  for (std::int64_t i = 0; i < count; ++i) std::reverse(bytes + i * size, bytes + (i + 1) * size);
}

}  // namespace

Outcome<ArrayRef> parse_npy(std::string_view bytes, std::string_view name) {
  ASSIGN_OR_RETURN(const Parts parts, split(bytes, name));
  ASSIGN_OR_RETURN(const Header header, HeaderParser(parts.header, name).parse());
  ASSIGN_OR_RETURN(const ElementType element, element_type(header.type, name));
  const Outcome<std::int64_t> size = checked_size(header.shape, element.type);
  if (!size) return bad_npy(name, "its shape " + shape_text(header.shape) + " is not possible");
  const std::int64_t element_bytes = size_in_bytes(element.type);
  const auto needed = static_cast<std::uint64_t>(*size * element_bytes);
  if (parts.elements.size() < needed)
    return bad_npy(name, "it is cut short: " + std::to_string(needed) + " bytes of elements are announced, " +
                             std::to_string(parts.elements.size()) + " are there");
  const Order order = header.column_major ? Order::ColumnMajor : Order::RowMajor;
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(element.type, header.shape, order));
  ASSIGN_OR_RETURN(std::byte* const target, array->write());
  if (needed > 0) std::memcpy(target, parts.elements.data(), needed);
  if (element.swapped) reverse_elements(target, *size, element_bytes);
  if (element.type == ScalarType::Bool)
    std::transform(target, target + needed, target, [](std::byte b) { return std::byte{b != std::byte{0}}; });
  return array;
}

Outcome<std::string> format_npy(const ArrayRef& array) {
  if (info(array->type).npy.empty())
    return fail(DiagnosticId::HostWrongType, "array of `save", "of a type that NumPy has", describe(Value(array)))
        .suggest("a.astype(f32)");
  const bool column_major = array->is_column_major() && !array->is_row_major();
  const char order = size_in_bytes(array->type) == 1 ? '|' : '<';
  std::string header = std::string("{'descr': '") + order + std::string(info(array->type).npy) +
                       "', 'fortran_order': " + (column_major ? "True" : "False") +
                       ", 'shape': " + shape_text(array->shape) + ", }";
  const std::size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  bytes += header;
  ASSIGN_OR_RETURN(const ArrayRef dense, dense_array(array, column_major ? Order::ColumnMajor : Order::RowMajor));
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
