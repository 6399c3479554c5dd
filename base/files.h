// Whole files. The message of an error is the reason alone: "No such file or directory".
#pragma once

#include <string>
#include <string_view>

#include "pykc/error.h"

namespace pykc {

Result<std::string> read_file(const std::string& path);
/// The second part comes after the first.
Result<void> write_file(const std::string& path, std::string_view first, std::string_view second = {});

}  // namespace pykc
