// NumPy's .npy files, versions 1 to 3: a magic word, a header in Python's notation, the elements as they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/error.h"
#include "pykc/types.h"

namespace pykc {

/// What a header says: one array, dense in either order.
struct NpyHeader {
  ElementType element;
  bool is_column_major = false;
  std::vector<std::int64_t> shape;
};

/// The bytes of a file, taken apart: numbers, bools, complex numbers, and records of them. They must outlive it.
class NpyFile {
 public:
  /// The file, or an error whose text is the end of a sentence about the file.
  static Result<NpyFile> parse(std::string_view bytes);
  /// A record's fields lie as in C, whatever gaps the file has.
  const NpyHeader& header() const { return header_; }
  std::int64_t size() const { return size_; }  // elements
  /// Writes the elements one after the other. Big-endian numbers are turned round; a bool becomes 0 or 1.
  void copy_to(std::byte* target) const;

 private:
  /// Where bytes of an element go.
  struct Move {
    std::int64_t from, to, bytes;
  };
  static ElementType laid_out(const ElementType& type, std::int64_t from, std::vector<Move>* moves,
                              std::int64_t to = 0);
  NpyHeader header_;
  std::int64_t size_ = 0;
  std::int64_t stored_bytes_ = 0;  // of an element
  bool is_swapped_ = false;
  std::vector<Move> moves_;
  std::string_view elements_;
};

/// The bytes of a file as far as its header announces elements; the header is looked at before the others are read.
Result<std::string> read_npy(const std::string& path);

/// Not bf16, nor a record with one.
bool has_numpy_type(const ElementType& type);

/// What NumPy writes before the elements: version 1.0, padded to 64 bytes. Empty for a type that NumPy does not have,
/// and for records with more fields than such a header has room for.
std::string format_npy_header(const NpyHeader& header);

}  // namespace pykc
