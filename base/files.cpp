#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace pykc {
namespace {

Error bad(const char* reason) { return Error{ErrorCode::InputOutput, reason}; }
Error last_error() { return bad(std::strerror(errno)); }

/// An open file, or none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { (void)close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  /// Whether all that was written has arrived. The system closes it in any case, an interruption included.
  bool close() {
    if (number_ < 0) return true;
    const bool closed = ::close(number_) == 0 || errno == EINTR;
    number_ = -1;
    return closed;
  }

 private:
  int number_;
};

/// The size of a regular file. One that is not, such as a pipe, must not even be waited for.
Result<std::size_t> size_of(const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return last_error();
  if (S_ISDIR(status.st_mode)) return bad("it is a folder");
  if (!S_ISREG(status.st_mode)) return bad("it is no regular file");
  return static_cast<std::size_t>(status.st_size);
}

bool write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = TEMP_FAILURE_RETRY(::write(file.number(), bytes.data(), bytes.size()));
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Not a device, nor a link to a file that stays.
void remove_regular(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (!error && std::filesystem::is_regular_file(real, error)) std::filesystem::remove(real, error);
}

std::size_t machine_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t most) {
  const Descriptor file(TEMP_FAILURE_RETRY(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)));
  if (file.number() < 0) return last_error();
  const Result<std::size_t> size = size_of(file);
  if (!size) return size.error();
  const std::size_t wanted = std::min(*size, most);
  if (wanted > machine_memory()) return bad("it is larger than the memory of this machine");
  std::string bytes(wanted, '\0');
  std::size_t length = 0;
  while (length < wanted) {
    const ssize_t more = TEMP_FAILURE_RETRY(::read(file.number(), bytes.data() + length, wanted - length));
    if (more < 0) return last_error();
    if (more == 0) break;  // another program has cut it short
    length += static_cast<std::size_t>(more);
  }
  bytes.resize(length);
  return bytes;
}

Result<void> write_file(const std::string& path, std::string_view first, std::string_view second) {
  Descriptor file(TEMP_FAILURE_RETRY(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)));
  if (file.number() < 0) return last_error();
  if (write_all(file, first) && write_all(file, second) && file.close()) return {};
  const Error failed = last_error();
  remove_regular(path);
  return failed;
}

Result<void> replace_file(const std::string& path, std::string_view bytes) {
  std::string unfinished = path + ".XXXXXX";
  Descriptor file(TEMP_FAILURE_RETRY(::mkostemp(unfinished.data(), O_CLOEXEC)));
  if (file.number() < 0) return last_error();
  if (write_all(file, bytes) && file.close() && std::rename(unfinished.c_str(), path.c_str()) == 0) return {};
  const Error failed = last_error();
  ::unlink(unfinished.c_str());
  return failed;
}

}  // namespace pykc
