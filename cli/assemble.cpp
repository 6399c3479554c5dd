// Runs ptxas, NVIDIA's assembler, on files of its own in the temporary folder.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "cli/embed.h"

namespace pykc::cli {
namespace {

/// A folder that is gone with all its files when this is.
struct TemporaryFolder {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "pykc-XXXXXX").string();
  bool exists = !error && mkdtemp(path.data()) != nullptr;
  TemporaryFolder() {
    if (!exists && !error) error.assign(errno, std::generic_category());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    if (exists) std::filesystem::remove_all(path, error);
  }
};

/// Its messages go where ours go.
Result<void> run_program(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int error = posix_spawnp(&process, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0) return Error{ErrorCode::NotFound, "cannot run " + command.front() + ": " + std::strerror(error)};
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return Error{ErrorCode::InputOutput, "cannot wait for " + command.front()};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Error{ErrorCode::InputOutput, command.front() + " failed"};
}

}  // namespace

Result<Artifact> assemble(const Artifact& ptx, const std::string& ptxas) {
  const TemporaryFolder folder;
  if (!folder.exists) return Error{ErrorCode::InputOutput, "cannot make a temporary folder: " + folder.error.message()};
  const std::string source = folder.path + "/kernels.ptx", cubin = folder.path + "/kernels.cubin";
  if (const Result<void> written = write_file(source, ptx.code); !written)
    return Error{ErrorCode::InputOutput, "cannot write " + source + ": " + written.error().message};
  const std::string chip = ptx.target.substr(ptx.target.find(':') + 1);
  if (Result<void> ran = run_program(
          {ptxas, "-arch=" + chip, "-O" + std::to_string(std::min(ptx.assembler_level, 3)), source, "-o", cubin});
      !ran)
    return ran.error();
  Result<std::string> bytes = read_file(cubin);
  if (!bytes) return Error{ErrorCode::InputOutput, "cannot read what " + ptxas + " left: " + bytes.error().message};
  Artifact artifact = ptx;
  artifact.code = std::move(*bytes);
  return artifact;
}

}  // namespace pykc::cli
