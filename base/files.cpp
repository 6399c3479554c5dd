#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace pykc {
namespace {

Error bad(const char* reason) { return Error{ErrorCode::InputOutput, reason}; }

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// A regular file, and its size. One that is not, such as a pipe, must not even be waited for.
struct Input {
  File file;
  std::size_t bytes;
};
Result<Input> open_input(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return bad(std::strerror(errno));
  Input input{File(::fdopen(descriptor, "rb"), std::fclose), 0};
  if (!input.file) {
    const Error failed = bad(std::strerror(errno));
    ::close(descriptor);
    return failed;
  }
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return bad(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return bad("it is a folder");
  if (!S_ISREG(status.st_mode)) return bad("it is no regular file");
  input.bytes = static_cast<std::size_t>(status.st_size);
  return input;
}

std::size_t machine_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t most) {
  const Result<Input> input = open_input(path);
  if (!input) return input.error();
  const std::size_t wanted = std::min(input->bytes, most);
  if (wanted > machine_memory()) return bad("it is larger than the memory of this machine");
  std::string bytes(wanted, '\0');
  bytes.resize(std::fread(bytes.data(), 1, wanted, input->file.get()));
  if (std::ferror(input->file.get())) return bad("reading failed");
  return bytes;
}

Result<void> write_file(const std::string& path, std::string_view first, std::string_view second) {
  File file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) return bad(std::strerror(errno));
  bool written = true;
  for (const std::string_view part : {first, second})
    written = written && (part.empty() || std::fwrite(part.data(), 1, part.size(), file.get()) == part.size());
  const bool closed = std::fclose(file.release()) == 0;
  if (written && closed) return {};
  const Error failed = bad(std::strerror(errno));
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) std::filesystem::remove(path, error);
  return failed;
}

}  // namespace pykc
