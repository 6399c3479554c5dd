#include "tool.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace pykc::golden {

std::optional<std::string> find_tool(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path ? path : "") + ":/usr/local/cuda/bin:/usr/lib/llvm-22/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const std::string& name : names) {
      std::string program = folder;
      (program += '/') += name;
      if (access(program.c_str(), X_OK) == 0) return program;
    }
  return std::nullopt;
}

ToolResult run_tool(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) {
    line += " '";
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += "'";
  }
  ToolResult result;
  // NOLINTNEXTLINE(bugprone-command-processor): every word is quoted
  FILE* pipe = popen((line + " 2>&1").c_str(), "r");
  if (!pipe) return {false, "cannot start" + line};
  char buffer[4096];
  while (const std::size_t bytes = std::fread(buffer, 1, sizeof buffer, pipe)) result.output.append(buffer, bytes);
  result.succeeded = pclose(pipe) == 0;
  return result;
}

}  // namespace pykc::golden
