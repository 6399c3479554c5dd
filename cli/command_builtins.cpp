// pykc builtins: the builtin table as text, as Markdown (docs/builtins.md is made by it) or as JSON for editors.
#include <cstdio>

#include "base/json.h"
#include "cli/command.h"
#include "script/script.h"
#include "stdlib/builtins.h"

namespace pykc::cli {
namespace {

/// Indices such as threadIdx.x are read, not called.
bool is_value(const Builtin& builtin) { return builtin.id <= BuiltinId::WarpSize; }

std::string spelling(const Builtin& builtin) {
  std::string text(builtin.name);
  if (is_value(builtin) && builtin.signature.starts_with("() -> "))
    return text + ": " + std::string(builtin.signature.substr(6));
  return text + std::string(builtin.signature);
}

void print_text() {
  for (const Builtin& builtin : all_builtins())
    std::printf("%s\n    %.*s\n", spelling(builtin).c_str(), static_cast<int>(builtin.doc.size()), builtin.doc.data());
}

void print_markdown() {
  std::printf(
      "# Builtins\n\nMade by `pykc builtins --format markdown` from `stdlib/builtins.def`; do not edit.\n\n"
      "In a signature, `F` stands for a float type, `I` for an integer type, `N` for either, `S` for any scalar and "
      "`W` "
      "for\n`i32` or `u32`. The same letter is the same type.\n\n"
      "| builtin | meaning |\n| --- | --- |\n");
  for (const Builtin& builtin : all_builtins())
    std::printf("| `%s` | %.*s |\n", spelling(builtin).c_str(), static_cast<int>(builtin.doc.size()),
                builtin.doc.data());
}

void print_json() {
  std::string text = "[";
  for (const Builtin& builtin : all_builtins()) {
    if (text.size() > 1) text += ",";
    text += "\n  {\"name\": " + json_string(builtin.name) + ", \"signature\": " + json_string(builtin.signature) +
            ", \"doc\": " + json_string(builtin.doc) + "}";
  }
  std::printf("%s\n]\n", text.c_str());
}

void print_host_text() {
  for (const script::HostFunctionInfo& function : script::host_functions())
    std::printf("%s(%s)\n    %s\n", function.name.c_str(), function.signature.c_str(), function.doc.c_str());
}

void print_host_markdown() {
  std::printf(
      "# Functions of host code\n\nMade by `pykc builtins --host --format markdown`; do not edit. `array.sum` is a "
      "method of arrays, and so on.\n\n| function | meaning |\n| --- | --- |\n");
  for (const script::HostFunctionInfo& function : script::host_functions())
    std::printf("| `%s(%s)` | %s |\n", function.name.c_str(), function.signature.c_str(), function.doc.c_str());
}

void print_host_json() {
  std::string text = "[";
  for (const script::HostFunctionInfo& function : script::host_functions())
    text += (text.size() > 1 ? ",\n  " : "\n  ") + ("{\"name\": " + json_string(function.name)) +
            ", \"signature\": " + json_string(function.signature) + ", \"doc\": " + json_string(function.doc) + "}";
  std::printf("%s\n]\n", text.c_str());
}

struct Format {
  std::string_view name;
  void (*print)();
  void (*print_host)();
};
constexpr Format kFormats[] = {{"text", print_text, print_host_text},
                               {"markdown", print_markdown, print_host_markdown},
                               {"json", print_json, print_host_json}};

}  // namespace

void add_builtins(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("builtins", "List what the language has built in");
  const auto format = std::make_shared<std::string>("text");
  command->add_option("--format", *format, "text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}));
  const auto host = std::make_shared<bool>(false);
  command->add_flag("--host", *host, "The functions of host code instead");
  command->callback([format, host, &exit_code] {
    for (const Format& row : kFormats)
      if (row.name == *format) (*host ? row.print_host : row.print)();
    exit_code = kSuccess;
  });
}

}  // namespace pykc::cli
