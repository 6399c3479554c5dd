// NumPy's .npy files, versions 1 to 3: a magic word, a header in Python's notation, the elements as they lie in memory.
#pragma once

#include <string>
#include <string_view>

#include "script/array.h"

namespace pykc::script {

/// Reads the bytes of a file, or says what is wrong with them. `name` is the file's, for messages. Big-endian elements
/// are turned round.
Outcome<ArrayRef> parse_npy(std::string_view bytes, std::string_view name);
/// The bytes that NumPy would write: version 1.0, the header padded to 64 bytes; column-major where the array is.
Outcome<std::string> format_npy(const ArrayRef& array);

Outcome<ArrayRef> load_npy(const std::string& path);
Status save_npy(const std::string& path, const ArrayRef& array);

/// Whole files.
Outcome<std::string> read_bytes(const std::string& path);
Status write_bytes(const std::string& path, std::string_view bytes);

}  // namespace pykc::script
