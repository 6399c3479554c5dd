#include "base/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace pykc {
namespace {

Error bad(const char* reason) { return Error{ErrorCode::InputOutput, reason}; }

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File open_file(const std::string& path, const char* mode) { return {std::fopen(path.c_str(), mode), std::fclose}; }

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return bad("it is a folder");
  const File file = open_file(path, "rb");
  if (!file) return bad(std::strerror(errno));
  std::string bytes;
  char buffer[1 << 16];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof(buffer), file.get())) > 0;) bytes.append(buffer, got);
  if (std::ferror(file.get())) return bad("reading failed");
  return bytes;
}

Result<void> write_file(const std::string& path, std::string_view first, std::string_view second) {
  File file = open_file(path, "wb");
  if (!file) return bad(std::strerror(errno));
  bool written = true;
  for (const std::string_view part : {first, second})
    written = written && (part.empty() || std::fwrite(part.data(), 1, part.size(), file.get()) == part.size());
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !closed) return bad("writing failed");
  return {};
}

}  // namespace pykc
