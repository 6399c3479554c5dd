// pykc builtins: the builtin table as text, as Markdown (docs/builtins.md is made by it) or as JSON for editors.
#include <cstdio>

#include "base/json.h"
#include "cli/command.h"
#include "cli/output.h"
#include "script/script.h"
#include "stdlib/builtins.h"

namespace pykc::cli {
namespace {

std::string spelling(const Builtin& builtin) {
  std::string text(builtin.name);
  if (!builtin.is_value) return text + std::string(builtin.signature);
  return text + ": " + std::string(builtin.signature.substr(std::string_view("() -> ").size()));
}

/// What both tables say of a name.
struct Row {
  std::string name, signature, spelling, doc;
};

std::vector<Row> rows(bool host) {
  std::vector<Row> rows;
  if (host)
    for (const script::HostFunctionInfo& row : script::host_functions())
      rows.push_back({row.name, row.signature, row.name + "(" + row.signature + ")", row.doc});
  else
    for (const Builtin& row : all_builtins())
      rows.push_back({std::string(row.name), std::string(row.signature), spelling(row), std::string(row.doc)});
  return rows;
}

void print_text(bool host) {
  for (const Row& row : rows(host)) std::printf("%s\n    %s\n", row.spelling.c_str(), row.doc.c_str());
}

void print_markdown(bool host) {
  std::printf("%s", host ? "# Functions of host code\n\nMade by `pykc builtins --host --format markdown`; do not edit. "
                           "`array.sum` is a method of arrays, and so on.\n\n| function |"
                         : "# Builtins\n\nMade by `pykc builtins --format markdown` from `stdlib/builtins.def`; do not "
                           "edit.\n\nIn a signature, `F` stands for a float type, `D` for `f32` or `f64`, `I` for an "
                           "integer type, `N` for `F` or `I`,\n`S` for any scalar and `W` for `i32` or `u32`. The "
                           "same letter is the same type.\n\n| builtin |");
  std::printf(" meaning |\n| --- | --- |\n");
  for (const Row& row : rows(host)) std::printf("| `%s` | %s |\n", row.spelling.c_str(), row.doc.c_str());
}

void print_json(bool host) {
  std::string text = "[";
  for (const Row& row : rows(host))
    text += (text.size() > 1 ? ",\n  " : "\n  ") + ("{\"name\": " + json_string(row.name)) +
            ", \"signature\": " + json_string(row.signature) + ", \"doc\": " + json_string(row.doc) + "}";
  std::printf("%s\n]\n", text.c_str());
}

struct Format {
  std::string_view name;
  void (*print)(bool host);
};
constexpr Format kFormats[] = {{"text", print_text}, {"markdown", print_markdown}, {"json", print_json}};

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
      if (row.name == *format) row.print(*host);
    exit_code = kSuccess;
  });
}

}  // namespace pykc::cli
