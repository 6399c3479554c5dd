// Programs that golden tests call where they are installed.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pykc::golden {

/// The path of the first of these programs that PATH (or CUDA's or LLVM's usual folder) has.
std::optional<std::string> find_tool(const std::vector<std::string>& names);

struct ToolResult {
  bool succeeded = false;
  std::string output;  // stdout and stderr
};
ToolResult run_tool(const std::vector<std::string>& command);

}  // namespace pykc::golden
