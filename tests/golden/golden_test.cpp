// Runs every golden file below tests/golden as a test of its own; golden_file.h tells how a file looks.
// `golden_test --update` writes what comes out into the files instead; look at the difference before you commit it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "driver/driver.h"
#include "golden_file.h"
#include "pykc/compiler.h"
#include "script/check_host.h"
#include "tool.h"

namespace pykc::golden {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(text).str();
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string all_text(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += to_text(diagnostic);
  return text;
}

struct Command {
  std::string_view name;
  Emit emit;
};
constexpr Command kCommands[] = {{"tokens", Emit::Tokens}, {"ast", Emit::Ast},      {"checked", Emit::Checked},
                                 {"ir", Emit::Ir},         {"cpu-ir", Emit::CpuIr}, {"llvm", Emit::Llvm},
                                 {"ptx", Emit::Assembly},  {"check", Emit::Ir}};

class GoldenTest : public testing::Test {
 public:
  GoldenTest(fs::path path, bool update) : path_(std::move(path)), update_(update) {}

  void TestBody() override {
    const std::string text = read(path_);
    const GoldenFile file = parse_golden_file(text);
    ASSERT_EQ(file.run.mistake, "");
    const auto* command = std::find_if(std::begin(kCommands), std::end(kCommands),
                                       [&](const Command& row) { return row.name == file.run.command; });
    ASSERT_NE(command, std::end(kCommands)) << "there is no command " << file.run.command;
    // A file that checks diagnostics is compiled without the drawn ones, whose lines would shift the places.
    const bool is_check = command->name == "check";
    const std::string source = is_check ? without_drawings(file.source) : file.source;
    const Result<CompileOutput> output = compile_to(command->emit, source, file.run.options, path_.filename().string());
    if (is_check) {
      std::vector<Diagnostic> found = output ? (*output).warnings : output.error().diagnostics;
      std::ranges::move(host_diagnostics(source), std::back_inserter(found));
      return compare(text, with_drawings(source, found));
    }
    ASSERT_TRUE(output) << output.error().message << '\n' << all_text(output.error().diagnostics);
    if (command->emit == Emit::Llvm || command->emit == Emit::Assembly)
      return check_with_tools(*command, file, (*output).text);
    const std::string part =
        file.run.function.empty() ? (*output).text : function_part((*output).text, file.run.function);
    ASSERT_NE(part, "") << "the output has no function " << file.run.function;
    compare(text, with_expected(file, part));
  }

 private:
  /// What is wrong in host functions; of a file that cannot be parsed, nothing.
  std::vector<Diagnostic> host_diagnostics(const std::string& source) const {
    Diagnostics told;
    const auto file = std::make_shared<const SourceFile>(path_.filename().string(), source);
    const Program program = load_program(file, driver::imports_of(file->name(), {}).resolver, told);
    return told.has_errors() ? std::vector<Diagnostic>() : script::check_host(program);
  }

  void compare(const std::string& found, const std::string& wanted) {
    if (found == wanted) return;
    if (update_)
      write(path_, wanted);
    else
      FAIL() << path_ << " is not as expected (golden_test --update rewrites it)\n" << difference(found, wanted);
  }

  void check_with_tools(const Command& command, const GoldenFile& file, const std::string& output) {
    ASSERT_NE(file.source.find("CHECK"), std::string::npos) << "there is no CHECK line";
    const fs::path dump = fs::path(testing::TempDir()) / (path_.stem().string() + "." + std::string(command.name));
    write(dump, output);
    const bool is_ptx = command.name == "ptx" && !file.run.options.target.starts_with("cpu");
    const std::string architecture = file.run.options.target.empty() ? "sm_80" : file.run.options.target;
    if (const std::optional<std::string> ptxas = find_tool({"ptxas"}); ptxas && is_ptx) {
      const ToolResult assembled = run_tool({*ptxas, "-arch=" + architecture, "-o", "/dev/null", dump.string()});
      EXPECT_TRUE(assembled.succeeded) << assembled.output;
    }
    const std::optional<std::string> file_check = find_tool({"FileCheck-22", "FileCheck"});
    if (!file_check) GTEST_SKIP() << "LLVM's FileCheck is not installed";
    const ToolResult matched = run_tool({*file_check, "--input-file=" + dump.string(), path_.string()});
    EXPECT_TRUE(matched.succeeded) << matched.output;
  }

  static std::string difference(const std::string& found, const std::string& wanted) {
    std::istringstream a(found), b(wanted);
    std::string line_a, line_b;
    for (int line = 1;; ++line) {
      const bool has_a = static_cast<bool>(std::getline(a, line_a)), has_b = static_cast<bool>(std::getline(b, line_b));
      if (has_a && has_b && line_a == line_b) continue;
      return "line " + std::to_string(line) + "\n  the file has: " + (has_a ? line_a : "(nothing)") +
             "\n  pykc gives:   " + (has_b ? line_b : "(nothing)");
    }
  }

  fs::path path_;
  bool update_;
};

/// "syntax/blocks.pyk" → "syntax_blocks".
std::string test_name(const fs::path& relative) {
  std::string name = fs::path(relative).replace_extension().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

/// The number of golden files, each now a test.
std::size_t register_tests(const fs::path& root, bool update) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".pyk") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files)
    testing::RegisterTest("Golden", test_name(fs::relative(path, root)).c_str(), nullptr, nullptr, path.c_str(), 1,
                          [=] { return new GoldenTest(path, update); });
  return files.size();
}

}  // namespace
}  // namespace pykc::golden

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* source = std::getenv("PYKC_SOURCE_DIR");
  if (!source) {
    std::fprintf(stderr, "golden_test: PYKC_SOURCE_DIR must name the folder of pykc's source\n");
    return 2;
  }
  const bool update = argc > 1 && std::string_view(argv[1]) == "--update";
  const std::filesystem::path root = std::filesystem::path(source) / "tests" / "golden";
  if (pykc::golden::register_tests(root, update) == 0) {
    std::fprintf(stderr, "golden_test: there are no golden files below %s\n", root.c_str());
    return 2;
  }
  return RUN_ALL_TESTS();
}
