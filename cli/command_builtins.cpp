// pykc builtins: the builtin table as text, as Markdown (docs/builtins.md is made by it) or as JSON for editors.
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "base/json.h"
#include "cli/command.h"
#include "cli/output.h"
#include "script/script.h"
#include "stdlib/language_names.h"
#include "stdlib/reductions.h"
#include "stdlib/type_names.h"

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

std::string spelling(const LanguageFunctionRow& name) {
  const bool is_decorator =
      name.kind == LanguageFunctionKind::Decorator || name.kind == LanguageFunctionKind::NumbaDecorator;
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

std::vector<Row> language_rows() {
  std::vector<Row> rows;
  for (const LanguageFunctionRow& row : all_language_functions())
    rows.push_back(
        {std::string(row.name), "language function", std::string(row.signature), spelling(row), std::string(row.doc)});
  return rows;
}

std::vector<Row> ufunc_rows() {
  std::vector<Row> rows;
  for (const UfuncName& row : all_ufunc_names()) {
    const std::string name(row.name), out = row.name.starts_with("numpy.") ? ", out=None" : "";
    const std::string signature = (row.inputs == 1 ? "(x" : "(x1, x2") + out + ")";
    rows.push_back({name, "ufunc", signature, name + signature, std::string(row.doc)});
  }
  return rows;
}

std::vector<Row> reduction_rows() {
  std::vector<Row> rows;
  for (const Reduction& row : all_reductions()) {
    const std::string name = "numpy." + std::string(row.name), signature = "(a)";
    const std::string method = row.is_method() ? " Also a method: `a." + std::string(row.name) + "()`." : "";
    rows.push_back({name, "reduction", signature, name + signature, std::string(row.doc) + method});
  }
  return rows;
}

std::vector<Row> constant_rows() {
  std::vector<Row> rows;
  for (const LanguageConstant& row : all_constants())
    rows.push_back({std::string(row.name), "constant", "", std::string(row.name), std::string(row.doc)});
  return rows;
}

/// One row a type of numbers, with all its names.
std::vector<Row> type_rows() {
  std::vector<Row> rows;
  for (int i = 0; i < kScalarTypeCount; ++i) {
    const auto type = static_cast<ScalarType>(i);
    const std::string name(info(type).spelling), numpy(info(type).numpy);
    std::string doc = numpy == name ? "" : "`" + numpy + "`";
    for (const TypeName& other : all_type_names()) {
      const bool is_for_numba = other.family == TypeFamily::Numba,
                 is_for_both = other.family == TypeFamily::NumpyAndNumba;
      if (other.type != name || !(is_for_numba || is_for_both) || other.name == name || other.name == numpy) continue;
      doc += (doc.empty() ? "`" : ", `") + std::string(is_for_numba ? "numba." : "") + std::string(other.name) + "`";
    }
    rows.push_back({name, "type", "", name, doc});
  }
  rows.push_back({"c64", "type", "", "c64", "`complex64`, `numba.c8`: a complex number of two f32"});
  rows.push_back({"c128", "type", "", "c128", "`complex128`, `numba.c16`: a complex number of two f64"});
  return rows;
}

std::vector<Row> vector_rows() {
  std::vector<Row> rows;
  for (const TypeName& row : all_type_names()) {
    if (row.family != TypeFamily::CudaVector) continue;
    const std::string name(row.name), spelling(row.type);
    rows.push_back({name + "4", "type", "", name + "1` to `" + name + "4",
                    "`" + spelling + "x1` to `" + spelling + "x4`, made by `make_" + name + "1(…)` and so on"});
  }
  return rows;
}

std::vector<Row> rows(bool host) {
  if (host) return host_rows();
  std::vector<Row> rows;
  for (const auto rows_of : {builtin_rows, language_rows, ufunc_rows, reduction_rows, constant_rows, type_rows})
    std::ranges::move(rows_of(), std::back_inserter(rows));
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
      "\n## Names that the checker treats by itself\n\nFrom `stdlib/language_functions.def`. No signature of the table "
      "above "
      "can say what they take.\n\n");
  print_table("name", language_rows());
  std::printf(
      "\n## Functions of numbers and arrays\n\nFrom `stdlib/ufuncs.def`. NumPy's work on arrays, too:\n"
      "with `out`, as a statement, or on arrays of a module.\n\n");
  print_table("function", ufunc_rows());
  std::printf("\n## Functions of a whole array\n\nFrom `stdlib/reductions.def`.\n\n");
  print_table("function", reduction_rows());
  std::printf("\n## Constants\n\nFrom `stdlib/constants.def`.\n\n");
  print_table("name", constant_rows());
  std::printf(
      "\n## Types\n\nA type's own name and the first beside it stand in the prelude, in `numpy` and in `numba`;\n"
      "the others in `numpy` and `numba`, or in `numba` alone. With `x1` to `x4` behind it, `f32x4`, either of\n"
      "the first two stands for a vector. `int` is `i64`, `float` is `f64`.\n\n");
  print_table("type", type_rows());
  std::printf("\n");
  print_table("vectors of CUDA", vector_rows());
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
