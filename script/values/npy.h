// The host's arrays from and to NumPy's .npy files; base/npy.h reads and writes the format.
#pragma once

#include <string>
#include <string_view>

#include "script/values/array.h"

namespace pykc::script {

/// Reads the bytes of a file, or says what is wrong with them. `name` is the file's, for messages.
Outcome<ArrayRef> parse_npy(std::string_view bytes, std::string_view name);
/// The bytes that NumPy would write: version 1.0, the header padded to 64 bytes; column-major where the array is.
Outcome<std::string> format_npy(const ArrayRef& array);

Outcome<ArrayRef> load_npy(const std::string& path);
Status save_npy(const std::string& path, const ArrayRef& array);

/// A whole file.
Status write_bytes(const std::string& path, std::string_view bytes);

}  // namespace pykc::script
