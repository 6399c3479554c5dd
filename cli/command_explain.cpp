// pykc explain E0203: what an error means, with a wrong and a right example.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "cli/command.h"
#include "cli/output.h"

namespace pykc::cli {
namespace {

int list_all() {
  for (const DiagnosticInfo& row : all_diagnostics())
    std::printf("%.*s  %s\n", static_cast<int>(row.code.size()), row.code.data(), headline(row.message).c_str());
  return kSuccess;
}

int explain(std::string code) {
  std::ranges::transform(code, code.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const DiagnosticInfo& row : all_diagnostics()) {
    if (row.code != code) continue;
    std::string_view text = row.explanation;  // most have lines of their own in the table
    while (text.starts_with('\n')) text.remove_prefix(1);
    while (text.ends_with('\n')) text.remove_suffix(1);
    std::printf("%s: %s\n\n%.*s\n", code.c_str(), headline(row.message).c_str(), static_cast<int>(text.size()),
                text.data());
    return kSuccess;
  }
  std::fprintf(stderr, "pykc: there is no diagnostic %s; `pykc explain` alone lists all\n", code.c_str());
  return kUsage;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("explain", "Explain an error or warning by its code; without a code, list all");
  const auto code = std::make_shared<std::string>();
  command->add_option("CODE", *code, "A code, such as E0203");
  command->callback([code, &exit_code] { exit_code = code->empty() ? list_all() : explain(*code); });
}

}  // namespace pykc::cli
