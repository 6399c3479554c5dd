#include "script/values/npy.h"

#include "base/files.h"
#include "base/npy.h"

namespace pykc::script {

Outcome<ArrayRef> parse_npy(std::string_view bytes, std::string_view name) {
  const Result<NpyFile> file = NpyFile::parse(bytes);
  if (!file) return fail(DiagnosticId::HostBadNpy, name, file.error().message);
  const NpyHeader& header = file->header();
  const Order order = header.is_column_major ? Order::ColumnMajor : Order::RowMajor;
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(header.element, header.shape, order, Scalar{ScalarType::U8, 0}));
  ASSIGN_OR_RETURN(std::byte* const target, array->write());
  file->copy_to(target);
  return array;
}

Outcome<std::string> format_npy(const ArrayRef& array) {
  if (!has_numpy_type(array->element()))
    return fail(DiagnosticId::HostWrongType, "array of `save", "of a type that NumPy has", describe(Value(array)))
        .suggest("a.astype(f32)");
  const Order order = array->order();
  std::string bytes = format_npy_header({array->element(), order == Order::ColumnMajor, array->shape});
  if (bytes.empty())
    return fail(DiagnosticId::HostWrongType, "array of `save", "of records with fewer fields", describe(Value(array)));
  ASSIGN_OR_RETURN(const ArrayRef dense, dense_array(array, order));
  ASSIGN_OR_RETURN(const std::byte* elements, dense->read());
  bytes.append(reinterpret_cast<const char*>(elements),
               static_cast<std::size_t>(dense->size() * dense->element_bytes()));
  return bytes;
}

Outcome<ArrayRef> load_npy(const std::string& path) {
  const Result<std::string> bytes = read_npy(path);
  if (!bytes) return fail(DiagnosticId::HostFileFailed, path, bytes.error().message);
  return parse_npy(*bytes, path);
}

Status save_npy(const std::string& path, const ArrayRef& array) {
  ASSIGN_OR_RETURN(const std::string bytes, format_npy(array));
  return write_bytes(path, bytes);
}

Status write_bytes(const std::string& path, std::string_view bytes) {
  if (Result<void> written = write_file(path, bytes); !written)
    return fail(DiagnosticId::HostFileFailed, path, written.error().message);
  return Done{};
}

}  // namespace pykc::script
