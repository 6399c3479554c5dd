#include "base/npy.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/files.h"
#include "base/npy_header.h"
#include "base/text.h"
#include "pykc/npy.h"

namespace pykc {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostHeader = 1 << 20;

Error bad(std::string reason) { return Error{ErrorCode::InputOutput, std::move(reason)}; }

/// The header's text and where the elements begin.
struct Parts {
  std::string_view header, elements;
};
Result<Parts> split(std::string_view bytes) {
  if (bytes.empty()) return bad("it is empty");
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    if (bytes.substr(0, 2) == "PK") return bad("it is an archive (.npz); save its arrays one by one");
    return bad("it does not begin with NumPy's magic word");
  }
  if (bytes.size() < 10) return bad("it ends within the header");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    return bad("its format version is " + std::to_string(version) + "; pykc reads 1 to 3");
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) return bad("it ends within the header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kMostHeader) return bad("its header is too long");
  if (bytes.size() - start < length) return bad("it ends within the header");
  return Parts{bytes.substr(start, length), bytes.substr(start + length)};
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

/// A bool is 0 or 1, whatever the file says.
void normalize_bools(std::byte* element, const ElementType& type) {
  if (type.is(ScalarType::Bool)) *element = std::byte{*element != std::byte{0}};
  if (!type.is_record() || is_text(type)) return;
  for (const RecordField& field : type.record->fields)
    for (std::int64_t i = 0; i < field.count(); ++i)
      normalize_bools(element + field.offset + i * size_in_bytes(field.type), field.type);
}

/// How NumPy spells the type: '<f4', or a list of fields with the gaps between them.
std::string descr_of(const ElementType& type) {
  if (!type.is_record())
    return std::string("'") + (size_in_bytes(type) == 1 ? '|' : '<') + std::string(info(type.scalar).npy) + "'";
  if (type.record->kind == RecordType::Kind::Complex) return "'<c" + std::to_string(type.record->bytes) + "'";
  if (is_text(type)) return (character_of(type.record) == ScalarType::U8 ? "'|" : "'<") + type.record->name + "'";
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

Error about(const std::string& path, const std::string& reason) {
  return Error{ErrorCode::InputOutput, "the file " + path + ": " + reason};
}

}  // namespace

/// The type as it is where it is aligned, else laid out as in C, and the moves to it.
ElementType NpyFile::laid_out(const ElementType& type, std::int64_t from, std::vector<Move>* moves, std::int64_t to) {
  if (is_aligned(type)) {
    if (moves) moves->push_back({from, to, size_in_bytes(type)});
    return type;
  }
  RecordType record = *type.record;
  for (RecordField& field : record.fields) field.type = laid_out(field.type, 0, nullptr);
  const RecordRef result = lay_out(std::move(record));
  for (std::size_t i = 0; moves && i < result->fields.size(); ++i) {
    const RecordField &source = type.record->fields[i], &target = result->fields[i];
    for (std::int64_t k = 0; k < source.count(); ++k)
      laid_out(source.type, from + source.offset + k * size_in_bytes(source.type), moves,
               to + target.offset + k * size_in_bytes(target.type));
  }
  return result;
}

Result<NpyFile> NpyFile::parse(std::string_view bytes) {
  ASSIGN_OR_RETURN(const Parts parts, split(bytes));
  ASSIGN_OR_RETURN(ParsedNpyHeader parsed, parse_npy_header(parts.header));
  NpyFile file;
  file.header_ = std::move(parsed.header);
  file.is_swapped_ = parsed.is_swapped;
  file.elements_ = parts.elements;
  file.stored_bytes_ = size_in_bytes(file.header_.element);
  const std::optional<std::int64_t> size = npy_size(file.header_.shape, file.header_.element);
  if (!size) return bad("its shape " + shape_text(file.header_.shape) + " is not possible");
  file.size_ = *size;
  const auto needed = static_cast<std::uint64_t>(*size * file.stored_bytes_);
  if (parts.elements.size() < needed)
    return bad("it is cut short: " + std::to_string(needed) + " bytes of elements are announced, " +
               std::to_string(parts.elements.size()) + " are there");
  file.header_.element = laid_out(file.header_.element, 0, &file.moves_);
  return file;
}

void NpyFile::copy_to(std::byte* target) const {
  const std::int64_t element_bytes = size_in_bytes(header_.element);
  const char* const source = elements_.data();
  const bool lies_so = moves_.size() == 1 && moves_[0].bytes == stored_bytes_;
  if (lies_so && size_ > 0) std::memcpy(target, source, static_cast<std::size_t>(size_ * stored_bytes_));
  for (std::int64_t i = 0; i < size_ && !lies_so; ++i)
    for (const Move& move : moves_)
      std::memcpy(target + i * element_bytes + move.to, source + i * stored_bytes_ + move.from,
                  static_cast<std::size_t>(move.bytes));
  const bool may_hold_bools = header_.element.is_record() || header_.element.is(ScalarType::Bool);
  for (std::int64_t i = 0; i < size_ && may_hold_bools; ++i)
    normalize_bools(target + i * element_bytes, header_.element);
  for (std::int64_t i = 0; i < size_ && is_swapped_; ++i)
    std::reverse(target + i * element_bytes, target + (i + 1) * element_bytes);
}

bool has_numpy_type(const ElementType& type) {
  if (!type.is_record()) return !info(type.scalar).npy.empty();
  return std::all_of(type.record->fields.begin(), type.record->fields.end(),
                     [](const RecordField& field) { return has_numpy_type(field.type); });
}

std::string format_npy_header(const NpyHeader& header) {
  if (!has_numpy_type(header.element)) return {};
  std::string text = "{'descr': " + descr_of(header.element) +
                     ", 'fortran_order': " + (header.is_column_major ? "True" : "False") +
                     ", 'shape': " + shape_text(header.shape) + ", }";
  constexpr std::size_t kMostText = 60'000;
  if (text.size() > kMostText) return {};
  const std::size_t unpadded = kMagic.size() + 4 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

Result<std::string> read_npy(const std::string& path) {
  ASSIGN_OR_RETURN(std::string start, read_file(path, kMostHeader));
  const Result<Parts> parts = split(start);
  const Result<ParsedNpyHeader> parsed = parts ? parse_npy_header(parts->header) : parts.error();
  const std::optional<std::int64_t> size =
      parsed ? npy_size(parsed->header.shape, parsed->header.element) : std::nullopt;
  if (!size) return start;  // `parse` says what is wrong
  const std::size_t needed =
      (start.size() - parts->elements.size()) + static_cast<std::size_t>(*size * size_in_bytes(parsed->header.element));
  return needed <= start.size() ? std::move(start) : read_file(path, needed);
}

Result<detail::NpyElements> detail::load_npy(const std::string& path, const ElementType& wanted) try {
  const Result<std::string> bytes = read_npy(path);
  if (!bytes) return about(path, bytes.error().message);
  const Result<NpyFile> file = NpyFile::parse(*bytes);
  if (!file) return about(path, file.error().message);
  const NpyHeader& header = file->header();
  if (header.element != wanted)
    return invalid_argument("the file " + path + " holds elements of type " + to_string(header.element) +
                            ", the array's are " + to_string(wanted));
  NpyElements loaded{header.shape, header.is_column_major ? Layout::ColumnMajor : Layout::RowMajor,
                     std::make_unique<std::byte[]>(static_cast<std::size_t>(file->size() * size_in_bytes(wanted)))};
  file->copy_to(loaded.elements.get());
  return loaded;
} catch (...) {
  return error_in_flight();
}

Result<void> detail::save_npy(const std::string& path, const ElementType& type, std::span<const std::int64_t> shape,
                              Layout order, std::span<const std::byte> elements) try {
  const std::string header = format_npy_header({type, order == Layout::ColumnMajor, {shape.begin(), shape.end()}});
  if (header.empty())
    return invalid_argument("NumPy has no type for elements of type " + to_string(type) +
                            "; save them as another, such as f32");
  const std::string_view bytes(reinterpret_cast<const char*>(elements.data()), elements.size());
  if (Result<void> written = write_file(path, header, bytes); !written) return about(path, written.error().message);
  return {};
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
