// Runs programs on files of their own in the temporary folder.
#include "insight/assembler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/errors.h"
#include "base/files.h"

namespace pykc::insight {
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

/// What it prints goes where ours goes, or to a file.
Result<void> run_program(const std::vector<std::string>& command, const std::string& output = "") {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t process = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!output.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  const int error = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Error{ErrorCode::NotFound, "cannot run " + command.front() + ": " + std::strerror(error)};
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return Error{ErrorCode::InputOutput, "cannot wait for " + command.front()};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Error{ErrorCode::InputOutput, command.front() + " failed"};
}

constexpr const char* kCubin = "/kernels.cubin";

/// Leaves the cubin in the folder, and where a file is named for its messages, all of them there.
Result<void> run_assembler(const TemporaryFolder& folder, const Artifact& ptx, const std::string& ptxas,
                           const std::string& messages) {
  if (!folder.exists) return Error{ErrorCode::InputOutput, "cannot make a temporary folder: " + folder.error.message()};
  const std::string source = folder.path + "/kernels.ptx";
  if (const Result<void> written = write_file(source, ptx.code); !written)
    return Error{ErrorCode::InputOutput, "cannot write " + source + ": " + written.error().message};
  const std::string chip = ptx.target.substr(ptx.target.find(':') + 1);
  const std::string level = "-O" + std::to_string(std::min(ptx.assembler_level, 3));
  std::vector<std::string> command = {ptxas, "-arch=" + chip, level, source, "-o", folder.path + kCubin};
  if (!messages.empty()) {
    command.emplace_back("-v");
    if (ptx.code.find("\n\t.loc\t") != std::string::npos) command.emplace_back("-lineinfo");
  }
  return run_program(command, messages);
}

MachineCode machine_code_of(const Artifact& ptx, const Tools& tools) {
  const TemporaryFolder folder;
  const std::string messages = folder.path + "/messages", sass = folder.path + "/sass";
  MachineCode code;
  const auto read = [](const std::string& file) { return read_file(file).value_or(""); };
  if (tools.ptxas.empty() || !run_assembler(folder, ptx, tools.ptxas, messages)) return code;
  code.messages = read(messages);
  if (tools.nvdisasm.empty()) return code;
  const std::string cubin = folder.path + kCubin;
  if (run_program({tools.nvdisasm, "--print-code", "--print-line-info", cubin}, sass)) code.sass = read(sass);
  return code;
}

}  // namespace

Result<Artifact> assemble(const Artifact& ptx, const std::string& ptxas) {
  const TemporaryFolder folder;
  RETURN_IF_FAILED(run_assembler(folder, ptx, ptxas, {}));
  Result<std::string> bytes = read_file(folder.path + kCubin);
  if (!bytes) return Error{ErrorCode::InputOutput, "cannot read what " + ptxas + " left: " + bytes.error().message};
  Artifact artifact = ptx;
  artifact.code = std::move(*bytes);
  return artifact;
}

void Assembly::start(const WatchedKernel& kernel) {
  const auto [code, is_new] = started_.try_emplace(kernel.ptx);
  if (!is_new) return;
  code->second = std::async([tools = tools_, target = kernel.gpu_target, ptx = kernel.ptx] {
    return ptx.empty() ? MachineCode() : machine_code_of({.target = target, .code = ptx}, tools);
  });
}

const MachineCode& Assembly::of(const WatchedKernel& kernel) {
  start(kernel);
  return started_[kernel.ptx].get();
}

}  // namespace pykc::insight
