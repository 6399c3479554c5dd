// Whole files. The message of an error is the reason alone: "No such file or directory". What a signal interrupts is
// gone on with.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "pykc/error.h"

namespace pykc {

/// The first `most` bytes of a regular file: what waits for a writer, or never ends, is none.
Result<std::string> read_file(const std::string& path, std::size_t most = std::numeric_limits<std::size_t>::max());
/// The second part comes after the first. What cannot be written whole does not stay.
Result<void> write_file(const std::string& path, std::string_view first, std::string_view second = {});
/// A file that only this user may read, there whole or as it was before: it is written beside, then renamed.
Result<void> replace_file(const std::string& path, std::string_view bytes);

}  // namespace pykc
