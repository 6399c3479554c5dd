// pykc builtins: the builtin table as text, as Markdown (docs/builtins.md is made by it) or as JSON for editors.
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "base/json.h"
#include "cli/command.h"
#include "cli/output.h"
#include "script/script.h"
#include "stdlib/special_names.h"

namespace pykc::cli {
namespace {

std::string spelling(const Builtin& builtin) {
  std::string text(builtin.name);
  if (!builtin.is_value) return text + std::string(builtin.signature);
  return text + ": " + std::string(builtin.signature.substr(std::string_view("() -> ").size()));
}

/// What both tables say of a name.
struct Row {
  std::string name, kind, signature, spelling, doc;
};

std::string spelling(const SpecialName& name) {
  const bool is_decorator = name.kind == SpecialKind::Decorator || name.kind == SpecialKind::NumbaDecorator;
  return (is_decorator ? "@" : "") + std::string(name.name) + std::string(name.signature);
}

std::vector<Row> host_rows() {
  std::vector<Row> rows;
  for (const script::HostFunctionInfo& row : script::host_functions())
    rows.push_back({row.name, "host", row.signature, row.name + "(" + row.signature + ")", row.doc});
  return rows;
}

std::vector<Row> builtin_rows() {
  std::vector<Row> rows;
  for (const Builtin& row : all_builtins())
    rows.push_back({std::string(row.name), "builtin", std::string(row.signature), spelling(row), std::string(row.doc)});
  return rows;
}

std::vector<Row> special_rows() {
  std::vector<Row> rows;
  for (const SpecialName& row : all_special_names())
    rows.push_back({std::string(row.name), "special", std::string(row.signature), spelling(row), std::string(row.doc)});
  return rows;
}

std::vector<Row> rows(bool host) {
  if (host) return host_rows();
  std::vector<Row> rows = builtin_rows();
  std::ranges::move(special_rows(), std::back_inserter(rows));
  return rows;
}

void print_text(bool host) {
  for (const Row& row : rows(host)) std::printf("%s\n    %s\n", row.spelling.c_str(), row.doc.c_str());
}

void print_table(const char* head, const std::vector<Row>& rows) {
  std::printf("| %s | meaning |\n| --- | --- |\n", head);
  for (const Row& row : rows) std::printf("| `%s` | %s |\n", row.spelling.c_str(), row.doc.c_str());
}

void print_names(const char* title, std::string_view lead, const std::vector<std::string>& names) {
  std::printf("\n## %s\n\n%s\n\n| name | the same as |\n| --- | --- |\n", title, std::string(lead).c_str());
  for (const std::string& name : names) std::printf("%s\n", name.c_str());
}

void print_other_names() {
  std::vector<std::string> aliases, libdevice;
  for (const Alias& row : all_aliases())
    aliases.push_back("| `" + std::string(row.name) + "` | `" + std::string(row.row) + "` |");
  for (const LibdeviceName& row : all_libdevice_names())
    libdevice.push_back("| `" + std::string(row.name) + "` | `" + std::string(row.row) + "` of " +
                        std::string(row.type) + " |");
  print_names("Other names", "From `stdlib/aliases.def`.", aliases);
  print_names("Names of libdevice",
              "From `stdlib/libdevice_names.def`; its other functions are written in the language "
              "(`stdlib/libdevice.pyk`).",
              libdevice);
}

void print_markdown(bool host) {
  if (host) {
    std::printf(
        "# Functions of host code\n\nMade by `pykc builtins --host --format markdown`; do not edit. `array.sum` is a "
        "method of arrays, and so on.\n\n");
    return print_table("function", host_rows());
  }
  std::printf(
      "# Builtins\n\nMade by `pykc builtins --format markdown` from `stdlib/builtins.def` and its neighbours; do not "
      "edit.\n\nIn a signature, `F` stands for a float type, `D` for `f32` or `f64`, `I` for an integer type, `N` for "
      "`F` or `I`,\n`S` for any scalar and `W` for `i32` or `u32`. The same letter is the same type.\n\n");
  print_table("builtin", builtin_rows());
  std::printf(
      "\n## Names that the checker treats by itself\n\nFrom `stdlib/special_names.def`. No signature of the table "
      "above "
      "can say what they take.\n\n");
  print_table("name", special_rows());
  print_other_names();
}

void print_json(bool host) {
  std::string text = "[";
  for (const Row& row : rows(host))
    text += (text.size() > 1 ? ",\n  " : "\n  ") + ("{\"name\": " + json_string(row.name)) +
            ", \"kind\": " + json_string(row.kind) + ", \"signature\": " + json_string(row.signature) +
            ", \"doc\": " + json_string(row.doc) + "}";
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
