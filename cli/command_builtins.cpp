// pykc builtins: the builtin table as text, as Markdown (docs/builtins.md is made by it) or as JSON for editors.
#include <cstdio>

#include "base/json.h"
#include "cli/command.h"
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

}  // namespace

void add_builtins(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("builtins", "List what the language has built in");
  const auto format = std::make_shared<std::string>("text");
  command->add_option("--format", *format, "text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}));
  command->callback([format, &exit_code] {
    if (*format == "markdown")
      print_markdown();
    else if (*format == "json")
      print_json();
    else
      print_text();
    exit_code = kSuccess;
  });
}

}  // namespace pykc::cli
